// `list` with filters, options before the command, and what it and the other daily commands say.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patchTool, temporaryFolder, toolwharf } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'tools/pay.py': patchTool({ name: 'pay', humanConfirm: true }),
    'tools/broken.py': patchTool({ name: 'broken' }).replace('# description', '# descr'),
  });
});
afterAll(() => folder.remove());

const run = (...args: string[]) =>
  toolwharf(args, { cwd: folder.path, env: { HOME: folder.path, TOOLWHARF_HOME: `${folder.path}/state` } });
const ids = async (...args: string[]) => {
  const { code, stdout } = await run('--json', 'list', ...args);
  return [code, JSON.parse(stdout).packages.map((it: { path: string }) => it.path.replace(/^.*\//, ''))];
};

test('the exit code says whether a shown package is broken', async () => {
  expect(await ids()).toEqual([3, ['broken.py', 'pay.py', 'word_count.py']]);
  expect(await ids('--state', 'needs-review')).toEqual([0, ['pay.py', 'word_count.py']]);
});

test('states, formats and words combine', async () => {
  expect(await ids('--state', 'broken', '--format', 'patch')).toEqual([3, ['broken.py']]);
  expect(await ids('tools', 'COUNT', 'text')).toEqual([0, ['word_count.py']]);
  expect(await ids('--format', 'nexo', '--state', 'other-state')).toEqual([0, []]);
});

test('a word that nothing matches could be a mistyped folder', async () => {
  expect(await run('list', 'word_cuont')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('did you mean word_count?'),
  });
  expect(await run('list', './toolz')).toMatchObject({ code: 2, stderr: expect.stringContaining('toolz') });
});

test('people see how many packages match', async () => {
  const { stdout } = await run('list', '--state=broken');
  expect(stdout).toContain('1 of 3 packages match');
  expect(await run('list', '--format', 'patsch')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean patch?'),
  });
});

test('options of every command work before it', async () => {
  const { code, stdout } = await run(
    '--state',
    'mine',
    '--cwd=tools',
    'call',
    './word_count.py',
    '{"text":"a b"}',
  );
  expect([code, JSON.parse(stdout)]).toEqual([0, { words: 2 }]);
  expect(await run('--config', 'x', 'list')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('write it after the command'),
  });
});

test('a new Patch tool fits the Python of this machine and works at once', async () => {
  expect(await run('init', 'patch', 'made')).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await run(
    'call',
    'made/made.py',
    '{"text":"one\\ntwo","word":"two"}',
    '--strict-runtime',
  );
  expect([code, JSON.parse(stdout), stderr]).toEqual([
    0,
    { count: 1, lines: [{ line: 2, text: 'two' }] },
    '',
  ]);
  expect((await run('info', 'made/made.py')).stdout).toMatch(
    /text +string; may be untrusted; The text to search/,
  );
});
