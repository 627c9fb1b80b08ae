// `config set` and `config unset`: minimal edits of the right file, checked before they are written.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SessionWaiver } from '../../../../src/host/host.js';
import { runCommandLine } from '../../../../src/serve/cli/command/run.js';
import { testTerminal } from '../../../support/terminal.js';
import { temporaryFolder } from '../../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let home: string;
let work: string;
let userFile: string;
let projectFile: string;

beforeEach(() => {
  folder = temporaryFolder();
  home = join(folder.path, 'home');
  work = join(home, 'work');
  mkdirSync(work, { recursive: true });
  mkdirSync(join(home, '.config/toolwharf'), { recursive: true });
  userFile = join(home, '.config/toolwharf/config.toml');
  projectFile = join(work, 'toolwharf.toml');
});
afterEach(() => folder.remove());

async function run(line: string, host = {}) {
  const environment = { HOME: home, TOOLWHARF_HOME: join(folder.path, 'state') };
  const terminal = testTerminal({ cwd: work, environment, host });
  const code = await runCommandLine(['config', ...line.split(' ')], terminal);
  return { code, ...terminal.printed };
}
const user = () => readFileSync(userFile, 'utf8');

test('a new setting is written to a new file that only the user can read', async () => {
  expect(await run('set limits.seconds 30')).toEqual({
    code: 0,
    out: `changed ${userFile}\n  + limits.seconds = 30\n`,
    err: '',
  });
  expect(user()).toBe('[limits]\nseconds = 30\n');
  expect(statSync(userFile).mode & 0o777).toBe(0o600);
});

test('comments, order and the mode of the file stay', async () => {
  writeFileSync(userFile, '# mine\n[limits] # short\nseconds = 60 # a minute\nprocesses = 9\n');
  chmodSync(userFile, 0o640);
  expect((await run('set limits.seconds 30')).out).toContain(
    '- limits.seconds = 60\n  + limits.seconds = 30\n',
  );
  expect(user()).toBe('# mine\n[limits] # short\nseconds = 30 # a minute\nprocesses = 9\n');
  expect(statSync(userFile).mode & 0o777).toBe(0o640);
  expect((await run('set limits.seconds 30')).out).toContain('nothing to do');
  expect((await run('unset limits.seconds')).out).toContain('- limits.seconds = 30\n');
  expect(user()).toBe('# mine\n[limits] # short\nprocesses = 9\n');
  expect(await run('unset limits.seconds')).toMatchObject({
    code: 2,
    err: expect.stringContaining('does not set'),
  });
});

test('a link to the file stays a link', async () => {
  writeFileSync(join(home, 'real.toml'), '');
  symlinkSync(join(home, 'real.toml'), userFile);
  await run('set runtime.strict true');
  expect(lstatSync(userFile).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(home, 'real.toml'), 'utf8')).toBe('[runtime]\nstrict = true\n');
});

test('a dry run writes nothing', async () => {
  expect((await run('set limits.seconds 30 --dry-run')).out).toContain('would change');
  expect(existsSync(userFile)).toBe(false);
});

test('relative paths are meant from the current folder', async () => {
  await run('set paths tools ../more');
  expect(user()).toBe(`paths = ["${work}/tools", "${home}/more"]\n`);
  await run('set discovery.only tools --project');
  expect(readFileSync(projectFile, 'utf8')).toBe('[discovery]\nonly = ["./tools"]\n');
});

describe('rejected without writing', () => {
  test.each([
    ['set limit.seconds 30', 'did you mean limits.seconds?', 2],
    ['set limits 30', 'its settings are limits.seconds, ', 2],
    ['set limits.seconds soon', 'limits.seconds', 2],
    ['set limits.seconds 30 40', 'takes one value', 2],
    ['set runtime.strict maybe', 'write true or false', 2],
    ['set vault.key paper', 'write one of', 2],
    ['set rules x', 'edit the file', 2],
    ['set limits.seconds', 'toolwharf config set limits.seconds VALUE', 2],
    ['set paths tools --project', 'cannot be set in a project file', 3],
    ['set runtime.strict false --project', "less strict than the user's configuration", 3],
    ['sett limits.seconds 1', 'use list, set KEY VALUE or unset KEY', 2],
  ])('%s', async (line, message, code) => {
    const before = existsSync(projectFile);
    const result = await run(line);
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toContain(message);
    expect([existsSync(userFile), existsSync(projectFile)]).toEqual([false, before]);
  });

  test('into a file that is not TOML', async () => {
    writeFileSync(userFile, 'limits = [\n');
    expect(await run('set limits.seconds 30')).toMatchObject({ code: 3, out: '' });
    expect(user()).toBe('limits = [\n');
  });
});

test('a wrong setting of the file can be fixed while others are still wrong', async () => {
  writeFileSync(userFile, 'nonsense = 1\n[limits]\nseconds = "x"\n');
  const result = await run('set limits.seconds 30');
  expect([result.code, result.err]).toEqual([0, expect.stringContaining('unknown setting nonsense')]);
  expect(user()).toBe('nonsense = 1\n[limits]\nseconds = 30\n');
});

test('a setting that something else decides is said to have no effect', async () => {
  writeFileSync(projectFile, '[limits]\nseconds = 5\n');
  expect((await run('set limits.seconds 30')).err).toContain(
    `no effect here: project ${projectFile}:2 decides`,
  );
});

test('a setting that lowers a protection has no effect until it is accepted, if a PIN is set', async () => {
  mkdirSync(join(folder.path, 'state'));
  const waiver: SessionWaiver = {
    id: 'abc',
    kind: 'limit',
    content: null,
    text: 'calls may take 600 seconds',
    origin: null,
    active: false,
    verified: false,
  };
  const host = { session: async () => ({ waivers: async () => [waiver] }) };
  const result = await run('set limits.seconds 600', host);
  expect(result.err).toContain('calls may take 600 seconds');
  expect(result.err).toContain('toolwharf policy accept');
});
