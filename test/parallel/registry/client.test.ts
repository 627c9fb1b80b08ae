import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import { newRegistrySigner } from '../../../src/registry/metadata/registry-key.js';
import { RegistryRepository } from '../../../src/registry/repository/registry-repository.js';
import { checkRepository } from '../../../src/registry/repository/repository-check.js';
import { mirrorRegistry } from '../../../src/registry/repository/repository-mirror.js';
import { rotateRoles } from '../../../src/registry/repository/role-rotation.js';
import { folderTransport } from '../../../src/registry/transport/folder-transport.js';
import { consumerOf, versionsSeen } from '../../support/registry-consumer.js';
import { dayMs, newLogKey, RegistryWorkbench } from '../../support/registry-workbench.js';
import { TufOracle } from '../../support/tuf-oracle.js';

const open: { close(): void }[] = [];
async function workbench(): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  return bench;
}
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

test('a client sees new releases, and gets the archive of one', async () => {
  const bench = await workbench();
  const client = consumerOf(bench);
  expect(await versionsSeen(client, 'acme')).toEqual(['acme/weather@1.0.0']);
  await bench.publish('acme/weather', '1.1.0');
  await bench.approve('flat');
  await bench.publish('flat', '2.0.0');
  expect(await versionsSeen(client, 'acme')).toEqual(['acme/weather@1.0.0', 'acme/weather@1.1.0']);
  expect(await versionsSeen(client, 'flat')).toEqual(['flat@2.0.0']);
  expect(await versionsSeen(client, 'nobody')).toBeUndefined();
  const state = await client.update();
  for (const { release } of (await client.namespace(state, 'acme')) ?? []) {
    const target = join(bench.base, release.version);
    await client.fetch(state, release, target);
    expect(sha256(readFileSync(target))).toBe(release.bundle.sha256);
  }
});

test('a client needs the right fingerprint of the root', async () => {
  const bench = await workbench();
  const fingerprint = sha256(bench.firstRoot);
  expect(await versionsSeen(consumerOf(bench, { root: { fingerprint } }), 'acme')).toHaveLength(1);
  const wrong = consumerOf(bench, { root: { fingerprint: sha256('other') } });
  await expect(wrong.update()).rejects.toMatchObject({ code: 'integrity' });
});

test('an expired copy is used only if the operator accepts it, and says so', async () => {
  const bench = await workbench();
  bench.clock.now += 31 * dayMs;
  await expect(consumerOf(bench).update()).rejects.toThrow(/too old/);
  const { expired } = await consumerOf(bench, { acceptExpired: true }).update();
  expect(expired.join()).toMatch(/the timestamp file expired at 2026-12-18/);
  await bench.repository.change(bench.keys.online, async () => {});
  expect((await consumerOf(bench).update()).expired).toEqual([]);
});

describe('the rotation of', () => {
  for (const role of ['root', 'targets', 'snapshot', 'timestamp', 'index', 'quarantine', 'log'] as const)
    test(`the keys of ${role} is followed by clients, old and new, and by another TUF client`, async () => {
      const bench = await workbench();
      const client = consumerOf(bench);
      await client.update();
      const next = {
        signers: [newRegistrySigner(), newRegistrySigner()],
        threshold: role === 'root' ? 2 : 1,
      };
      const nextLog = newLogKey();
      await rotateRoles(bench.repository, {
        ...(role === 'log' ? { next: {}, nextLog } : { next: { [role]: next } }),
        rootSigners: bench.keys.root,
        targetsSigners: bench.keys.targets,
        online: bench.keys.online,
        now: bench.clock.now,
      });
      const { online } = bench.keys;
      bench.keys = {
        root: role === 'root' ? next.signers : bench.keys.root,
        targets: role === 'targets' ? next.signers : bench.keys.targets,
        online: { ...online, [role]: role === 'log' ? nextLog : next.signers },
      };
      await bench.approve('other');
      await bench.publish('other/tool', '1.0.0');
      await bench.publish('acme/weather', '1.1.0');
      for (const it of [client, consumerOf(bench)]) {
        expect(await versionsSeen(it, 'acme')).toEqual(['acme/weather@1.0.0', 'acme/weather@1.1.0']);
        expect(await versionsSeen(it, 'other')).toEqual(['other/tool@1.0.0']);
      }
      expect((await checkRepository(await bench.view())).problems).toEqual([]);
      const oracle = new TufOracle(bench.firstRoot);
      open.push(oracle);
      const [release] = (await (await bench.view()).namespace('other'))?.releases ?? [];
      expect(await oracle.read(bench.folder, release?.path ?? '')).toHaveLength(release?.bundle.length ?? 0);
    });
});

describe('the check of a registry', () => {
  test('finds nothing wrong with one that was used, and counts it', async () => {
    const bench = await workbench();
    await bench.yank('acme/weather', '1.0.0', 'wrong unit');
    const { problems, releases, namespaces, entries } = await checkRepository(await bench.view());
    expect({ problems, releases, namespaces, entries }).toEqual({
      problems: [],
      releases: 1,
      namespaces: 1,
      entries: 5,
    });
  });

  test('finds a bundle, a tile and a proof that were changed', async () => {
    const bench = await workbench();
    const view = await bench.view();
    const [release] = (await view.namespace('acme'))?.releases ?? [];
    const paths = [
      `targets/${release?.path.replace('1.0.0.tgz', '')}${release?.bundle.sha256}.1.0.0.tgz`,
      `proofs/${release?.path.replace('.tgz', '.tlog-proof')}`,
      `log/tile/0/000.p/${view.head.size}`,
      `log/tile/entries/000.p/${view.head.size}`,
      'log/checkpoint',
    ];
    for (const path of paths) {
      const file = join(bench.folder, path);
      const bytes = readFileSync(file);
      const changed = Buffer.from(bytes);
      changed[40] = (changed[40] as number) ^ 1;
      writeFileSync(file, changed);
      expect((await checkRepository(view)).problems, path).not.toEqual([]);
      writeFileSync(file, bytes);
    }
    expect((await checkRepository(view)).problems).toEqual([]);
  });
});

test('a mirror is a whole registry, follows the original, and is not made of a damaged one', async () => {
  const bench = await workbench();
  const folder = join(bench.base, 'mirror');
  const to = new RegistryRepository({
    folder,
    lockFolder: join(bench.base, 'mirror-lock'),
    now: () => bench.clock.now,
  });
  const mirror = () =>
    mirrorRegistry({ from: folderTransport(bench.folder), root: bench.firstRoot, to, now: bench.clock.now });
  expect(await mirror()).toMatchObject({ releases: 1 });
  const client = consumerOf(bench, { transport: folderTransport(folder) });
  expect(await versionsSeen(client, 'acme')).toEqual(['acme/weather@1.0.0']);
  await bench.publish('acme/weather', '1.1.0');
  await mirror();
  expect(await versionsSeen(client, 'acme')).toEqual(['acme/weather@1.0.0', 'acme/weather@1.1.0']);
  expect((await checkRepository(await to.view())).problems).toEqual([]);
  await bench.publish('acme/weather', '1.2.0');
  const { head } = await bench.view();
  writeFileSync(join(bench.folder, `log/tile/entries/000.p/${head.size}`), 'damaged');
  await expect(mirror()).rejects.toMatchObject({ code: 'integrity' });
  expect(await versionsSeen(client, 'acme')).toHaveLength(2);
});

test('a mirror does not go back to an older copy', async () => {
  const bench = await workbench();
  cpSync(bench.folder, join(bench.base, 'older'), { recursive: true });
  await bench.publish('acme/weather', '1.1.0');
  const folder = join(bench.base, 'mirror');
  const to = new RegistryRepository({
    folder,
    lockFolder: join(bench.base, 'mirror-lock'),
    now: () => bench.clock.now,
  });
  const from = (place: string) =>
    mirrorRegistry({ from: folderTransport(place), root: bench.firstRoot, to, now: bench.clock.now });
  await from(bench.folder);
  await expect(from(join(bench.base, 'older'))).rejects.toThrow(/went back|contradicts/);
  expect(existsSync(join(folder, 'metadata/timestamp.json'))).toBe(true);
});
