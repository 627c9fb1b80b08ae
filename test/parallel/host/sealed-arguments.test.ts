// Stored arguments of calls: sealed next to the audit log, opened only by the operator, erasable.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { HostOptions, SessionPolicy } from '../../../src/index.js';
import { createHost } from '../../../src/index.js';
import { openSqlite } from '../../../src/store/sqlite/sqlite.js';
import { main, temporaryFolder, toolwharf, until } from '../../support/toolwharf.js';
import { failureOf, pythonTool, resultOf, type Workbench, workbench } from '../../support/workbench.js';

const secretText = 'the heron waits at the third lock';
const sealed: SessionPolicy = { sealArguments: {} };
const files = {
  'echo.py': pythonTool({ name: 'echo', body: ['return {"length": len(text)}'] }),
  'ask.py': pythonTool({ name: 'ask', humanConfirm: true, body: ['return {"length": len(text)}'] }),
};

const benches: Workbench[] = [];
afterEach(async () => {
  for (const it of benches.splice(0)) await it.close();
});
async function bench(options: Partial<HostOptions> = {}): Promise<Workbench> {
  const made = await workbench(files, { warm: false, ...options });
  benches.push(made);
  return made;
}

async function called(of: Workbench, policy: SessionPolicy, text = secretText): Promise<string> {
  const session = await of.session({ policy });
  const answer = await session.call({ tool: 'echo/echo', arguments: { text } });
  await resultOf(answer);
  return answer.callId;
}

const stateOf = (of: Workbench) => join(of.path, 'state');

/** All bytes of the state directory, read by a child process: closing a file here would drop the host's locks. */
function bytesIn(folder: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name));
  return execFileSync('/bin/cat', names, { encoding: 'latin1', maxBuffer: 256 * 1024 * 1024 });
}

/** Changes rows like an attacker who can write the database but has no key. */
function tamper(of: Workbench, sql: string): void {
  const database = openSqlite(join(stateOf(of), 'toolwharf.db'));
  database.exec(sql);
  database.close();
}

function rows(of: Workbench): Record<string, unknown>[] {
  const database = openSqlite(join(stateOf(of), 'toolwharf.db'));
  try {
    return database.all('select * from sealed_arguments order by call_id', []);
  } finally {
    database.close();
  }
}

describe('a call', () => {
  test('leaves by default a digest and a shape, but no row and no key', async () => {
    const of = await bench();
    const call = await called(of, {});
    await of.host.verifyAudit();
    expect(rows(of)).toEqual([]);
    expect(existsSync(join(stateOf(of), 'vault.key'))).toBe(false);
    expect(bytesIn(stateOf(of))).not.toContain(secretText);
    await expect(of.host.keptArguments.open(call, 'ann')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('no arguments are kept'),
    });
  });

  test('leaves with sealArguments one sealed row that opens to the exact arguments', async () => {
    const of = await bench();
    const call = await called(of, sealed);
    const opened = await of.host.keptArguments.open(call, 'ann');
    expect(opened).toMatchObject({ call, tool: 'echo/echo', arguments: { text: secretText }, exact: true });
    expect(rows(of)).toHaveLength(1);
    expect(bytesIn(stateOf(of))).not.toContain(secretText);
    // Control: the search works, because it finds the call id in plain text.
    expect(bytesIn(stateOf(of))).toContain(call);
    const tail = await of.host.auditTail(20);
    expect(JSON.stringify(tail)).not.toContain(secretText);
    expect(tail.at(-1)).toMatchObject({
      kind: 'operator',
      body: { operation: 'arguments open', callId: call, by: 'ann' },
    });
    expect(await of.host.verifyAudit()).toMatchObject({ ok: true });
  });

  test('that needs approval is sealed when it runs, together with its intent entry', async () => {
    const of = await bench();
    const session = await of.session({ policy: sealed });
    const held = await session.call({ tool: 'ask/ask', arguments: { text: secretText } });
    if (held.status !== 'confirmation_required') throw new Error(JSON.stringify(held));
    // A held call has not run, so it is not sealed.
    expect(rows(of)).toEqual([]);
    await of.host.approvals.approve(held.confirmation.token, 'ann');
    const answer = await session.call({ tool: 'ask/ask', arguments: { text: secretText } });
    await resultOf(answer);
    const [row] = rows(of);
    const intent = (await of.host.auditTail(50)).find((it) => it.seq === row?.audit_seq);
    expect(intent).toMatchObject({ kind: 'intent', body: { callId: answer.callId } });
    expect((await of.host.keptArguments.open(answer.callId, 'ann')).arguments).toEqual({ text: secretText });
  });

  test('is sealed without values of the vault, and marked as not exact', async () => {
    const of = await bench();
    const value = ['zw', '81', 'Kormoran', 'am', 'Wehr'].join('-');
    await of.host.secrets.set({
      package: 'echo',
      slot: 'KEY',
      value,
      audience: { kind: 'hosts', hosts: ['api.example.com'] },
      by: 'ann',
    });
    const session = await of.session({ policy: sealed });
    const answer = await session.call({ tool: 'echo/echo', arguments: { text: `Ann ${value}` } });
    expect(answer.status).toBe('ok');
    const opened = await of.host.keptArguments.open(answer.callId, 'ann');
    expect(opened).toMatchObject({ arguments: { text: 'Ann [redacted:KEY]' }, exact: false });
  });

  test('does not run if the key is missing', async () => {
    const of = await bench({ passphrase: 'a river and a lock' });
    await called(of, sealed);
    const state = stateOf(of);
    await of.host.close();
    const host = await createHost({ state, warm: false });
    const session = await host.session({
      principal: 'agent',
      directories: [of.packages],
      root: of.root,
      policy: sealed,
    });
    const failed = await failureOf(session.call({ tool: 'echo/echo', arguments: { text: secretText } }));
    const entries = await host.auditTail(3);
    await host.close();
    expect(failed).toMatchObject({
      code: 'state_unusable',
      message: expect.stringContaining('passphrase'),
    });
    expect(entries.map((it) => it.kind)).not.toContain('intent');
  });

  test('cannot be made with an invalid sealArguments policy', async () => {
    const of = await bench();
    for (const wrong of [true, 'encrypted', null, { keyStorage: 'nobody' }]) {
      const policy = { sealArguments: wrong } as unknown as SessionPolicy;
      await expect(of.session({ policy })).rejects.toMatchObject({ code: 'invalid_config' });
    }
  });
});

describe('sealed arguments do not open after tampering', () => {
  test.each([
    ['a changed byte', 'update sealed_arguments set sealed = zeroblob(length(sealed))'],
    ['another nonce', 'update sealed_arguments set nonce = zeroblob(12)'],
    ['a truncated value', "update sealed_arguments set sealed = x'00'"],
    ['another line of the audit log', 'update sealed_arguments set audit_seq = 1'],
  ])('%s', async (_, sql) => {
    const of = await bench();
    const call = await called(of, sealed);
    // Control: it opens before the change.
    await of.host.keptArguments.open(call, 'ann');
    tamper(of, sql);
    await expect(of.host.keptArguments.open(call, 'ann')).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('were changed or belong to another call'),
    });
  });

  test('swapped rows, with or without their line numbers', async () => {
    const of = await bench();
    const [a, b] = [await called(of, sealed, 'first text'), await called(of, sealed, 'other text')];
    await of.host.keptArguments.open(a, 'ann');
    const swap = (columns: string) =>
      `create temp table s as select * from sealed_arguments;
       update sealed_arguments set (${columns}) = (select ${columns} from s where s.call_id <> sealed_arguments.call_id);`;
    tamper(of, swap('nonce, sealed'));
    for (const call of [a, b])
      await expect(of.host.keptArguments.open(call, 'ann')).rejects.toMatchObject({ code: 'integrity' });
    tamper(of, swap('audit_seq'));
    for (const call of [a, b])
      await expect(of.host.keptArguments.open(call, 'ann')).rejects.toMatchObject({ code: 'integrity' });
  });

  test('control: the same text is sealed differently each time', async () => {
    const of = await bench();
    await called(of, sealed);
    await called(of, sealed);
    await of.host.verifyAudit();
    const [a, b] = rows(of).map((it) => Buffer.from(it.sealed as Uint8Array).toString('hex'));
    expect(a).not.toBe(b);
  });
});

describe('the key', () => {
  test('can move to another key storage: sealed arguments still open', async () => {
    const of = await bench();
    const call = await called(of, sealed);
    await of.host.secrets.rekey({ to: 'passphrase', passphrase: 'a river and a lock', by: 'ann' });
    expect((await of.host.keptArguments.open(call, 'ann')).arguments).toEqual({ text: secretText });
    await of.host.close();
    const host = await createHost({ state: stateOf(of), passphrase: 'a river and a lock' });
    expect((await host.keptArguments.open(call, 'ann')).arguments).toEqual({ text: secretText });
    await host.close();
  });

  test('if missing or wrong is reported differently from a changed row', async () => {
    const of = await bench();
    const call = await called(of, sealed);
    await of.host.close();
    const state = stateOf(of);
    renameSync(join(state, 'vault.key'), join(state, 'vault.key.away'));
    const host = await createHost({ state });
    await expect(host.keptArguments.open(call, 'ann')).rejects.toMatchObject({
      code: 'state_unusable',
      message: expect.stringContaining('vault.key is missing'),
    });
    await host.close();
    writeFileSync(join(state, 'vault.key'), Buffer.alloc(32, 7), { mode: 0o600 });
    const other = await createHost({ state });
    await expect(other.keptArguments.open(call, 'ann')).rejects.toMatchObject({
      code: 'state_unusable',
      message: expect.stringContaining('encrypted with another key'),
    });
    await other.close();
  });

  test('is used to open or erase only with the PIN if one is set, and each opening is audited', async () => {
    const of = await bench();
    const call = await called(of, sealed);
    const pin = ['heron', 'lock', '47'].join('-');
    await of.host.operator.setPin(pin, 'ann');
    await expect(of.host.keptArguments.open(call, 'agent')).rejects.toMatchObject({ code: 'pin_required' });
    await expect(of.host.keptArguments.forget(Date.now(), 'agent')).rejects.toMatchObject({
      code: 'pin_required',
    });
    const by = { name: 'ann', channel: 'terminal', pin } as const;
    expect((await of.host.keptArguments.open(call, by)).exact).toBe(true);
    expect((await of.host.auditTail(1))[0]?.body).toMatchObject({
      operation: 'arguments open',
      verified: true,
    });
  });
});

test('forget erases the bytes of older arguments, is audited, and keeps the audit log valid', async () => {
  let now = Date.UTC(2026, 0, 1);
  const of = await bench({ now: () => now });
  const old = await called(of, sealed, 'first text');
  now = Date.UTC(2026, 0, 20);
  const recent = await called(of, sealed, 'other text');
  await of.host.verifyAudit();
  const bytes = rows(of).find((it) => it.call_id === old)?.sealed as Uint8Array;
  const inFiles = () => bytesIn(stateOf(of)).includes(Buffer.from(bytes).toString('latin1'));
  expect(inFiles()).toBe(true);
  expect(await of.host.keptArguments.forget(Date.UTC(2026, 0, 10), 'ann')).toBe(1);
  expect(inFiles()).toBe(false);
  await expect(of.host.keptArguments.open(old, 'ann')).rejects.toMatchObject({ code: 'not_found' });
  expect((await of.host.keptArguments.open(recent, 'ann')).arguments).toEqual({ text: 'other text' });
  const entry = (await of.host.auditTail(10)).find((it) => it.body.operation === 'arguments forget');
  expect(entry?.body).toMatchObject({ before: '2026-01-10T00:00:00.000Z', count: 1, by: 'ann' });
  expect(await of.host.verifyAudit()).toMatchObject({ ok: true });
});

describe('the command', () => {
  const folder = temporaryFolder({
    'tools/echo.py': files['echo.py'],
    'config/toolwharf/config.toml': '[audit]\narguments = "encrypted"\n',
  });
  const state = join(folder.path, 'state');
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    folder.remove();
  });
  const run = (line: readonly string[], cwd = folder.path) =>
    toolwharf([...line, '--state', state], { cwd, env: { XDG_CONFIG_HOME: join(folder.path, 'config') } });
  const call = async (cwd = folder.path): Promise<string> => {
    const done = await run(
      [
        'call',
        'echo/echo',
        JSON.stringify({ text: secretText }),
        '--dir',
        join(folder.path, 'tools'),
        '--json',
      ],
      cwd,
    );
    expect(done).toMatchObject({ code: 0 });
    const lines = (await run(['audit', 'tail', '--json'])).stdout.trim().split('\n');
    const intents = lines.map((it) => JSON.parse(it)).filter((it) => it.kind === 'intent');
    return intents.at(-1).body.callId;
  };
  let id = '';
  beforeAll(async () => {
    id = await call();
  });

  test('shows the entries of one call, and its arguments with --open', async () => {
    const plain = await run(['audit', 'show', id]);
    expect(plain.code).toBe(0);
    expect(plain.stdout).toMatch(
      / intent .*\n.* outcome .*\n.*arguments are stored encrypted; show them with --open\n$/,
    );
    expect(plain.stdout).not.toContain(secretText);
    const opened = await run(['audit', 'show', id, '--open']);
    expect(opened.stdout).toContain('"operation":"arguments open"');
    expect(opened.stdout).toContain(
      `arguments of echo/echo, exactly as they were:\n{\n  "text": "${secretText}"\n}`,
    );
    const document = JSON.parse((await run(['audit', 'show', id, '--open', '--json'])).stdout);
    expect(document).toMatchObject({
      schema: 'toolwharf/audit-call@1',
      call: id,
      kept: true,
      opened: { tool: 'echo/echo', arguments: { text: secretText }, exact: true },
    });
    expect(document.entries.map((it: { kind: string }) => it.kind)).toEqual([
      'intent',
      'outcome',
      'operator',
      'operator',
    ]);
  });

  test('reports unknown calls and missing arguments', async () => {
    expect(await run(['audit', 'show', 'call_none'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no call "call_none" in the audit log'),
    });
    expect(await run(['audit', 'show', 'call_none', '--open'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no arguments are kept for "call_none"'),
    });
    expect((await run(['audit', 'show'])).code).toBe(2);
    expect((await run(['audit', 'forget'])).code).toBe(2);
    expect((await run(['audit', 'forget', '--before', 'soon'])).code).toBe(2);
  });

  test('a project can only turn sealing off', async () => {
    const project = join(folder.path, 'project');
    const writeProject = (value: string) => {
      const made = temporaryFolder({ 'toolwharf.toml': `[audit]\narguments = "${value}"\n` });
      rmSync(project, { recursive: true, force: true });
      renameSync(made.path, project);
    };
    writeProject('encrypted');
    const rejected = await run(['config', 'list'], project);
    expect(rejected.code).not.toBe(0);
    expect(rejected.stderr).toContain(
      'audit.arguments = "encrypted" is less strict than the user\'s configuration',
    );
    writeProject('digest');
    const plain = await call(project);
    expect(JSON.parse((await run(['audit', 'show', plain, '--json'])).stdout)).toMatchObject({ kept: false });
  });

  test('uses the socket of a running host, also to erase', async () => {
    const child = spawn(process.execPath, [main, 'host', '--idle', '5m', '--state', state]);
    started.push(child);
    let text = '';
    child.stderr.on('data', (chunk) => {
      text += chunk;
    });
    await until(() => text.includes('started'));
    const there = await call();
    const opened = JSON.parse((await run(['audit', 'show', there, '--open', '--json'])).stdout);
    expect(opened.opened.arguments).toEqual({ text: secretText });
    const done = await run(['audit', 'forget', '--before', '2999-01-01', '--json']);
    expect(JSON.parse(done.stdout)).toMatchObject({ schema: 'toolwharf/audit-forget@1', forgotten: 2 });
    expect((await run(['audit', 'show', id, '--open'])).code).toBe(2);
    expect((await run(['audit', 'verify'])).code).toBe(0);
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  });
});
