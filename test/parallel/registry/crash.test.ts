// A writer that is killed: the registry is in the old or the new state, and the next writer goes on.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { newRegistrySigner } from '../../../src/registry/metadata/registry-key.js';
import { approveNamespace } from '../../../src/registry/repository/namespace-approval.js';
import { finishPending, publishFiles } from '../../../src/registry/repository/pending-files.js';
import { RegistryRepository } from '../../../src/registry/repository/registry-repository.js';
import { RepositoryChange } from '../../../src/registry/repository/repository-change.js';
import { checkRepository } from '../../../src/registry/repository/repository-check.js';
import { consumerOf, versionsSeen } from '../../support/registry-consumer.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';

const open: RegistryWorkbench[] = [];
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

async function workbench(): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  return bench;
}

test('after every single step of a change, a client sees the old or the new state, and the next writer finishes it', async () => {
  const bench = await workbench();
  const client = consumerOf(bench);
  expect(await versionsSeen(client, 'acme')).toHaveLength(1);
  const change = new RepositoryChange(await bench.repository.view(), {
    signers: bench.keys.online,
    now: bench.clock.now,
  });
  await approveNamespace(change, {
    ...{ namespace: 'other', keys: [newRegistrySigner().key], threshold: 1 },
    targetsSigners: bench.keys.targets,
  });
  const files = await change.files();
  const order = [...files.keys()];
  const before = join(bench.base, 'before');
  cpSync(bench.folder, before, { recursive: true });
  const states = new Set<string>();
  for (let steps = 0; steps <= order.length; steps++) {
    rmSync(bench.folder, { recursive: true });
    cpSync(before, bench.folder, { recursive: true });
    // What `publishFiles` leaves if it is killed after so many moves.
    const commit = join(bench.folder, '.pending/commit');
    mkdirSync(commit, { recursive: true });
    for (const [number, content] of [...files.values()].entries())
      writeFileSync(join(commit, String(number)), content as Uint8Array);
    writeFileSync(join(commit, 'order'), order.join('\n'));
    for (let number = 0; number < steps; number++) {
      const target = join(bench.folder, order[number] as string);
      mkdirSync(dirname(target), { recursive: true });
      renameSync(join(commit, String(number)), target);
    }
    const seen = await consumerOf(bench, { memory: `step-${steps}` }).update();
    states.add((await seen.view.namespace('other')) === undefined ? 'old' : 'new');
    expect(await finishPending(bench.folder, { durable: false })).toBe(true);
    expect(await (await bench.view()).namespace('other')).toBeDefined();
    expect((await checkRepository(await bench.view())).problems).toEqual([]);
    expect(existsSync(join(bench.folder, '.pending'))).toBe(false);
  }
  expect([...states]).toEqual(['old', 'new']);
});

test('a change that was not decided is forgotten', async () => {
  const bench = await workbench();
  const draft = join(bench.folder, '.pending/draft');
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, '0'), 'half of a file');
  const timestamp = readFileSync(join(bench.folder, 'metadata/timestamp.json'), 'utf8');
  expect(await finishPending(bench.folder)).toBe(false);
  expect(readFileSync(join(bench.folder, 'metadata/timestamp.json'), 'utf8')).toBe(timestamp);
  expect(await bench.publish('acme/weather', '1.1.0')).toBe('published');
});

test('a path that leads outside is never published, not even from a file that was left behind', async () => {
  const bench = await workbench();
  await expect(publishFiles(bench.folder, new Map([['../outside', Buffer.from('x')]]))).rejects.toThrow(
    /not a path/,
  );
  const commit = join(bench.folder, '.pending/commit');
  rmSync(join(bench.folder, '.pending'), { recursive: true, force: true });
  mkdirSync(commit, { recursive: true });
  writeFileSync(join(commit, '0'), 'x');
  writeFileSync(join(commit, 'order'), '../outside');
  await expect(finishPending(bench.folder)).rejects.toThrow(/not a path/);
  expect(readdirSync(bench.base)).not.toContain('outside');
});

test('two writers do not work at the same time: one waits for the other, and says so if it takes long', async () => {
  const bench = await workbench();
  const impatient = new RegistryRepository({
    ...{ folder: bench.folder, lockFolder: join(bench.base, 'lock'), now: () => bench.clock.now },
    lockWaitMs: 0,
  });
  let waiting: Promise<string> | undefined;
  await bench.repository.exclusive(async () => {
    waiting = bench.publish('acme/weather', '1.1.0');
    await expect(impatient.exclusive(async () => {})).rejects.toThrow(/another process is changing/);
    expect(await versionsSeen(consumerOf(bench), 'acme')).toEqual(['acme/weather@1.0.0']);
  });
  expect(await waiting).toBe('published');
  await impatient.exclusive(async () => {});
});

test('publishers who work at the same time all publish, and a namespace belongs to the first who was approved', async () => {
  const bench = await workbench();
  await bench.approve('other');
  const names = ['acme/one', 'acme/two', 'other/one', 'acme/three'];
  expect(await Promise.all(names.map((it) => bench.publish(it, '1.0.0')))).toEqual(
    names.map(() => 'published'),
  );
  const [first, second] = await Promise.allSettled([bench.approve('claimed'), bench.approve('claimed')]);
  expect([first?.status, second?.status].sort()).toEqual(['fulfilled', 'rejected']);
  expect((await (await bench.view()).namespace('claimed'))?.delegation.keyids).toHaveLength(1);
  const twins = await Promise.allSettled([bench.approve('twin-a'), bench.approve('twin_a')]);
  expect(twins.map((it) => it.status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await checkRepository(await bench.view())).problems).toEqual([]);
});

test('old versions of files are removed after some changes, and a client that was slow still updates', async () => {
  const bench = await workbench();
  const client = consumerOf(bench);
  await client.update();
  for (let number = 1; number <= 12; number++) await bench.publish('acme/weather', `1.${number}.0`);
  const names = readdirSync(join(bench.folder, 'metadata'));
  expect(names.filter((it) => it.endsWith('.snapshot.json')).length).toBeLessThan(10);
  expect(readdirSync(join(bench.folder, 'targets/index')).length).toBeLessThan(11);
  expect(readdirSync(join(bench.folder, 'log/tile/0/000.p')).length).toBeLessThan(10);
  expect(await versionsSeen(client, 'acme')).toHaveLength(13);
  expect((await checkRepository(await bench.view())).problems).toEqual([]);
});
