// Signed files expire. The holders of the keys sign them again in time, and everybody sees when that is.
import { afterEach, expect, test } from 'vitest';
import { renewRemotely } from '../../../src/registry/publisher/remote-publication.js';
import { renewNamespace } from '../../../src/registry/repository/release-publishing.js';
import { dueFiles, renewRepository } from '../../../src/registry/repository/repository-renewal.js';
import { consumerOf, versionsSeen } from '../../support/registry-consumer.js';
import { recipe } from '../../support/registry-recipe.js';
import { RegistryServerBench } from '../../support/registry-server.js';
import { dayMs, RegistryWorkbench } from '../../support/registry-workbench.js';

const open: { close(): void | Promise<void> }[] = [];
afterEach(async () => {
  for (const it of open.splice(0)) await it.close();
});

async function workbench(): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  return bench;
}

const signersOf = ({ keys, clock }: RegistryWorkbench) => ({
  ...{ rootSigners: keys.root, targetsSigners: keys.targets },
  ...{ online: keys.online, now: clock.now },
});
const dueIn = async (bench: RegistryWorkbench) =>
  (await dueFiles(await bench.repository.view(), bench.clock.now)).map((it) => `${it.kind} ${it.name}`);

test('with all keys at hand a registry lives for years, and old clients follow', async () => {
  const bench = await workbench();
  const client = consumerOf(bench);
  await versionsSeen(client, 'acme');
  const signers = bench.publishers.get('acme') ?? [];
  for (let year = 0; year < 3; year++) {
    bench.clock.now += 200 * dayMs;
    expect((await dueIn(bench)).sort()).toEqual(['namespace acme', 'root root', 'targets targets']);
    const { renewed, due } = await renewRepository(bench.repository, signersOf(bench));
    expect(renewed).toEqual(['root', 'targets']);
    expect(due.map((it) => it.name)).toEqual(['acme']);
    await renewNamespace(bench.repository, 'acme', { online: bench.keys.online, signers });
    expect(await dueIn(bench)).toEqual([]);
    expect(await versionsSeen(client, 'acme')).toEqual(['acme/weather@1.0.0']);
  }
  // Control: nothing is signed again before it is due.
  expect((await renewRepository(bench.repository, signersOf(bench))).renewed).toEqual([]);
});

test('without the offline keys the online files are renewed, and what is due is named', async () => {
  const bench = await workbench();
  bench.clock.now += 200 * dayMs;
  const { online, now } = signersOf(bench);
  const few = { online, now, rootSigners: bench.keys.root.slice(0, 1), targetsSigners: [] };
  const { renewed, due } = await renewRepository(bench.repository, few);
  expect([renewed, due.map((it) => it.kind).sort()]).toEqual([[], ['namespace', 'root', 'targets']]);
  expect(await versionsSeen(consumerOf(bench), 'acme')).toHaveLength(1);
  bench.clock.now += 166 * dayMs;
  await renewRepository(bench.repository, { ...few, now: bench.clock.now });
  await expect(consumerOf(bench).update()).rejects.toThrow(/root file expired/);
});

test('an expired namespace is renewed by its publisher only, also at a server', async () => {
  const it = new RegistryServerBench();
  open.push(it);
  await it.open();
  await it.registry.approve('shop-hours');
  await it.publish('shop-hours', '1.0.0', recipe('shop-hours', '1.0.0'), it.token('shop-hours'));
  it.registry.clock.now += 364 * dayMs;
  await renewRepository(it.registry.repository, signersOf(it.registry));
  it.registry.clock.now += 2 * dayMs;
  const client = consumerOf(it.registry);
  await expect(versionsSeen(client, 'shop-hours')).rejects.toThrow(/file of the role ns-.* expired/);
  const options = async (signers = it.registry.publishers.get('shop-hours') ?? []) => ({
    connection: it.connection(
      it.services.tokens.create({
        name: `t${signers.length}`,
        role: 'publish',
        namespaces: ['shop-hours'],
        lifetimeMs: 60_000,
      }).token,
    ),
    view: await it.registry.repository.view(),
    ...{ signers, now: it.registry.clock.now },
  });
  await expect(renewRemotely('shop-hours', await options([]))).rejects.toMatchObject({ code: 'denied' });
  await renewRemotely('shop-hours', await options());
  expect(await versionsSeen(client, 'shop-hours')).toEqual(['shop-hours@1.0.0']);
});
