// A tag that was moved after it was saved in a lock file: the lock is restored exactly or not at all.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHost, type Host, type Session } from '../../../src/index.js';
import { git } from '../../support/git-server.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { type PackageOrigin, packageOrigin } from '../../support/package-origin.js';
import { temporaryFolder } from '../../support/toolwharf.js';
import { resultOf } from '../../support/workbench.js';

const by = 'operator';
let origin: PackageOrigin;
let folder: ReturnType<typeof temporaryFolder>;
let root: string;
const hosts: Host[] = [];

beforeAll(async () => {
  origin = await packageOrigin();
  folder = temporaryFolder({});
  root = join(folder.path, 'project');
  mkdirSync(root);
});
afterAll(async () => {
  for (const it of hosts) await it.close();
  await origin.close();
  folder.remove();
});

/** Another machine with the same project: nothing is installed and nothing is stored. */
async function machine(name: string): Promise<Session> {
  const host = await createHost({ state: join(folder.path, name) });
  hosts.push(host);
  return host.session({
    ...{ directories: [], accept: null, root, allow: [origin.grant] },
    policy: {
      ...{ caCertificates: origin.ca, indexes: origin.indexes },
      rules: [{ tool: '*', undeclaredEffect: 'write', origin: { kind: 'session' } }],
    },
  });
}

const files = (answer: string, version?: string) =>
  Object.fromEntries(
    Object.entries(counterPackage({ answer, ...(version === undefined ? {} : { version }) })).map(
      ([name, text]) => [name.replace('counter/', ''), text],
    ),
  );
const count = (session: Session) =>
  resultOf(session.call({ tool: 'counter/count', arguments: { text: 'a' } }));

async function save({ installations }: Session, source: string) {
  const { digest } = await installations.plan({ source });
  await installations.install({ source, agree: digest, save: true, by });
}

/** `source`: only that entry, as with `--locked`. */
async function restore({ installations }: Session, source?: string) {
  const plan = await installations.planRestore({ source });
  await installations.restore({ source, agree: plan.digest, by });
  return plan;
}

test.each([false, true])('a moved tag of git, restored with its source named: %s', async (isNamed) => {
  rmSync(join(root, 'toolwharf.lock'), { force: true });
  const repository = `tool-${isNamed}`;
  const source = `git+${origin.url}/git/${repository}.git#v1`;
  const first = origin.commit(repository, files('one'), 'v1');
  const mine = await machine(`mine-${isNamed}`);
  await save(mine, source);
  const second = origin.commit(repository, files('two'), 'v1');

  const other = await machine(`other-${isNamed}`);
  const { plans } = await restore(other, isNamed ? source : undefined);
  expect(plans[0]?.warnings.join()).toContain(`the lock has ${first}, now it is ${second}`);
  expect(await count(other)).toMatchObject({ answer: 'one' });

  const moved = `was moved: it was commit ${first}, now it is commit ${second}`;
  const [outdated] = await other.installations.outdated();
  expect(outdated).toMatchObject({ package: 'counter', moved: [expect.stringContaining(moved)] });
  const update = await other.installations.plan({ package: 'counter' });
  expect(update.changes?.breaking[0]).toContain(moved);

  // The author also deletes the old commit: nothing is installed instead of it.
  const served = join(origin.repositories, `${repository}.git`);
  git(served, 'reflog', 'expire', '--expire=now', '--all');
  git(served, 'update-ref', 'refs/heads/main', git(served, 'commit-tree', '-m', 'New', `${second}^{tree}`));
  git(served, 'update-ref', 'refs/tags/v1', 'refs/heads/main');
  git(served, 'gc', '--quiet', '--prune=now');
  const third = await machine(`third-${isNamed}`);
  await expect(restore(third)).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringMatching(new RegExp(`expected ${first}, found \\w{40}$`)),
  });
  expect(await third.installations.list()).toEqual([]);
});

test('a moved tag of an npm package', async () => {
  rmSync(join(root, 'toolwharf.lock'), { force: true });
  const publish = (version: string, answer: string) =>
    origin.npm({ name: 'counter-tool', version }, files(answer, version));
  publish('1.0.0', 'one');
  origin.tag('counter-tool', 'stable', '1.0.0');
  const mine = await machine('mine-npm');
  await save(mine, 'npm:counter-tool@stable');
  publish('1.1.0', 'two');
  expect(await mine.installations.outdated()).toEqual([]);
  origin.tag('counter-tool', 'stable', '1.1.0');

  const other = await machine('other-npm');
  const { plans } = await restore(other);
  expect(plans[0]?.warnings.join()).toContain('the lock has 1.0.0, now it is 1.1.0');
  expect(await count(other)).toMatchObject({ answer: 'one' });
  const [outdated] = await other.installations.outdated();
  expect(outdated?.moved).toEqual([expect.stringContaining('npm:counter-tool@stable was moved: it was ')]);
  const update = await other.installations.plan({ package: 'counter' });
  expect(update.changes?.breaking).toContainEqual(expect.stringContaining('@stable was moved'));

  origin.unpublish('counter-tool', '1.0.0');
  const third = await machine('third-npm');
  await expect(restore(third)).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringContaining('expected counter-tool@1.0.0, found 1.1.0 for stable'),
  });
});

test('a moved tag in the manifest of a package from npm', async () => {
  rmSync(join(root, 'toolwharf.lock'), { force: true });
  const code = counterPackage()['counter/counter.py'] ?? '';
  const install = { method: 'git', url: `${origin.url}/git/code.git`, ref: 'v1' };
  const manifest = counterPackage({ install })['counter/toolspace.json'] ?? '';
  const first = origin.commit('code', { 'counter.py': code }, 'v1');
  origin.npm({ name: 'counter-code', version: '1.0.0' }, { 'toolspace.json': manifest });
  const mine = await machine('mine-code');
  await save(mine, 'npm:counter-code@1.0.0');
  expect(await mine.installations.outdated()).toEqual([]);
  const second = origin.commit('code', { 'counter.py': `${code}\n` }, 'v1');
  expect(await mine.installations.outdated()).toMatchObject([
    { available: '1.0.0, with other dependencies', moved: [expect.stringContaining(`commit ${second}`)] },
  ]);
  const { plans } = await restore(await machine('other-code'));
  expect(plans[0]?.warnings.join()).toContain(`the lock has ${first}, now it is ${second}`);
  // The files of the lock are still here, as those of an earlier generation.
  const lock = readFileSync(join(root, 'toolwharf.lock'));
  const { digest } = await mine.installations.plan({ package: 'counter' });
  await mine.installations.install({ package: 'counter', agree: digest, by });
  writeFileSync(join(root, 'toolwharf.lock'), lock);
  await restore(mine);
  expect((await mine.installations.planRestore()).unchanged).toHaveLength(1);
});
