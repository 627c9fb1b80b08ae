// The record as people use it: verify, tail and export without a host, beside one, and on a copy.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../src/index.js';
import { openSqlite } from '../src/store/sqlite.js';
import { main, patchTool, temporaryFolder, toolwharf, until } from './toolwharf.js';
import { resultOf } from './workbench.js';

const folder = temporaryFolder({ 'tools/count.py': patchTool({ name: 'count' }) });
const tools = join(folder.path, 'tools');
const state = join(folder.path, 'state');
const started: ChildProcess[] = [];
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  folder.remove();
});

async function calls(count: number, options: Partial<Parameters<typeof createHost>[0]> = {}) {
  const host = await createHost({ state, warm: false, ...options });
  const session = await host.session({ principal: 'ann', directories: [tools], root: folder.path });
  for (let index = 0; index < count; index++)
    await resultOf(session.call({ tool: 'count/count', arguments: { text: 'a b' } }));
  await host.close();
}

/** By another process: this one has the database open, and closing a file drops the locks on it. */
const copied = (to: string) => execFileSync('/bin/cp', ['-r', state, to]);

const audit = (words: readonly string[], at = state) =>
  toolwharf(['audit', ...words, '--state', at], { cwd: folder.path, env: { XDG_CONFIG_HOME: folder.path } });

beforeAll(async () => {
  await calls(2);
  await calls(1);
});

test('the key and the checkpoints are for their owner only', () => {
  for (const name of ['audit.key', 'checkpoints/audit.checkpoints'])
    expect(statSync(join(state, name)).mode & 0o777, name).toBe(0o600);
});

describe('verify', () => {
  test('without a host, and on a copy that it leaves as it is', async () => {
    const copy = join(folder.path, 'copy');
    copied(copy);
    const done = await audit(['verify', '--json'], copy);
    expect(done.code).toBe(0);
    const verdict = JSON.parse(done.stdout);
    expect(verdict).toMatchObject({ schema: 'toolwharf/audit@1', ok: true });
    expect(verdict.checkpoints).toBeGreaterThanOrEqual(2);
    expect(verdict.sealed).toBe(verdict.entries);
    expect((await audit(['verify'])).stdout).toMatch(/\d signed checkpoints, the last of line \d+/);
  });

  test('says what is wrong and where, with exit code 6; a host does not go on with it', async () => {
    const copy = join(folder.path, 'cut');
    copied(copy);
    const database = openSqlite(join(copy, 'toolwharf.db'));
    database.exec('delete from audit where seq > 4');
    database.close();
    const done = await audit(['verify'], copy);
    expect([done.code, done.stderr]).toEqual([6, expect.stringMatching(/ends with line 4, .* saw line \d+/)]);
    const host = await toolwharf(['list', tools, '--state', copy], { cwd: folder.path });
    expect([host.code, host.stderr]).toEqual([6, expect.stringContaining('is not there any more')]);
  });

  test('on what a killed host left: lines that are in the log of the database only', async () => {
    const copy = join(folder.path, 'left');
    const host = await createHost({ state, warm: false });
    await host.kills.set('nothing', 'tester');
    copied(copy);
    rmSync(join(copy, 'toolwharf.db-shm'), { force: true });
    const all = JSON.parse((await audit(['verify', '--json'])).stdout).entries;
    await host.kills.lift('nothing', 'tester');
    await host.close();
    const verdict = JSON.parse((await audit(['verify', '--json'], copy)).stdout);
    expect(verdict).toMatchObject({ ok: true, entries: all });
    const exported = await audit(['export'], copy);
    expect(exported.stdout.split('\n').filter((it) => it.startsWith('{"seq"'))).toHaveLength(all);
  });

  test('beside a host that writes', async () => {
    const child = spawn(process.execPath, [main, 'host', '--idle', '5m', '--state', state]);
    started.push(child);
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    await until(() => said.includes('started'));
    expect((await audit(['verify'])).code).toBe(0);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  });
});

describe('tail', () => {
  test('the newest lines', async () => {
    const done = await audit(['tail', '-n', '3', '--json']);
    const lines = done.stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it));
    expect(lines).toHaveLength(3);
    expect(lines.at(-1).seq).toBe(lines[0].seq + 2);
    expect((await audit(['tail', '1'])).stdout.trim().split('\n')).toHaveLength(1);
  });

  test('follows', async () => {
    const child = spawn(process.execPath, [main, 'audit', 'tail', '-n', '1', '--follow', '--state', state]);
    started.push(child);
    let shown = '';
    child.stdout.on('data', (chunk) => {
      shown += chunk;
    });
    await until(() => shown !== '');
    await calls(1);
    await until(() => shown.includes('"tool":"count/count"'));
    const code = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await code).toBe(0);
  });
});

describe('export', () => {
  const file = join(folder.path, 'record.ndjson');

  test('carries its proof, whole and in part', async () => {
    const all = await audit(['export']);
    writeFileSync(file, all.stdout);
    expect(JSON.parse((await audit(['verify', file, '--json'])).stdout)).toMatchObject({ ok: true });
    const lines = all.stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it));
    const middle = lines[4].at as string;
    const part = await audit(['export', '--since', middle]);
    writeFileSync(file, part.stdout);
    const verdict = JSON.parse((await audit(['verify', file, '--json'])).stdout);
    expect(verdict).toMatchObject({ ok: true });
    expect(verdict.entries).toBeLessThan(lines.length - 4);
    expect((await audit(['export', '--since', 'yesterday'])).code).toBe(2);
  });

  test('a changed one is found, one that was signed anew with a trusted key', async () => {
    const { stdout } = await audit(['export']);
    writeFileSync(file, stdout.replace('\\"pid\\"', '\\"pit\\"'));
    const done = await audit(['verify', file]);
    expect([done.code, done.stderr]).toEqual([
      6,
      expect.stringContaining('was changed after it was written'),
    ]);
    writeFileSync(file, stdout);
    const trusted = join(state, 'checkpoints', 'audit.public.pem');
    expect((await audit(['verify', file, '--public', trusted])).code).toBe(0);
    const other = join(folder.path, 'other');
    await (await createHost({ state: other })).close();
    const strange = join(other, 'checkpoints', 'audit.public.pem');
    expect((await audit(['verify', file, '--public', strange])).code).toBe(6);
  });

  test('as a table', async () => {
    const { stdout } = await audit(['export', '--format', 'csv']);
    const [head, first] = stdout.split('\r\n');
    expect(head).toBe('seq,at,kind,body,previous,hash');
    expect(first).toMatch(/^"1",".*","start","\{""pid""/);
    expect(stdout).toContain('"signed checkpoint"');
  });
});

test('the proof can lie elsewhere, as the configuration says', async () => {
  const elsewhere = join(folder.path, 'elsewhere');
  mkdirSync(join(folder.path, 'toolwharf'));
  writeFileSync(
    join(folder.path, 'toolwharf', 'config.toml'),
    `[audit]\ncheckpoints = "${elsewhere}/seals"\nkey = "${elsewhere}/key.pem"\n`,
  );
  const second = join(folder.path, 'second');
  const env = { XDG_CONFIG_HOME: folder.path };
  const call = await toolwharf(['call', join(tools, 'count.py'), '{"text":"a"}', '--state', second], { env });
  expect(call.code).toBe(0);
  expect(existsSync(join(second, 'checkpoints'))).toBe(false);
  expect(readFileSync(join(elsewhere, 'key.pem'), 'utf8')).toContain('PRIVATE KEY');
  const verdict = JSON.parse((await audit(['verify', '--json'], second)).stdout);
  expect(verdict).toMatchObject({ ok: true });
  expect(verdict.checkpoints).toBeGreaterThanOrEqual(1);
});
