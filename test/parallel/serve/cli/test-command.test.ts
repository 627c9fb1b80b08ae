// toolwharf test: examples and saved cases of a package, with the answers that are expected.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agreementRows } from '../../../support/marking-packages.js';
import { patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';
import { inputOf, pythonTool, talos, toolspace } from '../../../support/workbench.js';

const examples = join(import.meta.dirname, '../../../../examples');
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const at = (path: string) => join(folder.path, path);
const env = () => ({
  HOME: folder.path,
  XDG_CONFIG_HOME: '',
  TOOLWHARF_HOME: '',
  MY_TOKEN: 'four',
  TMPDIR: folder.path,
});
const run = (...args: readonly string[]) =>
  toolwharf([...args, '--state', at('state')], { cwd: folder.path, env: env() });

function put(path: string, content: unknown): void {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

const casesFile = (cases: readonly object[], values: object = {}) => ({
  schema: 'toolwharf/cases@1',
  values,
  cases,
});
const savedIn = (path: string) => JSON.parse(readFileSync(at(path), 'utf8')).cases;
const statuses = (stdout: string) =>
  JSON.parse(stdout).packages.flatMap((it: { cases: { name: string; status: string }[] }) =>
    it.cases.map(({ name, status }) => `${name}: ${status}`),
  );

test('the examples of a Toolspace manifest are run, and nothing is accepted or left over', async () => {
  cpSync(join(examples, 'toolspace/json-diff'), at('json-diff'), { recursive: true });
  const { code, stdout } = await run('test', 'json-diff');
  expect(stdout).toContain('ok      diff example 1: One member changed, one added.');
  expect(stdout).toContain('2 passed');
  expect(code).toBe(0);
  expect(agreementRows(at('state'))).toBe('');
  expect(readdirSync(folder.path).filter((it) => it.startsWith('toolwharf-test-run-'))).toEqual([]);
  const manifest = at('json-diff/toolspace.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('"equal": false,', '"equal": true,'));
  const failed = await run('test', 'json-diff');
  expect(failed.stdout).toContain('/equal: expected true, got false');
  expect(failed.code).toBe(1);
}, 60_000);

test('answers of a Patch tool are saved, compared, and updated; volatile parts are left out', async () => {
  put(
    'count.py',
    pythonTool({
      name: 'count',
      body: ['import time', 'return {"words": len(text.split()), "at": time.time()}'],
    }),
  );
  const path = 'toolwharf-tests/count.json';
  put(path, casesFile([{ name: 'two', tool: 'count', arguments: { text: 'a b' }, ignore: ['/at'] }]));
  expect(await run('test', 'count.py')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('no answer is saved; save it with --update'),
  });
  expect(await run('test', 'count.py', '--update')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('updated two'),
  });
  expect(savedIn(path)).toMatchObject([
    { name: 'two', answer: { words: 2, at: '(ignored)' }, ignore: ['/at'] },
  ]);
  const before = readFileSync(at(path), 'utf8');
  expect(await run('test', 'count.py', '--update')).toMatchObject({ code: 0 });
  expect(readFileSync(at(path), 'utf8')).toBe(before);
  put('count.py', readFileSync(at('count.py'), 'utf8').replace('len(text.split())', '7'));
  const github = await run('test', 'count.py', '--format', 'github');
  expect(github).toMatchObject({ code: 1 });
  expect(github.stdout).toMatch(
    /^::error file=toolwharf-tests\/count\.json,line=5,.*two%0A\/words: expected 2, got 7\n$/,
  );
  const junit = await run('test', 'count.py', '--format', 'junit');
  expect(junit.stdout).toContain('tests="1" failures="1" errors="0"');
  expect(junit.stdout).toContain('<failure message="/words: expected 2, got 7">');
}, 60_000);

test('the saved cases are not part of the package', async () => {
  for (const [path, text] of Object.entries(
    talos({ id: 'adder', functions: ['add'], code: 'export const add = ({ a, b }) => ({ sum: a + b });' }),
  ))
    put(path, text);
  const effects = ['--undeclared-effect', 'none'];
  expect(await run('review', 'adder', '--yes')).toMatchObject({ code: 0 });
  const { packages } = JSON.parse((await run('list', 'adder', '--json')).stdout);
  put(
    'adder/toolwharf-tests/adder.json',
    casesFile([
      { tool: 'add', arguments: { a: 1, b: 2 }, answer: { sum: 3 } },
      { name: 'held', tool: 'add', arguments: { a: 1, b: 2 }, answer: { sum: 3 }, approve: true },
      { name: 'later', tool: 'add', arguments: {}, skip: 'not written yet' },
    ]),
  );
  // A manifest in that folder is not a package either.
  put('adder/toolwharf-tests/workspace/other.py', patchTool({ name: 'other' }));
  const again = JSON.parse((await run('list', 'adder', '--json')).stdout);
  expect(again.packages).toEqual(packages);
  const { code, stdout } = await run('test', 'adder', ...effects, '--json');
  expect(statuses(stdout)).toEqual(['add {"a":1,"b":2}: passed', 'held: passed', 'later: skipped']);
  expect(code).toBe(0);
  // Without a stated effect each call needs an approval, which only a case states.
  const asked = await run('test', 'adder', '--json');
  expect(statuses(asked.stdout)).toEqual(['add {"a":1,"b":2}: failed', 'held: passed', 'later: skipped']);
}, 60_000);

test('"approve" of a case counts for a destructive tool only with a word on the command line', async () => {
  const remove = {
    name: 'remove',
    side_effects: 'destructive',
    invocation: { kind: 'stdin-json' },
    input: inputOf({}),
    output: { format: 'json' },
    examples: [{ description: 'Nothing.', input: {}, output: { done: true } }],
  };
  put('desk/toolspace.json', toolspace({ id: 'desk', command: ['sh', 'run.sh'], actions: [remove] }));
  put('desk/run.sh', `echo '{"done": true}'`);
  const cases = [{ name: 'remove', tool: 'remove', answer: { done: true }, approve: true }];
  put('desk/toolwharf-tests/desk.json', casesFile(cases));
  const { code, stdout } = await run('test', 'desk', '--json');
  expect([code, statuses(stdout)]).toEqual([1, ['remove: failed', 'remove example 1: Nothing.: skipped']]);
  expect(stdout).toContain('--approve-destructive');
  const allowed = await run('test', 'desk', '--approve-destructive', '--json');
  expect(statuses(allowed.stdout)).toEqual(['remove: passed', 'remove example 1: Nothing.: skipped']);
}, 60_000);

test('values come from the cases and named variables, and each case finds its own files', async () => {
  for (const [path, text] of Object.entries(
    talos({
      id: 'holder',
      functions: ['ask'],
      code: 'export const handlers = { ask: (_, credentials) => ({ length: credentials.token.length }) };',
      rest: { credentials: [{ name: 'token', label: 'Token', description: 'A token.', required: true }] },
    }),
  ))
    put(path, text);
  const ask = { name: 'ask', tool: 'ask', answer: { length: 4 }, approve: true };
  put('holder/toolwharf-tests/holder.json', casesFile([ask]));
  // The operator's value is never used.
  await toolwharf(['secret', 'set', 'holder', 'token', '--state', at('state')], {
    ...{ cwd: folder.path, env: env(), stdin: 'real' },
  });
  const missing = await run('test', 'holder');
  expect(missing).toMatchObject({
    code: 7,
    stdout: expect.stringContaining('needs-setup: holder needs token'),
  });
  expect(await run('test', 'holder', '--from-env', 'token=MY_TOKEN')).toMatchObject({ code: 0 });
  expect(await run('test', 'holder', '--from-env', 'token')).toMatchObject({ code: 2 });
  put('holder/toolwharf-tests/holder.json', casesFile([ask], { token: 'fake' }));
  expect(await run('test', 'holder')).toMatchObject({ code: 0 });

  const append = pythonTool({
    name: 'append',
    filesystem: 'read-write',
    body: ['open("notes.txt", "a").write(text)', 'return {"all": open("notes.txt").read()}'],
  });
  put('append/append.py', append);
  put('append/toolwharf-tests/workspace/notes.txt', 'first ');
  const twice = [1, 2].map((it) => ({
    ...{ name: `case ${it}`, tool: 'append', arguments: { text: 'second' }, answer: { all: 'first second' } },
  }));
  put('append/toolwharf-tests/append.json', casesFile(twice));
  expect(await run('test', 'append/append.py')).toMatchObject({ code: 0 });
  expect(readFileSync(at('append/toolwharf-tests/workspace/notes.txt'), 'utf8')).toBe('first ');
}, 60_000);

test('an invalid manifest is exit 3, a wrong file of cases and no cases at all are exit 2', async () => {
  put('count.py', patchTool({ name: 'count' }));
  expect(await run('test', 'count.py')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no examples and no saved cases'),
  });
  put('toolwharf-tests/count.json', casesFile([{ tool: 'count', argumets: {} }]));
  expect(await run('test', 'count.py')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/count\.json:7: unknown member "argumets"/),
  });
  put('toolwharf-tests/count.json', casesFile([{ tool: 'count', arguments: {}, error: 'invalid_input' }]));
  expect(await run('test', 'count.py')).toMatchObject({ code: 0 });
  expect(await run('test', 'count.py', '--only', 'other')).toMatchObject({ code: 2 });
  put('count.py', patchTool({ name: 'count' }).replace('version: "1.0.0"', 'version: one'));
  const broken = await run('test', 'count.py');
  expect(broken).toMatchObject({ code: 3, stdout: expect.stringContaining('error[') });
  expect((await run('test', 'count.py', '--format', 'junit')).stdout).toContain('errors="1"');
  expect(await run('test')).toMatchObject({ code: 2 });
  expect(existsSync(at('state/toolwharf.db'))).toBe(false);
}, 60_000);
