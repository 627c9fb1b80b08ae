// A package that was broken when its path was named: the person who names the path again need not review it.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SessionOptions } from '../../../src/index.js';
import { patchTool, until } from '../../support/toolwharf.js';
import { failureOf, pythonTool, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const valid = patchTool({ name: 'count' });
const broken = valid.replace('version: "1.0.0"', 'version: one');

let bench: Workbench;
beforeEach(async () => {
  bench = await workbench({}, { watch: true });
  put('tools/other.py', patchTool({ name: 'other' }));
});
afterEach(async () => {
  await bench.close();
  expect(bench.bugs).toEqual([]);
});

/** In the workspace; everybody may write there, so that only the sandbox prevents it. */
function put(path: string, text: string): void {
  const full = join(bench.root, path);
  mkdirSync(dirname(full), { recursive: true });
  chmodSync(dirname(full), 0o777);
  writeFileSync(full, text);
  chmodSync(full, 0o666);
}

const path = (name: string) => join(bench.root, name);
const open = (name: string, more: Partial<SessionOptions> = {}) =>
  bench.host.session({ principal: 'me', directories: [path(name)], root: bench.root, ...more });

async function stateOf(name: string, more: Partial<SessionOptions> = {}) {
  const session = await open(name, more);
  const { packages } = await session.packages();
  await session.close();
  return packages.find((it) => it.path.endsWith('/count.py'));
}

test.each(['tools', 'tools/count.py'])(
  'naming %s again accepts the package once it is fixed',
  async (named) => {
    put('tools/count.py', broken);
    expect(await stateOf(named)).toMatchObject({ state: 'broken' });
    put('tools/count.py', valid);
    // Looking, and a session that accepts nothing, say what to do.
    for (const more of [{ intent: 'look' }, { accept: null }] as const)
      expect(await stateOf(named, more)).toMatchObject({
        state: 'needs-review',
        reasons: [expect.stringContaining('it was broken when its path was named'), expect.anything()],
      });
    expect(await stateOf(named)).toMatchObject({ state: 'ready' });
    const accepted = (await bench.host.auditTail(20)).filter((it) => it.body.operation === 'accept');
    expect(accepted).toMatchObject([{ body: { package: 'count', by: 'me', from: null } }]);
    // From now on it is like every other package.
    put('tools/count.py', valid.replace('filesystem: none', 'filesystem: read-only'));
    expect(await stateOf(named)).toMatchObject({ state: 'needs-review' });
  },
);

test('a named file that is no manifest yet counts as broken', async () => {
  put('tools/count.py', 'print("hello")\n');
  await open('tools/count.py');
  put('tools/count.py', valid);
  expect(await stateOf('tools/count.py')).toMatchObject({ state: 'ready' });
});

test('naming another path does not accept it', async () => {
  put('tools/count.py', broken);
  await stateOf('tools');
  put('tools/count.py', valid);
  put('elsewhere/third.py', patchTool({ name: 'third' }));
  const directories = [path('tools'), path('elsewhere')];
  expect(
    await stateOf('tools', { directories, accept: { in: [path('elsewhere')], by: 'me' } }),
  ).toMatchObject({
    state: 'needs-review',
  });
});

test('an open session does not accept a fixed package by itself; naming it elsewhere makes it ready there', async () => {
  put('tools/count.py', broken);
  const session = await open('tools');
  put('tools/count.py', valid);
  const state = async () =>
    (await session.packages()).packages.find((it) => it.path.endsWith('/count.py'))?.state;
  await until(async () => (await state()) === 'needs-review');
  expect(await stateOf('tools')).toMatchObject({ state: 'ready' });
  expect(await state()).toBe('ready');
});

test('a package that appears broken in a known folder and is fixed later needs review', async () => {
  await stateOf('tools');
  put('tools/count.py', broken);
  expect(await stateOf('tools')).toMatchObject({ state: 'broken' });
  put('tools/count.py', valid);
  expect(await stateOf('tools')).toMatchObject({
    state: 'needs-review',
    reasons: [expect.stringContaining('it appeared in its folder later'), expect.anything()],
  });
});

test('once a PIN is set, the fixed package needs it', async () => {
  put('tools/count.py', broken);
  await stateOf('tools');
  const pin = ['only', 'the', 'operator', '5'].join('-');
  await bench.host.operator.setPin(pin, 'me');
  put('tools/count.py', valid);
  await expect(open('tools')).rejects.toMatchObject({ code: 'pin_required' });
  expect(await stateOf('tools', { accept: null })).toMatchObject({ state: 'needs-review' });
  const accept = { in: [path('tools')], by: { name: 'me', channel: 'terminal', pin } } as const;
  expect(await stateOf('tools', { accept })).toMatchObject({ state: 'ready' });
});

test('a tool with the workspace cannot fix a broken package of it', async () => {
  bench.write({
    'runs.py': pythonTool({ name: 'runs', filesystem: 'read-write', body: ['exec(text)', 'return {}'] }),
  });
  const runs = await bench.session();
  const write = (file: string) =>
    runs.call({ tool: 'runs', arguments: { text: `open(${JSON.stringify(file)}, "w").write("x")` } });
  put('later/count.py', broken);
  // Control: before its folder is named, it can.
  await resultOf(write('later/count.py'));
  put('later/count.py', broken);
  // The workspace itself is named, so the folder as a whole is not hidden.
  await stateOf('.', { directories: [bench.root] });
  await failureOf(write('later/count.py'));
  expect(readFileSync(path('later/count.py'), 'utf8')).toBe(broken);
  await resultOf(write('free.txt'));
  expect(existsSync(path('free.txt'))).toBe(true);
});
