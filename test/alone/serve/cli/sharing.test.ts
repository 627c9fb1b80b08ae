// Commands that run at the same time, and the scope of an approval.
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { atTerminal, patchTool, temporaryFolder, toolwharf, until } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
const state = () => ['--state', join(folder.path, 'state')];

beforeEach(() => {
  folder = temporaryFolder({
    'slow.py': patchTool({
      name: 'slow',
      body: '    import time\n    time.sleep(float(text))\n    return {}',
    }),
    'note.py': patchTool({
      name: 'note',
      humanConfirm: true,
      body: '    open("note.txt", "w").write(text)\n    return {}',
    }).replace('filesystem: none', 'filesystem: read-write'),
  });
  for (const name of ['a', 'b']) {
    mkdirSync(join(folder.path, name));
    chmodSync(join(folder.path, name), 0o777);
  }
});

afterEach(() => folder.remove());

test('a slow command does not delay others, and all of them finish', async () => {
  const long = toolwharf(['call', join(folder.path, 'slow.py'), '{"text":"4"}', ...state()]);
  await until(async () => (await toolwharf(['approvals', 'list', ...state()])).code === 0);
  const started = performance.now();
  const listed = await toolwharf(['list', join(folder.path, 'slow.py'), ...state()]);
  expect(listed.stdout).toContain('ready');
  expect(listed.stderr).toBe('');
  const other = await toolwharf(['call', join(folder.path, 'slow.py'), '{"text":"0"}', '--json', ...state()]);
  expect(JSON.parse(other.stdout)).toMatchObject({ status: 'ok' });
  expect(performance.now() - started).toBeLessThan(3500);
  expect((await long).code).toBe(0);
});

test('an approval is valid only for the workspace of the held call', async () => {
  const call = (root: string) =>
    toolwharf([
      'call',
      join(folder.path, 'note.py'),
      '{"text":"x"}',
      '--root',
      join(folder.path, root),
      '--json',
      ...state(),
    ]);
  const held = JSON.parse((await call('a')).stdout);
  expect(held.confirmation.reasons.join()).toContain(join(folder.path, 'a'));
  await toolwharf(['approvals', 'approve', held.confirmation.token, ...state()]);
  expect(JSON.parse((await call('b')).stdout)).toMatchObject({ status: 'confirmation_required' });
  expect(() => readFileSync(join(folder.path, 'b', 'note.txt'))).toThrow();
  expect(JSON.parse((await call('a')).stdout)).toMatchObject({ status: 'ok' });
  expect(readFileSync(join(folder.path, 'a', 'note.txt'), 'utf8')).toBe('x');
});

test('a workspace that cannot be mounted is reported before the call starts', async () => {
  const done = await toolwharf([
    'call',
    join(folder.path, 'note.py'),
    '{"text":"x"}',
    '--root',
    join(folder.path, 'nowhere'),
    ...state(),
  ]);
  expect(done.code).toBe(2);
  expect(done.stderr).toContain('nowhere');
});

test('a missing interpreter has its own exit code', async () => {
  const far = readFileSync(join(folder.path, 'slow.py'), 'utf8').replace(
    'language: python',
    'language: python\n#   python_version: "3.99"',
  );
  writeFileSync(join(folder.path, 'slow.py'), far);
  const call = ['call', join(folder.path, 'slow.py'), '{"text":"0"}', ...state()];
  const rejected = await toolwharf([...call, '--strict-runtime']);
  expect(rejected).toMatchObject({ code: 7, stderr: expect.stringContaining('3.99') });
  // Control: without --strict-runtime, the nearest version is used.
  expect((await toolwharf(call)).code).toBe(0);
});

test('a call of a tool in a broken manifest reports the error of the manifest', async () => {
  writeFileSync(
    join(folder.path, 'broken.py'),
    patchTool({ name: 'broken' }).replace('version: "1.0.0"', 'version: one'),
  );
  const done = await toolwharf(['call', join(folder.path, 'broken.py'), 'broken', '{}', ...state()]);
  expect(done.code).toBe(3);
  expect(done.stderr).toContain('version');
});

test('printed commands can be pasted, whatever the name of the folder', async () => {
  const odd = join(folder.path, "we ird $(touch x) it's");
  mkdirSync(odd);
  writeFileSync(
    join(odd, 'more.py'),
    patchTool({ name: 'more' }).replace('language: python', 'language: python\n#   packages: ["left==1.0"]'),
  );
  const done = await toolwharf(['call', join(odd, 'more.py'), '{"text":""}', ...state()]);
  expect(done.code).toBe(4);
  expect(done.stderr).toContain(`toolwharf install '${odd.replaceAll("'", "'\\''")}/more.py'`);
});

test('a grant for one package is accepted on the command line', async () => {
  const good = await toolwharf(['list', folder.path, '--allow', 'slow=net:127.0.0.1:1', ...state()]);
  expect(good.code).toBe(0);
  const bad = await toolwharf(['list', folder.path, '--allow', 'slow=web:x', ...state()]);
  expect(bad.code).toBe(2);
});

test('without a home folder, nothing is written into the working directory', async () => {
  const env = { HOME: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: join(folder.path, 'xdg'), TOOLWHARF_HOME: '' };
  const done = await toolwharf(['list', 'slow.py'], { env, cwd: folder.path });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(folder.path)).not.toContain('.local');
});

test('at a terminal, a slow call shows its progress and erases it at the end', async () => {
  const shown = await atTerminal(['call', join(folder.path, 'slow.py'), '{"text":"1.5"}', ...state()]);
  expect(shown).toMatch(/\rrunning slow\/slow … 1 s/);
  expect(shown).toMatch(/\r +\r\{\}\r\n$/);
  const quick = await atTerminal(['call', join(folder.path, 'slow.py'), '{"text":"1.5"}', '-q', ...state()]);
  expect(quick).not.toContain('running');
});
