// A registry in a folder that somebody prepared: with links instead of folders, with files missing, or with another root.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import { RegistryRepository } from '../../../src/registry/repository/registry-repository.js';
import { mirrorRegistry } from '../../../src/registry/repository/repository-mirror.js';
import { openRegistryServerParts } from '../../../src/registry/server/server-parts.js';
import { folderTransport } from '../../../src/registry/transport/folder-transport.js';
import { consumerOf, versionsSeen } from '../../support/registry-consumer.js';
import { RegistryServerBench } from '../../support/registry-server.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';

const open: { close(): void | Promise<void> }[] = [];
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close();
});

async function workbench(): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  return bench;
}

/** Moves a folder of the registry elsewhere, and leaves a link to it. */
function linked(bench: RegistryWorkbench, name: string): string {
  const elsewhere = join(bench.base, `elsewhere-${name}`);
  renameSync(join(bench.folder, name), elsewhere);
  symlinkSync(elsewhere, join(bench.folder, name));
  return elsewhere;
}

describe('a folder that is a link', () => {
  test('is not served, and a real one is', async () => {
    const it = new RegistryServerBench();
    open.push(it);
    await it.open();
    const outside = join(it.registry.base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'private.json'), 'not for readers');
    const targets = join(it.registry.folder, 'targets');
    mkdirSync(targets, { recursive: true });
    symlinkSync(outside, join(targets, 'ff'));
    cpSync(outside, join(targets, 'fe'), { recursive: true });
    expect((await it.get('/targets/ff/private.json')).status).toBe(404);
    expect(await (await it.get('/targets/fe/private.json')).text()).toBe('not for readers');
  });

  test('is not read by a client, and the registry behind a link is', async () => {
    const bench = await workbench();
    const link = join(bench.base, 'link');
    symlinkSync(bench.folder, link);
    const transport = folderTransport(link);
    expect(await versionsSeen(consumerOf(bench, { transport }), 'acme')).toHaveLength(1);
    linked(bench, 'metadata');
    await expect(versionsSeen(consumerOf(bench), 'acme')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('is not written through', async () => {
    const bench = await workbench();
    const elsewhere = linked(bench, 'proofs');
    const before = readdirSync(elsewhere, { recursive: true });
    await expect(bench.publish('acme/weather', '1.1.0')).rejects.toMatchObject({ code: 'state_unusable' });
    expect(readdirSync(elsewhere, { recursive: true })).toEqual(before);
    rmSync(join(bench.folder, 'proofs'));
    renameSync(elsewhere, join(bench.folder, 'proofs'));
    expect(existsSync(join(bench.folder, '.pending/commit'))).toBe(false);
    expect(await versionsSeen(consumerOf(bench), 'acme')).toEqual(['acme/weather@1.0.0']);
    expect(await bench.publish('acme/weather', '1.1.0')).toBe('published');
  });
});

describe('a copy that is not complete', () => {
  const removals = ['metadata/timestamp.json', 'metadata', 'targets', 'log/tile', 'proofs'];

  test.each(removals)('without %s is neither mirrored nor served nor used', async (path) => {
    const bench = await workbench();
    const half = join(bench.base, 'half');
    cpSync(bench.folder, half, { recursive: true });
    const copyTo = (name: string) =>
      mirrorRegistry({
        ...{ from: folderTransport(half), root: bench.firstRoot, now: bench.clock.now },
        to: new RegistryRepository({
          ...{ folder: join(bench.base, name), lockFolder: join(bench.base, `${name}.lock`) },
          ...{ now: () => bench.clock.now, durable: false },
        }),
      });
    // The control: the whole copy can be mirrored.
    expect((await copyTo('whole')).releases).toBe(1);
    rmSync(join(half, path), { recursive: true });
    await expect(copyTo('part')).rejects.toMatchObject({ code: 'integrity' });
    expect(existsSync(join(bench.base, 'part/metadata'))).toBe(false);
    const client = consumerOf(bench, { transport: folderTransport(half) });
    const use = async () => {
      const state = await client.update();
      const [found] = (await client.namespace(state, 'acme')) ?? [];
      if (found !== undefined) await client.fetch(state, found.release, join(bench.base, 'archive'));
    };
    await expect(use()).rejects.toMatchObject({ code: 'integrity' });
    if (!path.startsWith('metadata')) return;
    const parts = openRegistryServerParts({
      ...{ folder: half, data: join(bench.base, 'data'), formats: [], online: undefined },
      now: () => bench.clock.now,
    });
    await expect(parts).rejects.toMatchObject({ code: path === 'metadata' ? 'not_found' : 'integrity' });
  });
});

test('a copy that was killed leaves nothing once the next one is made', async () => {
  const bench = await workbench();
  const folder = join(bench.base, 'copy');
  mkdirSync(join(folder, '.mirror-killed'), { recursive: true });
  writeFileSync(join(folder, '.mirror-killed/0'), 'half of an archive');
  const report = await mirrorRegistry({
    ...{ from: folderTransport(bench.folder), root: bench.firstRoot, now: bench.clock.now },
    to: new RegistryRepository({
      ...{ folder, lockFolder: join(bench.base, 'copy.lock'), now: () => bench.clock.now, durable: false },
    }),
  });
  expect(report.releases).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(['log', 'metadata', 'proofs', 'targets']);
});

describe('another root', () => {
  test('in the configuration stops a client that trusted the first one, instead of being ignored', async () => {
    const bench = await workbench();
    const as = (root: Parameters<typeof consumerOf>[1]) => consumerOf(bench, { memory: 'one', ...root });
    const fingerprint = sha256(bench.firstRoot);
    expect(await versionsSeen(as({ root: { fingerprint } }), 'acme')).toHaveLength(1);
    const other = await workbench();
    const roots = [{ fingerprint: sha256(other.firstRoot) }, { file: other.firstRoot }];
    for (const root of roots) {
      await expect(as({ root }).update()).rejects.toThrow(/names another root for the registry test/);
      // Also with the registry of that root.
      const transport = folderTransport(other.folder);
      await expect(as({ root, transport }).update()).rejects.toThrow(/delete .*registry\.db|another root/);
    }
    // The control: the same root in the other form, and the newest root of the same registry.
    expect(await versionsSeen(as({ root: { file: bench.firstRoot } }), 'acme')).toHaveLength(1);
    expect(await versionsSeen(as({ root: { fingerprint } }), 'acme')).toHaveLength(1);
  });

  test('at the place of a registry that was trusted is rejected, also with the same name', async () => {
    const bench = await workbench();
    const client = consumerOf(bench);
    expect(await versionsSeen(client, 'acme')).toHaveLength(1);
    const twin = await workbench();
    await twin.publish('acme/weather', '6.6.6');
    rmSync(bench.folder, { recursive: true });
    cpSync(twin.folder, bench.folder, { recursive: true });
    const before = client.head?.note;
    await expect(versionsSeen(client, 'acme')).rejects.toMatchObject({ code: 'integrity' });
    expect(client.head?.note).toBe(before);
  });
});
