// What ranges, tags and version hints mean is decided once, shown, and locked.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { InstallationRows } from '../../../src/store/installations.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { type PackageOrigin, packageOrigin } from '../../support/package-origin.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import { findagent, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
let bench: Workbench;
let origin: PackageOrigin;
let session: Session;

beforeAll(async () => {
  origin = await packageOrigin();
  bench = await workbench({});
  session = await bench.session({
    ...{ directories: [], accept: null, allow: [origin.grant] },
    policy: { caCertificates: origin.ca, indexes: origin.indexes },
  });
});
afterAll(async () => {
  await bench.close();
  await origin.close();
});

async function install(source: string) {
  const plan = await session.installations.plan({ source });
  await session.installations.install({ source, agree: plan.digest, by });
  return plan;
}

const codeBundle = (runtime: JsonObject, code: string) => {
  const { system_prompt: _, ...manifest } = JSON.parse(
    findagent('Version desk', {
      ...{ kind: 'code-bundle', version: '1.0.0', runtime },
      entrypoint: { path: runtime.kind === 'node' ? 'main.mjs' : 'main.py' },
      tools: [{ name: 'ask', description: 'Ask.', input_schema: { type: 'object', properties: {} } }],
    }),
  );
  return {
    'version-desk/findagent.json': JSON.stringify(manifest),
    [`version-desk/main.${runtime.kind === 'node' ? 'mjs' : 'py'}`]: code,
  };
};
const python = 'import sys\ndef handler(call):\n    return {"minor": sys.version_info.minor}\n';

test('a tag that was moved needs agreement, and a branch does not', async () => {
  const files = (answer: string) => {
    const made = counterPackage({ answer });
    return Object.fromEntries(
      Object.entries(made).map(([name, text]) => [name.replace('counter/', ''), text]),
    );
  };
  const first = origin.commit('tool', files('one'), 'v1');
  for (const revision of ['v1', 'main']) {
    await install(`git+${origin.url}/git/tool.git#${revision}`);
    const second = origin.commit('tool', files(`two of ${revision}`), 'v1');
    const plan = await session.installations.plan({ package: 'counter' });
    const moved = expect.stringMatching(/^the tag of .* was moved: it was commit \w{40}, now it is commit/);
    expect(plan.changes?.breaking).toEqual(revision === 'v1' ? [moved] : []);
    if (revision === 'v1')
      expect(plan.changes?.breaking[0]).toContain(`${first}, now it is commit ${second}`);
    await session.installations.remove({ package: 'counter', by });
  }
});

test('a tag in a manifest that was moved is reported', async () => {
  const code = counterPackage()['counter/counter.py'] ?? '';
  const install_ = { method: 'git', url: `${origin.url}/git/code.git`, ref: 'v1' };
  bench.write({
    'counter/toolspace.json': counterPackage({ install: install_ })['counter/toolspace.json'] ?? '',
  });
  origin.commit('code', { 'counter.py': code }, 'v1');
  await install(join(bench.packages, 'counter'));
  origin.commit('code', { 'counter.py': `${code}\n` }, 'v1');
  const { changes } = await session.installations.plan({ package: 'counter' });
  expect(changes?.breaking).toEqual([expect.stringContaining('code.git#v1 was moved: it was commit ')]);
  await session.installations.remove({ package: 'counter', by });
});

test('a withdrawn version is not chosen for a range; an installed one is outdated', async () => {
  const code = (answer: string) => counterPackage({ answer })['counter/counter.py'] ?? '';
  const wanted = { method: 'pip', package: 'counter-range', version_spec: '>=1,<2' };
  const { 'counter/toolspace.json': manifest = '' } = counterPackage({ install: wanted });
  bench.write({ 'counter/toolspace.json': manifest });
  rmSync(join(bench.packages, 'counter', 'counter.py'), { force: true });
  const count = () => resultOf(session.call({ tool: 'counter/count', arguments: { text: 'a' } }));
  for (const [version, answer] of [
    ['1.0.0', 'one'],
    ['1.1.0', 'two'],
    ['1.2.0', 'three'],
  ] as const)
    origin.python('counter-range', version, '', { 'counter.py': code(answer) });
  origin.withdraw('counter-range', '1.2.0', 'wrong sums');
  const plan = await install(join(bench.packages, 'counter'));
  expect(plan.dependencies).toEqual(['counter-range 1.1.0 (pip)']);
  expect(await count()).toMatchObject({ answer: 'two' });
  expect(await session.installations.outdated()).toEqual([]);

  origin.withdraw('counter-range', '1.1.0', 'wrong sums too');
  expect(await session.installations.outdated()).toMatchObject([{ package: 'counter' }]);
  const update = await session.installations.plan({ package: 'counter' });
  expect(update.dependencies).toEqual(['counter-range 1.0.0 (pip)']);
  expect(await count()).toMatchObject({ answer: 'two' });
  await session.installations.remove({ package: 'counter', by });

  // Nothing is left of the range.
  origin.withdraw('counter-range', '1.0.0', 'no more');
  await expect(session.installations.plan({ source: join(bench.packages, 'counter') })).rejects.toMatchObject(
    {
      code: 'not_found',
      message: expect.stringContaining('wrong sums'),
    },
  );
});

test('a version hint becomes an interpreter of this machine, which the lock names', async () => {
  bench.write(codeBundle({ kind: 'python', version: '>=3.9' }, python));
  const plan = await install(join(bench.packages, 'version-desk'));
  const [, version = ''] = /^python (3\.\d+) \(it asks for >=3\.9\)$/.exec(plan.runtimes.join()) ?? [];
  expect(plan.programs).toEqual([`code: python ${version} main.py`]);
  const answer = await resultOf(session.call({ tool: 'version-desk/ask', arguments: {} }));
  expect(answer).toEqual({ minor: Number(version.slice(2)) });
  const database = openDatabase(join(bench.path, 'state'));
  const generation = await new InstallationRows(database, Date.now).generation('version-desk', 1);
  await database.destroy();
  expect(generation?.lock).toEqual({ runtimes: { python: version } });
  await session.installations.remove({ package: 'version-desk', by });

  bench.write(
    codeBundle({ kind: 'node', version: '>=20' }, 'export const handler = () => process.version;\n'),
  );
  const onNode = await install(join(bench.packages, 'version-desk'));
  expect(onNode.runtimes).toEqual([`node ${process.versions.node} (it asks for >=20)`]);
  expect(await resultOf(session.call({ tool: 'version-desk/ask', arguments: {} }))).toBe(process.version);
  await session.installations.remove({ package: 'version-desk', by });
});

test('a hint that no interpreter of this machine fits prevents the installation, which says what is there', async () => {
  const folder = temporaryFolder();
  for (const [kind, version, there] of [
    ['python', '>=3.38', /but this machine has 3\.\d+/],
    ['python', '3.11.99', /but this machine has (?:3\.\d+\.\d+(?:, |$))+/],
    ['node', '99', new RegExp(`but this machine has ${process.versions.node.replaceAll('.', '\\.')}`)],
  ] as const) {
    bench.write(
      codeBundle({ kind, version }, kind === 'node' ? 'export const handler = () => 1;\n' : python),
    );
    const source = join(bench.packages, 'version-desk');
    const plan = await session.installations.plan({ source });
    expect(plan.blockers).toEqual([expect.stringContaining(`it requires ${kind} ${version}, `)]);
    expect(plan.blockers.join()).toMatch(there);
    await expect(session.installations.install({ source, agree: plan.digest, by })).rejects.toMatchObject({
      code: 'runtime_missing',
    });
    const env = { HOME: folder.path, TOOLWHARF_HOME: join(folder.path, 'state') };
    for (const args of [
      ['plan', source],
      ['install', source, '--yes'],
    ])
      expect(await toolwharf(args, { cwd: folder.path, env }), args.join(' ')).toMatchObject({ code: 7 });
    // Control: the same files at a path run with the nearest version, which the reasons name.
    if (version !== '>=3.38') continue;
    const linked = await bench.session({ directories: [source] });
    expect(await linked.call({ tool: 'version-desk/ask', arguments: {} })).toMatchObject({ status: 'ok' });
  }
  folder.remove();
}, 60_000);
