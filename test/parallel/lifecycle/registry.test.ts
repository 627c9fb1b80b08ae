// Two machines: a publisher with a registry in a folder, and a consumer that installs from it by name.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import { createHost, type Host, type Session, type SessionPolicy } from '../../../src/index.js';
import { parsePackageName } from '../../../src/registry/names/package-name.js';
import { quarantineRelease } from '../../../src/registry/repository/release-quarantine.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';
import { resultOf } from '../../support/workbench.js';

const by = 'operator';
const open: { close(): void | Promise<void> }[] = [];
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close();
});

async function registry(): Promise<RegistryWorkbench> {
  const bench = new RegistryWorkbench();
  open.push(bench);
  bench.clock.now = Date.now();
  await bench.create();
  await bench.approve('acme');
  return bench;
}

/** The files of a package, without the folder around them. */
function counter(version: string, answer: string): Record<string, string> {
  // A release replaces the manifest that the workbench writes.
  const files = Object.entries(counterPackage({ version, answer }));
  return { ...Object.fromEntries(files.map(([name, text]) => [name.replace('counter/', ''), text])) };
}

async function machine(
  bench: RegistryWorkbench,
  name: string,
  policy: Partial<SessionPolicy> = {},
): Promise<Session> {
  const root = join(bench.base, `${name}-project`);
  mkdirSync(root, { recursive: true });
  const host: Host = await createHost({ state: join(bench.base, name) });
  open.push(host);
  return host.session({
    ...{ directories: [], accept: null, root, allow: [] },
    policy: {
      registries: [{ name: 'main', path: bench.folder, root: sha256(bench.firstRoot) }],
      rules: [{ tool: '*', undeclaredEffect: 'write', origin: { kind: 'session' } }],
      ...policy,
    },
  });
}

const count = (session: Session) =>
  resultOf(session.call({ tool: 'counter/count', arguments: { text: 'a' } }));

test('a package is installed by its name, updated, and told about a yank; another version is chosen by its range', async () => {
  const bench = await registry();
  await bench.publish('acme/counter', '1.0.0', counter('1.0.0', 'one'));
  const session = await machine(bench, 'consumer');
  const { installations } = session;
  const source = 'registry:acme/counter';
  const plan = await installations.plan({ source });
  expect(plan).toMatchObject({ package: { id: 'counter', version: '1.0.0' } });
  await installations.install({ source, agree: plan.digest, by });
  expect(await count(session)).toMatchObject({ answer: 'one' });
  expect(await installations.outdated()).toEqual([]);

  await bench.publish('acme/counter', '1.1.0', counter('1.1.0', 'two'));
  expect(await installations.outdated()).toMatchObject([
    { package: 'counter', available: 'acme/counter 1.1.0' },
  ]);
  const update = await installations.plan({ package: 'counter' });
  await installations.install({ package: 'counter', agree: update.digest, by });
  expect(await count(session)).toMatchObject({ answer: 'two' });

  await bench.yank('acme/counter', '1.1.0', 'wrong answer');
  expect(await installations.outdated()).toMatchObject([
    { package: 'counter', available: 'acme/counter 1.0.0' },
  ]);
  await expect(installations.plan({ source: `${source}@1.1.0` })).rejects.toThrow(
    /was withdrawn by its publisher: wrong answer/,
  );
});

test('a copied folder without a server restores a lock file, with a note about a version that was withdrawn', async () => {
  const bench = await registry();
  await bench.publish('acme/counter', '1.0.0', counter('1.0.0', 'one'));
  const source = 'registry:acme/counter@^1';
  const first = await machine(bench, 'first');
  const plan = await first.installations.plan({ source });
  await first.installations.install({ source, agree: plan.digest, save: true, by });
  await bench.yank('acme/counter', '1.0.0', 'wrong answer');

  const host = await createHost({ state: join(bench.base, 'second') });
  open.push(host);
  const second = await host.session({
    ...{ directories: [], accept: null, root: join(bench.base, 'first-project'), allow: [] },
    policy: { registries: [{ name: 'other-name', path: bench.folder, root: sha256(bench.firstRoot) }] },
  });
  const restore = await second.installations.planRestore({});
  expect(restore.plans[0]?.warnings.join()).toContain(
    'the publisher withdrew acme/counter 1.0.0: wrong answer',
  );
  await second.installations.restore({ agree: restore.digest, by });
  expect(await second.installations.list()).toMatchObject([{ package: 'counter', version: '1.0.0' }]);
});

test('a version under quarantine is not planned, and a lock file that names it is not restored', async () => {
  const bench = await registry();
  await bench.publish('acme/counter', '1.0.0', counter('1.0.0', 'one'));
  const first = await machine(bench, 'first');
  const source = 'registry:acme/counter';
  const plan = await first.installations.plan({ source });
  await first.installations.install({ source, agree: plan.digest, save: true, by });
  await bench.repository.change(bench.keys.online, (change) =>
    quarantineRelease(change, {
      name: parsePackageName('acme/counter'),
      version: '1.0.0',
      reason: 'sends files away',
    }),
  );
  const warning = /warns about acme\/counter 1.0.0: sends files away/;
  await expect(first.installations.plan({ source })).rejects.toThrow(warning);
  expect(await first.installations.outdated()).toMatchObject([
    { package: 'counter', problem: expect.stringMatching(warning) },
  ]);
  rmSync(join(bench.base, 'second'), { recursive: true, force: true });
  const host = await createHost({ state: join(bench.base, 'second') });
  open.push(host);
  const second = await host.session({
    ...{ directories: [], accept: null, root: join(bench.base, 'first-project'), allow: [] },
    policy: { registries: [{ name: 'main', path: bench.folder, root: sha256(bench.firstRoot) }] },
  });
  await expect(second.installations.planRestore({})).rejects.toThrow(warning);
});

test('without a registry, or with a root of another one, nothing is found', async () => {
  const bench = await registry();
  await bench.publish('acme/counter', '1.0.0', counter('1.0.0', 'one'));
  const source = 'registry:acme/counter';
  const none = await machine(bench, 'none', { registries: [] });
  await expect(none.installations.plan({ source })).rejects.toThrow(/no registry is configured/);
  const root = join(bench.base, 'other-root.json');
  const other = await registry();
  writeFileSync(root, other.firstRoot);
  const wrong = await machine(bench, 'wrong', { registries: [{ name: 'main', path: bench.folder, root }] });
  await expect(wrong.installations.plan({ source })).rejects.toMatchObject({ code: 'integrity' });
});
