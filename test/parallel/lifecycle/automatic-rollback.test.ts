// An update whose programs never start: the host goes back by itself. A tool that fails is another matter.
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, createHost, type Host, type Session } from '../../../src/index.js';
import { counterPackage, passingSmoke, serverPackageWith } from '../../support/lifecycle-packages.js';
import { until } from '../../support/toolwharf.js';
import { type Files, inputOf, talos, toolspace, type Workbench, workbench } from '../../support/workbench.js';

const by = 'operator';
let bench: Workbench;
let again: Host | undefined;
afterEach(async () => {
  await again?.close();
  again = undefined;
  await bench.close();
});

const supervision = { backoffMs: 20, maxBackoffMs: 20, maxRestarts: 100, autoRestart: false };

async function install(session: Session, id: string, more: { readonly save?: boolean } = {}) {
  const source = join(bench.packages, id);
  const { digest } = await session.installations.plan({ source });
  return session.installations.install({ source, agree: digest, by, skipSmoke: true, ...more });
}

/** Installs one version and updates it to another one. */
async function updated(id: string, good: Files, bad: Files) {
  bench = await workbench(good, { supervision });
  const session = await bench.session({ directories: [], accept: null });
  if (id === 'shell') chmodSync(join(bench.packages, 'shell/run'), 0o755);
  await install(session, id);
  bench.write(bad);
  await install(session, id);
  return session;
}

/** Calls until the answer is a good one. Returns the failures before it. */
async function failuresOf(session: Session, tool: string): Promise<Answer[]> {
  const failures: Answer[] = [];
  await until(async () => {
    const answer = await session.call({ tool, arguments: {} });
    if (answer.status !== 'ok') failures.push(answer);
    return answer.status === 'ok';
  });
  return failures;
}

const current = async (session: Session) => (await session.installations.list())[0]?.current;

const shell = (run: string): Files => ({
  'shell/toolspace.json': toolspace({
    id: 'shell',
    command: ['./run'],
    actions: [
      {
        name: 'go',
        invocation: { kind: 'subcommand', argv_template: ['go'] },
        input: inputOf({}),
        output: { format: 'json' },
      },
    ],
  }),
  'shell/run': run,
});
const server = { kind: 'mcp-tool-call', tool_name: 'go', arguments: {}, success: {} };

describe('an update that never starts', () => {
  const cases: readonly (readonly [string, string, string, Files, Files])[] = [
    ['a program of one call', 'shell', 'shell/go', shell('#!/bin/sh\necho "{}"\n'), shell('\x7fELF')],
    [
      'a kept process',
      'fun',
      'fun/go',
      talos({ id: 'fun', functions: ['go'], code: 'export const go = () => ({});' }),
      talos({ id: 'fun', functions: ['go'], code: "import './missing.mjs'; export const go = () => ({});" }),
    ],
    [
      'an MCP server',
      'desk',
      'desk/go',
      serverPackageWith({ smoke: server }),
      { ...serverPackageWith({ smoke: server, version: '1.1.0' }), 'desk/server.mjs': 'process.exit(3);' },
    ],
  ];
  test.each(cases)('is rolled back by the host: %s', async (_, id, tool, good, bad) => {
    const session = await updated(id, good, bad);
    let changes = 0;
    session.onChange(() => changes++);
    const failures = await failuresOf(session, tool);
    expect(await current(session)).toBe(1);
    expect(changes).toBeGreaterThan(0);
    expect(JSON.stringify(failures)).toContain('the host went back to generation 1 (1.0.0)');
    const [entry] = await session.installations.history(id);
    expect(entry).toMatchObject({ generation: 2, isCurrent: false, trial: { state: 'failed', failures: 3 } });
    const { packages } = await session.packages();
    expect(packages[0]?.reasons.join()).toContain('rolled back by the host');
    const tail = JSON.stringify(await bench.host.auditTail(30));
    expect(tail).toMatch(/"by":"host","from":2,"operation":"rollback"/);
    // The same content again: somebody must agree to exactly that.
    const plan = await session.installations.plan({ source: join(bench.packages, id) });
    expect(plan.changes?.breaking[0]).toContain('it failed last time: generation 2');
    expect(bench.bugs).toEqual([]);
  });

  test('is counted over restarts, and the host does not go back to a generation that failed', async () => {
    const good = shell('#!/bin/sh\necho "{}"\n');
    const session = await updated('shell', good, shell('\x7fELF'));
    await session.call({ tool: 'shell/go', arguments: {} });
    await session.call({ tool: 'shell/go', arguments: {} });
    expect(await current(session)).toBe(2);
    await bench.host.close();
    again = await createHost({ state: join(bench.path, 'state') });
    const other = await again.session({ directories: [], accept: null, root: bench.root });
    await other.call({ tool: 'shell/go', arguments: {} });
    expect(await current(other)).toBe(1);
    // The digest that was agreed to before the failure is not enough any more.
    const [failed] = await other.installations.history('shell');
    bench.write(shell('\x7fELF of another machine'));
    await install(other, 'shell');
    for (let left = 3; left > 0; left--) await other.call({ tool: 'shell/go', arguments: {} });
    expect(await current(other)).toBe(1);
    expect(failed?.generation).toBe(2);
  });

  test('is rolled back also in a package that was removed and installed again', async () => {
    const good = shell('#!/bin/sh\necho "{}"\n');
    const other = shell('#!/bin/sh\necho "[]"\n');
    const session = await updated('shell', good, other);
    expect(await session.call({ tool: 'shell/go', arguments: {} })).toMatchObject({ status: 'ok' });
    await session.installations.remove({ package: 'shell', by });
    bench.write(good);
    await install(session, 'shell');
    bench.write(shell('\x7fELF'));
    await install(session, 'shell');
    expect(await current(session)).toBe(2);
    await failuresOf(session, 'shell/go');
    expect(await current(session)).toBe(1);
  });

  test('does not get grants back that it no longer has: a person decides', async () => {
    const server = { kind: 'mcp-tool-call', tool_name: 'go', arguments: {}, success: {} };
    bench = await workbench(serverPackageWith({ smoke: server }), { supervision });
    const session = await bench.session({ directories: [], accept: null });
    const source = join(bench.packages, 'desk');
    const allow = ['net:127.0.0.1:9'];
    const { digest } = await session.installations.plan({ source, allow });
    await session.installations.install({ source, allow, agree: digest, by, skipSmoke: true });
    bench.write({
      ...serverPackageWith({ smoke: server, version: '1.1.0' }),
      'desk/server.mjs': 'process.exit(3);',
    });
    await install(session, 'desk');
    const failures: Answer[] = [];
    await until(async () => {
      failures.push(await session.call({ tool: 'desk/go', arguments: {} }));
      return JSON.stringify(failures).includes('so a person decides');
    });
    expect(await current(session)).toBe(2);
    await session.installations.rollback({ package: 'desk', by });
    expect(await session.call({ tool: 'desk/go', arguments: {} })).toMatchObject({ status: 'ok' });
  });

  test('is not installed again with the agreement from before it failed', async () => {
    const good = shell('#!/bin/sh\necho "{}"\n');
    bench = await workbench(good, { supervision });
    const session = await bench.session({ directories: [], accept: null });
    chmodSync(join(bench.packages, 'shell/run'), 0o755);
    await install(session, 'shell');
    bench.write(shell('\x7fELF'));
    const source = join(bench.packages, 'shell');
    const { digest } = await session.installations.plan({ source });
    const request = { source, agree: digest, by, skipSmoke: true };
    await session.installations.install(request);
    await failuresOf(session, 'shell/go');
    await expect(session.installations.install(request)).rejects.toMatchObject({ code: 'integrity' });
  });

  test('stays in the lock file of a project until a person decides, and restoring it needs agreement again', async () => {
    bench = await workbench(shell('#!/bin/sh\necho "{}"\n'), { supervision });
    const root = bench.packages;
    const session = await bench.session({ directories: [], accept: null, root });
    const { installations } = session;
    chmodSync(join(root, 'shell/run'), 0o755);
    await install(session, 'shell', { save: true });
    const good = readFileSync(join(root, 'toolwharf.lock'), 'utf8');
    bench.write(shell('\x7fELF'));
    await install(session, 'shell', { save: true });
    const bad = readFileSync(join(root, 'toolwharf.lock'), 'utf8');
    expect(bad).not.toBe(good);
    const before = await installations.planRestore();
    await failuresOf(session, 'shell/go');
    expect(await current(session)).toBe(1);
    // Machines of other people may be able to start it.
    expect(readFileSync(join(root, 'toolwharf.lock'), 'utf8')).toBe(bad);
    const lockFiles = [{ file: join(root, 'toolwharf.lock'), isInstalled: false }];
    expect(await installations.why('shell')).toMatchObject({ generation: 1, lockFiles });
    expect(JSON.stringify(await bench.host.auditTail(30))).toContain('"otherInLockFiles":["/');
    // The agreement from before the failure is not enough.
    await expect(installations.restore({ agree: before.digest, by })).rejects.toMatchObject({
      code: 'integrity',
    });
    const { plans } = await installations.planRestore();
    expect(plans[0]?.changes?.breaking[0]).toContain('it failed last time: generation 2');
    // A person decides for the one that starts: the lock file says it, and nothing else changes.
    const change = await installations.rollback({ package: 'shell', generation: 1, by });
    expect(change.steps.map((it) => [it.name, it.status])).toEqual([
      ['switch', 'unchanged'],
      ['lock file', 'done'],
    ]);
    expect(readFileSync(join(root, 'toolwharf.lock'), 'utf8')).toBe(good);
    expect((await installations.planRestore()).unchanged).toMatchObject([{ package: 'shell' }]);
    await expect(installations.rollback({ package: 'shell', generation: 1, by })).rejects.toMatchObject({
      message: 'shell is at generation 1 already',
    });
  });
});

describe('the host does not go back', () => {
  const failing = "if sys.argv[1:] == ['count']: sys.exit('no paper')";
  const call = { tool: 'counter/count', arguments: { text: 'a' } };

  test('if the tool starts and fails', async () => {
    const session = await updated(
      'counter',
      counterPackage(),
      counterPackage({ version: '1.1.0', code: failing }),
    );
    for (let left = 4; left > 0; left--)
      expect(await session.call(call)).toMatchObject({ status: 'error', error: { code: 'tool_failed' } });
    expect(await current(session)).toBe(2);
  });

  test('after the first successful start, and not from a first installation', async () => {
    const session = await updated(
      'counter',
      counterPackage(),
      counterPackage({ version: '1.1.0', smoke: passingSmoke }),
    );
    expect((await session.installations.history('counter'))[0]?.trial).toMatchObject({ state: 'open' });
    expect(await session.call(call)).toMatchObject({ status: 'ok' });
    const history = await session.installations.history('counter');
    expect(history.map((it) => it.trial)).toEqual([undefined, undefined]);
  });
});
