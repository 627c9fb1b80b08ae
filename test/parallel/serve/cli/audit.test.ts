// The audit commands verify, tail and export: without a host, next to a running host, and on a copy.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHost } from '../../../../src/index.js';
import { openSqlite } from '../../../../src/store/sqlite/sqlite.js';
import { documentIn } from '../../../support/json-documents.js';
import {
  isConsistent,
  isIncluded,
  leafOf,
  openCheckpoint,
  openProof,
} from '../../../support/tlog-verifier.js';
import { main, patchTool, temporaryFolder, toolwharf, until } from '../../../support/toolwharf.js';
import { resultOf } from '../../../support/workbench.js';

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

/** Copies in another process: this process has the database open, and closing a file would drop its locks. */
const copied = (to: string) => execFileSync('/bin/cp', ['-r', state, to]);

const audit = (args: readonly string[], at = state) =>
  toolwharf(['audit', ...args, '--state', at], { cwd: folder.path, env: { XDG_CONFIG_HOME: folder.path } });

beforeAll(async () => {
  await calls(2);
  await calls(1);
});

test('only the owner can read the signing key and the checkpoints', () => {
  for (const name of ['audit.key', 'checkpoints/audit.checkpoints'])
    expect(statSync(join(state, name)).mode & 0o777, name).toBe(0o600);
});

describe('verify', () => {
  test('verify checks the state and a copy of it without a running host', async () => {
    const copy = join(folder.path, 'copy');
    copied(copy);
    const done = await audit(['verify', '--json'], copy);
    expect(done.code).toBe(0);
    const verdict = JSON.parse(done.stdout);
    expect(verdict).toMatchObject({ schema: 'toolwharf/audit@1', ok: true });
    expect(verdict.checkpoints).toBeGreaterThanOrEqual(2);
    expect(verdict.sealed).toBe(verdict.entries);
    expect((await audit(['verify'])).stdout).toMatch(/\d signed checkpoints, the last at entry \d+/);
  });

  test('removed entries are reported with exit code 6, and no host starts without them', async () => {
    const copy = join(folder.path, 'cut');
    copied(copy);
    const database = openSqlite(join(copy, 'toolwharf.db'));
    database.exec('delete from audit where seq > 4');
    database.close();
    const done = await audit(['verify'], copy);
    expect([done.code, done.stderr]).toEqual([
      6,
      expect.stringMatching(/ends with entry 4, .* a checkpoint of \d+ entries/),
    ]);
    const host = await toolwharf(['list', tools, '--state', copy], { cwd: folder.path });
    expect([host.code, host.stderr]).toEqual([
      6,
      expect.stringMatching(/entry \d+ of the audit log, .* is missing/),
    ]);
  });

  test('verify reads entries of a killed host that are only in the write-ahead log', async () => {
    const copy = join(folder.path, 'left');
    const host = await createHost({ state, warm: false });
    await host.kills.set('nothing', 'tester', true);
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

  test('verify works while a host is running', async () => {
    const child = spawn(process.execPath, [main, 'host', '--idle', '5m', '--state', state]);
    started.push(child);
    let output = '';
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    await until(() => output.includes('started'));
    expect((await audit(['verify'])).code).toBe(0);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  });
});

describe('tail', () => {
  test('log prints calls for people, and finds them by package, tool, client, status and time', async () => {
    const all = await audit(['log']);
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout).toMatch(/^\d{4}-\d\d-\d\d\n/);
    const line = /^\d\d:\d\d:\d\d {2}ok +ann +count\/count +text=text\(3\) {2}\d+ ms$/gm;
    expect(all.stdout.match(line)).toHaveLength(3);
    expect(all.stdout).not.toContain('\u001B');
    const count = async (...args: string[]) => {
      const { lines } = JSON.parse((await audit(['log', '--json', ...args])).stdout);
      return (lines as { subject: string }[]).filter((it) => it.subject === 'count/count').length;
    };
    expect(await count('--tool', 'count', '--package', 'count', '--client', 'ann', '--status', 'ok')).toBe(3);
    for (const none of [
      ['--tool', 'other'],
      ['--package', 'coun'],
      ['--client', 'nn'],
      ['--status', 'error,denied'],
      ['--until', '1h'],
      ['--since', '2100-01-01'],
    ])
      expect([none, await count(...none)]).toEqual([none, 0]);
    expect(await count('--since', '1h', '--tool', 'count', '-n', '2')).toBe(2);
    expect(await audit(['log', '-n', '2'])).toMatchObject({
      stderr: 'showing the newest 2; -n COUNT shows more\n',
    });
    expect(await audit(['log', '--client', 'nobody'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no entry of the audit log fits\n',
    });
  });

  test.each([
    [['log', 'x']],
    [['log', '--since', 'yesterday']],
    [['log', '-n', '0']],
    [['tail', '--tool', 'x']],
  ])('the arguments %j are rejected', async (args) => expect(await audit(args)).toMatchObject({ code: 2 }));

  test('tail prints the newest entries', async () => {
    const done = await audit(['tail', '-n', '3', '--json']);
    const lines = done.stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it));
    expect(lines).toHaveLength(3);
    expect(lines.at(-1).seq).toBe(lines[0].seq + 2);
    expect((await audit(['tail', '1'])).stdout.trim().split('\n')).toHaveLength(1);
  });

  test('tail --follow prints new entries until it is interrupted', async () => {
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
  const file = join(folder.path, 'audit-log.ndjson');

  test('a whole export and a partial export can both be verified', async () => {
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

  test('verify finds a changed export, and with --public an export signed by another key', async () => {
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
    const otherKey = join(other, 'checkpoints', 'audit.public.pem');
    expect((await audit(['verify', file, '--public', otherKey])).code).toBe(6);
  });

  test('export --format csv writes a table with all entries and checkpoints', async () => {
    const { stdout } = await audit(['export', '--format', 'csv']);
    const [head, first] = stdout.split('\r\n');
    expect(head).toBe('seq,at,kind,body,previous,hash');
    expect(first).toMatch(/^"1",".*","start","\{""pid""/);
    expect(stdout).toContain('"signed checkpoint"');
  });
});

describe('proofs for others', () => {
  test('an independent verifier accepts the printed checkpoint and the proofs about it', async () => {
    const verifierKey = (await audit(['checkpoint', '--key'])).stdout;
    const first = openCheckpoint((await audit(['checkpoint'])).stdout, verifierKey);
    await calls(1);
    const { stdout: note } = await audit(['checkpoint']);
    const second = openCheckpoint(note, verifierKey);
    expect(second.size).toBeGreaterThan(first.size);
    expect(second.origin).toMatch(/^toolwharf\/audit\/[0-9a-f]{32}$/);
    expect(JSON.parse((await audit(['checkpoint', '--json'])).stdout)).toMatchObject({
      schema: 'toolwharf/audit-checkpoint@1',
      size: second.size,
      note,
      verifierKey: verifierKey.trim(),
    });

    const growth = openProof((await audit(['prove', '--from', String(first.size)])).stdout);
    expect(growth.head).toEqual([`old ${first.size}`]);
    expect(growth.note).toBe(note);
    expect(isConsistent(first, second, growth.proof)).toBe(true);
    expect(isConsistent({ ...first, root: second.root }, second, growth.proof)).toBe(false);

    const entries = (await audit(['export'])).stdout.split('\n').filter((it) => it.startsWith('{"seq"'));
    const { hash } = JSON.parse(entries[2] as string) as { hash: string };
    const inclusion = openProof((await audit(['prove', '3'])).stdout);
    expect(inclusion.head).toEqual(['c2sp.org/tlog-proof@v1', 'index 2']);
    const leaf = leafOf(Buffer.from(hash, 'hex'));
    expect(isIncluded(openCheckpoint(inclusion.note, verifierKey), 2, leaf, inclusion.proof)).toBe(true);
    expect(isIncluded(openCheckpoint(inclusion.note, verifierKey), 1, leaf, inclusion.proof)).toBe(false);
  });

  test('the printed key verifies the log, and wrong numbers are rejected', async () => {
    const key = join(folder.path, 'verifier.txt');
    writeFileSync(key, (await audit(['checkpoint', '--key'])).stdout);
    expect((await audit(['verify', '--public', key])).code).toBe(0);
    for (const args of [['prove'], ['prove', 'x'], ['prove', '1', '--from', '1'], ['checkpoint', 'x']])
      expect((await audit(args)).code, args.join(' ')).toBe(2);
    for (const args of [
      ['prove', '0'],
      ['prove', '99999'],
      ['prove', '--from', '99999'],
    ])
      expect((await audit(args)).stderr, args.join(' ')).toMatch(/newest checkpoint/);
  });

  test('verify --anchor compares the state, a copy and an export with a checkpoint kept elsewhere', async () => {
    const kept = join(folder.path, 'kept.txt');
    const file = join(folder.path, 'kept.ndjson');
    writeFileSync(kept, (await audit(['checkpoint'])).stdout);
    const copy = join(folder.path, 'behind');
    copied(copy);
    await calls(1);
    const newer = join(folder.path, 'newer.txt');
    writeFileSync(newer, (await audit(['checkpoint'])).stdout);
    expect((await audit(['verify', '--anchor', kept])).code).toBe(0);
    expect((await audit(['verify', '--anchor', kept], copy)).code).toBe(0);
    writeFileSync(file, (await audit(['export'])).stdout);
    expect((await audit(['verify', file, '--anchor', newer])).code).toBe(0);
    const behind = await audit(['verify', '--anchor', newer], copy);
    expect([behind.code, behind.stderr]).toEqual([
      6,
      expect.stringMatching(/rolled back: it ends with entry \d+/),
    ]);
    writeFileSync(kept, readFileSync(newer, 'utf8').replace('\n', 'x\n'));
    expect((await audit(['verify', '--anchor', kept])).code).toBe(6);
    writeFileSync(kept, 'nothing');
    expect((await audit(['verify', '--anchor', kept])).stderr).toContain('is not a signed checkpoint');
    expect((await audit(['verify', '--anchor', join(folder.path, 'none')])).stderr).toContain(
      'cannot be read',
    );
  });
});

test('a rollback is shown by verify, list and doctor until it is acknowledged with the PIN', async () => {
  const place = join(folder.path, 'rolled');
  const env = { XDG_CONFIG_HOME: join(folder.path, 'none'), XDG_DATA_HOME: join(folder.path, 'data') };
  const at = (args: readonly string[]) => toolwharf([...args, '--state', place], { cwd: folder.path, env });
  const pinFile = join(folder.path, 'pin.txt');
  writeFileSync(pinFile, '493817\n');
  expect((await at(['pin', 'set', '--pin-file', pinFile])).stderr).toBe('');
  const backup = join(folder.path, 'backup');
  execFileSync('/bin/cp', ['-r', place, backup]);
  await at(['kill', 'count']);
  expect((await at(['audit', 'verify'])).stdout).toContain('1 anchor agrees');
  rmSync(place, { recursive: true });
  execFileSync('/bin/cp', ['-r', backup, place]);

  const before = await at(['audit', 'verify']);
  expect([before.code, before.stderr]).toEqual([
    6,
    expect.stringMatching(/rolled back: it ends with entry \d+/),
  ]);
  const listed = await at(['list', 'tools']);
  expect([listed.code, listed.stderr]).toEqual([
    0,
    expect.stringContaining('warning: the audit log was rolled back'),
  ]);
  const { items } = JSON.parse((await at(['list', 'tools', '--attention', '--json'])).stdout);
  const [item] = items.filter((it: { kind: string }) => it.kind === 'rollback');
  expect(item.command).toMatch(/^toolwharf audit acknowledge \d+$/);
  const { checks } = documentIn((await at(['doctor', '--json'])).stdout).value;
  expect(checks).toContainEqual(
    expect.objectContaining({ id: 'audit', status: 'fail', message: expect.stringContaining('rolled back') }),
  );
  expect((await at(['audit', 'verify'])).code).toBe(6);

  const acknowledge = item.command.split(' ').slice(1);
  expect((await at(acknowledge)).stderr).toContain('PIN');
  expect((await at(['audit', 'verify'])).code).toBe(6);
  const acknowledged = await at([...acknowledge, '--pin-file', pinFile, '--json']);
  expect(documentIn(acknowledged.stdout).name).toBe('acknowledge@1');
  const after = await at(['audit', 'verify']);
  expect([after.code, after.stdout]).toEqual([0, expect.stringContaining('1 acknowledged rollback')]);
  expect((await at(['list', 'tools'])).stderr).toBe('');
  expect((await at([...acknowledge, '--pin-file', pinFile])).code).not.toBe(0);
});

test('the configuration can put the key and the checkpoints in another folder', async () => {
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
