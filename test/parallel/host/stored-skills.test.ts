// The skills of a bundle that are stored in a bucket: the package needs to know the place, and then serves them.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findagent, type Workbench, workbench } from '../../support/workbench.js';

let bench: Workbench;

beforeEach(async () => {
  bench = await workbench({
    'tides/findagent.json': findagent('Tide Watcher', {
      kind: 'skills-bundle',
      skills: [{ id: 'springs', name: 'Spring tides', description: 'How to read a table.' }],
      skills_source: { kind: 'r2', key: 'bundles/tides.zip' },
    }),
  });
});

afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

const setBucket = (value: string) =>
  bench.host.secrets.set({
    package: 'tide-watcher',
    slot: 'skills_bucket',
    value,
    audience: { kind: 'manifest' },
    by: 'test',
  });

const stateOf = async (session: Awaited<ReturnType<Workbench['session']>>) => {
  const found = (await session.packages()).packages.find((it) => it.id === 'tide-watcher');
  return `${found?.state}: ${found?.reasons.join(' ')}`;
};

test('without a bucket the package needs setup, and the reason names the setting', async () => {
  const session = await bench.session();
  expect(await stateOf(session)).toMatch(
    /^needs-setup: .*skills_bucket.*toolwharf secret set tide-watcher skills_bucket/,
  );
  expect(await session.prompts()).toEqual([]);
});

test('a folder is a bucket, and the package is ready in the same session', async () => {
  const session = await bench.session();
  const folder = join(bench.path, 'bucket');
  mkdirSync(join(folder, 'bundles/tides/skills/springs'), { recursive: true });
  writeFileSync(join(folder, 'bundles/tides/skills/springs/SKILL.md'), 'Read it from the left.\u200b');
  await setBucket(folder);
  expect(await stateOf(session)).toBe('ready: ');
  // Hidden characters are removed, as from every text that a model reads.
  expect(await session.prompt('tide-watcher_springs', {})).toBe('Read it from the left.');
});

test('a link in the folder does not lead outside', async () => {
  const session = await bench.session();
  const folder = join(bench.path, 'bucket');
  mkdirSync(join(folder, 'bundles/tides'), { recursive: true });
  writeFileSync(join(bench.path, 'private.txt'), 'a private text');
  symlinkSync(join(bench.path, 'private.txt'), join(folder, 'bundles/tides/springs.md'));
  await setBucket(folder);
  await expect(session.prompt('tide-watcher_springs', {})).rejects.toMatchObject({ code: 'integrity' });
});

test('an S3-compatible address is a bucket; a private one needs a grant', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const found = request.url === '/skills/bundles/tides/springs/SKILL.md';
    response.writeHead(found ? 200 : 403).end(found ? 'Read it from the right.' : '<Error/>');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    await setBucket(`http://${host}/skills/`);
    const refused = await bench.session();
    await expect(refused.prompt('tide-watcher_springs', {})).rejects.toMatchObject({
      code: 'network_denied',
    });
    expect(asked).toEqual([]);
    const session = await bench.session({ allow: [`net:${host}`] });
    expect(await session.prompt('tide-watcher_springs', {})).toBe('Read it from the right.');
    expect(asked[0]).toBe('/skills/bundles/tides.zip/skills/springs/SKILL.md');
  } finally {
    server.close();
  }
});

test('a bucket without the file says what was looked for', async () => {
  const session = await bench.session();
  await setBucket(bench.path);
  await expect(session.prompt('tide-watcher_springs', {})).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('bundles/tides/skills/springs/SKILL.md'),
  });
});
