import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  behindClient,
  checkLarge,
  largeBench,
  searchClient,
  smallArchive,
} from '../../support/registry-bench.js';

test('a client that is one publication behind reads few files, and none of other namespaces', async () => {
  const base = mkdtempSync(join(tmpdir(), 'registry-large-'));
  try {
    const bench = await largeBench(base);
    const archive = join(base, 'archive.tgz');
    writeFileSync(archive, await smallArchive());
    const release = (name: string) => ({
      name,
      version: '1.0.0',
      description: 'a tool',
      tags: [],
      tools: [],
    });
    const namespaces = Array.from({ length: 40 }, (_, it) => ({
      namespace: `space-${it}`,
      releases: Array.from({ length: 10 }, (_, number) => release(`space-${it}/tool-${number}`)),
    }));
    await bench.publish(namespaces, archive);
    const memory = join(base, 'memory');
    await bench.remember('space-0', memory);
    await bench.publish([{ namespace: 'space-39', releases: [release('space-39/newest')] }], archive);
    const { files, bytes } = await behindClient(base, memory, 'space-39/newest');
    expect(bytes).toBeLessThan(16_000);
    const roles = files.map(([path]) => path).filter((it) => /\.ns-/.test(it));
    expect(roles).toHaveLength(1);
    expect(files.filter(([path]) => path.includes('.targets.json'))).toEqual([]);
    expect((await checkLarge(base)).problems).toBe(0);
    expect((await searchClient(base, ['tool', 'newest'])).count).toBe(2);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
