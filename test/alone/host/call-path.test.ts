// Promises of the call pipeline that thread.test.ts does not cover, with a real host and a real sandbox.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost, type Host, type Session } from '../../../src/index.js';
import { openSqlite } from '../../../src/store/sqlite/sqlite.js';
import { findagentTool, loopbackServer, patchTool, temporaryFolder } from '../../support/toolwharf.js';

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let clock = Date.parse('2026-01-01T00:00:00Z');
const bugs: unknown[] = [];

beforeEach(async () => {
  folder = temporaryFolder({
    'note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
    'slow.py': patchTool({
      name: 'slow',
      body: '    import time\n    time.sleep(float(text))\n    return {}',
    }),
    'env.py': patchTool({ name: 'env', body: '    import os\n    return dict(os.environ)' }),
  });
  host = await createHost({
    state: join(folder.path, 'state'),
    now: () => clock,
    onBug: (error) => bugs.push(error),
  });
});

afterEach(async () => {
  await host.close();
  folder.remove();
  expect(bugs.splice(0)).toEqual([]);
});

const open = (principal = 'agent') =>
  host.session({ principal, directories: [folder.path], root: folder.path });

async function hold(session: Session, text: string): Promise<string> {
  const held = await session.call({ tool: 'note', arguments: { text } });
  if (held.status !== 'confirmation_required') throw new Error(`not held: ${JSON.stringify(held)}`);
  return held.confirmation.token;
}

describe('approvals', () => {
  test('an approval is valid for one principal, one tool and the same arguments only', async () => {
    const session = await open();
    const token = await hold(session, 'a');
    expect(await hold(session, 'a')).toBe(token);
    await host.approvals.approve(token, 'person');
    expect(await hold(session, 'b')).not.toBe(token);
    const other = await open('another agent');
    expect(await hold(other, 'a')).not.toBe(token);
    expect(
      await other.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: token } }),
    ).toMatchObject({ error: { code: 'approval_not_found' } });
    expect(await session.call({ tool: 'patch_confirm_action', arguments: { token } })).toMatchObject({
      status: 'ok',
      result: { noted: 'a' },
    });
  });

  test('a denied call stays denied, and an approval expires after ten minutes', async () => {
    const session = await open();
    const denied = await hold(session, 'a');
    await host.approvals.deny(denied, 'person');
    await expect(host.approvals.approve(denied, 'person')).rejects.toMatchObject({ code: 'approval_denied' });
    expect(
      await session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: denied } }),
    ).toMatchObject({ status: 'denied', error: { code: 'approval_denied' } });
    const late = await hold(session, 'b');
    await host.approvals.approve(late, 'person');
    clock += 10 * 60_000;
    expect(
      await session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: late } }),
    ).toMatchObject({ error: { code: 'approval_expired' } });
  });

  test('a changed tool definition voids an approved call', async () => {
    const token = await hold(await open(), 'a');
    await host.approvals.approve(token, 'person');
    writeFileSync(
      join(folder.path, 'note.py'),
      patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": "something else"}' }),
    );
    const session = await open();
    expect(
      await session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: token } }),
    ).toMatchObject({ error: { code: 'approval_expired' } });
    expect(await session.call({ tool: 'note', arguments: { text: 'a' } })).toMatchObject({
      status: 'confirmation_required',
    });
  });

  test('ten identical calls at once make one held call', async () => {
    const session = await open();
    const tokens = await Promise.all(Array.from({ length: 10 }, () => hold(session, 'a')));
    expect(new Set(tokens).size).toBe(1);
  });

  test('a decision that cannot be written to the audit log has no effect', async () => {
    const session = await open();
    const token = await hold(session, 'a');
    const other = openSqlite(join(folder.path, 'state', 'toolwharf.db'));
    other.exec(
      "create trigger full before insert on audit when new.kind = 'approval' begin select raise(abort, 'disk full'); end",
    );
    await expect(host.approvals.approve(token, 'person')).rejects.toThrow();
    other.exec('drop trigger full');
    other.close();
    expect((await host.approvals.get(token)).state).toBe('proposed');
  });

  test('a principal can have at most ten held calls', async () => {
    const session = await open();
    for (let index = 0; index < 10; index++) await hold(session, String(index));
    expect(await session.call({ tool: 'note', arguments: { text: 'one more' } })).toMatchObject({
      status: 'denied',
    });
    await hold(await open('another agent'), 'mine');
  });

  test('the arguments and the answer of a finished call are deleted after an hour', async () => {
    const session = await open();
    const token = await hold(session, 'secret words');
    await host.approvals.approve(token, 'person');
    await session.call({ tool: 'patch_confirm_action', arguments: { token } });
    clock += 2 * 3_600_000;
    expect(await host.approvals.get(token)).toMatchObject({
      state: 'executed',
      arguments: null,
      answer: null,
    });
    expect(await session.call({ tool: 'patch_confirm_action', arguments: { token } })).toMatchObject({
      error: { code: 'approval_expired' },
    });
  });

  test('one approval gives one execution even if twenty calls use it at once', async () => {
    const session = await open();
    const token = await hold(session, 'a');
    await host.approvals.approve(token, 'person');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: token } }),
      ),
    );
    const tail = await host.auditTail(100);
    expect(tail.filter((it) => it.kind === 'intent')).toHaveLength(1);
    expect(answers.some((it) => it.status === 'ok')).toBe(true);
  });
});

describe('execution', () => {
  test('the checked code runs, and an edit after the check has no effect on the session', async () => {
    const session = await open();
    writeFileSync(
      join(folder.path, 'env.py'),
      patchTool({ name: 'env', body: '    return {"changed": True}' }),
    );
    const answer = await session.call({ tool: 'env', arguments: { text: '' } });
    expect(answer).toMatchObject({ status: 'ok', result: { HOME: '/tmp' } });
    expect(await (await open()).call({ tool: 'env', arguments: { text: '' } })).toMatchObject({
      result: { changed: true },
    });
  });

  test('a tool gets no environment variables of the host', async () => {
    process.env.TOOLWHARF_TEST_SECRET = 'planted';
    const answer = await (await open()).call({ tool: 'env', arguments: { text: '' } });
    delete process.env.TOOLWHARF_TEST_SECRET;
    if (answer.status !== 'ok') throw new Error(JSON.stringify(answer));
    expect(Object.keys(answer.result as object).sort()).toEqual(['HOME', 'LANG', 'PATH', 'PWD']);
  });

  test('a canceled call ends at once, and the audit log has its outcome', async () => {
    const session = await open();
    const controller = new AbortController();
    const started = performance.now();
    const calling = session.call({ tool: 'slow', arguments: { text: '30' }, signal: controller.signal });
    setTimeout(() => controller.abort(), 200);
    expect(await calling).toMatchObject({ status: 'error', error: { code: 'canceled' } });
    expect(performance.now() - started).toBeLessThan(5000);
    expect((await host.auditTail(1))[0]).toMatchObject({ kind: 'outcome', body: { status: 'error' } });
  });

  test('a slow call does not disturb 16 quick calls', async () => {
    const session = await open();
    const slow = session.call({ tool: 'slow', arguments: { text: '1.5' } });
    const quick = await Promise.all(
      Array.from({ length: 16 }, () => session.call({ tool: 'slow', arguments: { text: '0' } })),
    );
    expect(quick.map((it) => it.status)).toEqual(Array(16).fill('ok'));
    expect((await slow).status).toBe('ok');
  });
});

describe('unusual requests', () => {
  test('invalid arguments, names and timeouts get an answer, and the audit log stays valid', async () => {
    const session = await open();
    const deep = JSON.parse('['.repeat(5000) + ']'.repeat(5000));
    const rejected = { status: 'error', error: { code: 'invalid_input' } };
    expect(await session.call({ tool: 'env', arguments: { text: deep } })).toMatchObject(rejected);
    expect(await session.call({ tool: 'env', arguments: { text: 'x'.repeat(2_000_000) } })).toMatchObject(
      rejected,
    );
    expect(await session.call({ tool: 'env', arguments: [] })).toMatchObject(rejected);
    expect(await session.call({ tool: undefined as unknown as string, arguments: {} })).toMatchObject({
      error: { code: 'usage' },
    });
    expect(await session.call({ tool: 'x'.repeat(9_000_000), arguments: {} })).toMatchObject({
      error: { code: 'tool_not_found' },
    });
    for (const timeoutMs of [Number.NaN, -1, 0, Number.POSITIVE_INFINITY, 3e9]) {
      expect(await session.call({ tool: 'env', arguments: { text: '' }, timeoutMs })).toMatchObject({
        status: 'ok',
      });
    }
    const tail = await host.auditTail(100);
    expect(JSON.stringify(tail).length).toBeLessThan(20_000);
    expect(await host.verifyAudit()).toMatchObject({ ok: true });
  });

  test('property names that the schema does not declare are not in the audit log', async () => {
    writeFileSync(
      join(folder.path, 'any.py'),
      patchTool({ name: 'any', body: '    return {"ok": True}' }).replace('type: string', 'type: object'),
    );
    const session = await open();
    await session.call({ tool: 'any', arguments: { text: { 'alice@example.com': 1 } } });
    expect(JSON.stringify(await host.auditTail(10))).not.toContain('alice');
  });

  test('a closed host rejects new sessions', async () => {
    const other = await createHost({ state: join(folder.path, 'closed') });
    await other.close();
    await expect(other.session({ directories: [] })).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('sessions', () => {
  test('a session sees only its own packages and has only its own grants', async () => {
    const server = await loopbackServer((_request, response) => response.end('"here"'));
    const other = temporaryFolder({ 'findagent.json': findagentTool(server.port) });
    const plain = await host.session({ principal: 'a', directories: [other.path] });
    const granted = await host.session({
      principal: 'b',
      directories: [other.path],
      allow: [`net:127.0.0.1:${server.port}`],
    });
    expect((await plain.tools()).map((it) => it.name)).toEqual(['order-desk/find_order']);
    const [denied, allowed] = await Promise.all(
      [plain, granted].map((it) => it.call({ tool: 'find_order', arguments: { number: '1' } })),
    );
    expect(denied).toMatchObject({ status: 'denied', error: { code: 'network_denied' } });
    expect(allowed).toMatchObject({ status: 'ok' });
    expect(server.requests).toHaveLength(1);
    await server.close();
    other.remove();
  });

  test('of two packages with the same id the first is ready, and the second needs review', async () => {
    writeFileSync(join(folder.path, 'z_env.py'), patchTool({ name: 'env' }));
    const session = await open();
    const { packages } = await session.packages();
    expect(packages.filter((it) => it.id === 'env').map((it) => [it.state, it.reasons])).toEqual([
      ['ready', [expect.stringContaining('it requires python 3.12')]],
      ['needs-review', [expect.stringContaining('the id env is already used by')]],
    ]);
  });

  test('the error for an unknown tool lists the tools that exist', async () => {
    expect(await (await open()).call({ tool: 'nope', arguments: {} })).toMatchObject({
      status: 'error',
      error: { code: 'tool_not_found', hint: expect.stringContaining('env/env') },
    });
  });
});
