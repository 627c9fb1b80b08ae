// The modes of `audit.durability` in a real host: what is on disk before a call, and what a killed host keeps.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { SqliteDatabase as Database } from '../../../src/store/sqlite/sqlite-database.js';
import { type LoopbackServer, loopbackServer, main, temporaryFolder } from '../../support/toolwharf.js';
import { failureOf, findagent, inputOf, type Workbench, workbench } from '../../support/workbench.js';

const manifest = (port: number) => {
  const tool = (name: string, method: string, annotations: JsonObject = {}) => ({
    ...{ name, description: 'Ask the shop.', annotations },
    input_schema: inputOf({ amount: { type: 'number', default: 1 } }),
    action: { type: 'http', method, url: `http://127.0.0.1:${port}/${name}` },
  });
  return findagent('Shop', {
    tools: [
      tool('look', 'GET', { readOnlyHint: true }),
      tool('change', 'POST'),
      tool('remove', 'DELETE', { destructiveHint: true }),
      tool('asked', 'POST'),
      tool('pay', 'POST'),
    ],
    guardrails: { actions: { asked: { approval: 'human' }, pay: { max_amount: 100 } } },
  });
};

const person = { name: 'person', channel: 'terminal' } as const;
let server: LoopbackServer;
let bench: Workbench;
beforeEach(async () => {
  server = await loopbackServer((_request, response) => response.end('{}'));
  bench = await workbench(
    { 'shop/findagent.json': manifest(server.port) },
    { warm: false, acceptedGrants: [grant()] },
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  await bench.close().catch(() => {});
  await server.close();
});

const grant = () => `net:127.0.0.1:${server.port}`;
const open = (auditDurability?: 'group') =>
  bench.session({
    allow: [grant()],
    policy: auditDurability === undefined ? {} : { auditDurability },
  });

/** Calls a tool, with an approval if it is held. True: its entry was on disk before the call. */
async function isSyncedFirst(session: Session, tool: string): Promise<boolean> {
  await bench.host.auditTail(1);
  const delayed = vi.spyOn(Database.prototype, 'withDelayedSync');
  let answer = await session.call({ tool: `shop/${tool}`, arguments: {} });
  if (answer.status === 'confirmation_required') {
    const { token } = answer.confirmation;
    await bench.host.approvals.approve(token, person);
    answer = await session.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: token } });
  }
  expect(answer).toMatchObject({ status: 'ok' });
  const count = delayed.mock.calls.length;
  delayed.mockRestore();
  return count === 0;
}

describe('the entry before a call', () => {
  const tools = ['look', 'change', 'remove', 'asked', 'pay'];

  test('is on disk first in the mode call, whatever the tool does', async () => {
    const session = await open();
    for (const tool of tools) expect([tool, await isSyncedFirst(session, tool)]).toEqual([tool, true]);
  });

  test('is on disk first in the mode group if the call is destructive, approved or paid', async () => {
    const session = await open('group');
    const synced: string[] = [];
    for (const tool of tools) if (await isSyncedFirst(session, tool)) synced.push(tool);
    expect(synced).toEqual(['remove', 'asked', 'pay']);
    expect(await bench.host.verifyAudit()).toMatchObject({ ok: true });
  });

  test('is on disk first while nobody accepted the mode group with the PIN', async () => {
    const pin = ['nobody', 'knows', '3'].join('-');
    const session = await open('group');
    expect(await isSyncedFirst(session, 'look')).toBe(false);
    await bench.host.operator.setPin(pin, 'person');
    expect(await isSyncedFirst(session, 'look')).toBe(true);
    const waiver = (await session.waivers()).find((it) => it.kind === 'durability');
    expect(waiver).toMatchObject({ content: 'group', active: false });
    await session.acceptWaiver(waiver?.id ?? '', { ...person, pin });
    expect(await isSyncedFirst(session, 'look')).toBe(false);
  });
});

test('no call runs any more after entries could not be written to the disk', async () => {
  const session = await open('group');
  const call = () => session.call({ tool: 'shop/look', arguments: {} });
  expect(await call()).toMatchObject({ status: 'ok' });
  vi.spyOn(Database.prototype, 'syncLog').mockRejectedValueOnce(new Error('EIO'));
  const refused = async () => {
    try {
      return (await failureOf(call())).code;
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  await expect.poll(refused).toBe('state_unusable');
  const reached = server.requests.length;
  expect(await refused()).toBe('state_unusable');
  expect(server.requests).toHaveLength(reached);
});

describe('a host that is killed during a call', () => {
  test.each(['call', 'group'])('has the entry of the call, in the mode %s', async (mode) => {
    let reached = () => {};
    const arrived = new Promise<void>((resolve) => {
      reached = resolve;
    });
    // It never answers: the host is killed while it waits.
    const silent = await loopbackServer(() => reached());
    const files = temporaryFolder({
      'findagent.json': manifest(silent.port),
      'child.mjs': `
        import { createHost } from ${JSON.stringify(join(main, '..', 'index.js'))};
        const [state, path, grant, auditDurability] = process.argv.slice(2);
        const host = await createHost({ state });
        const session = await host.session({ principal: 'agent', directories: [path], root: '/tmp', allow: [grant], policy: { auditDurability } });
        await session.call({ tool: 'shop/look', arguments: {} });
      `,
    });
    const state = join(files.path, 'state');
    const args = [
      'child.mjs',
      state,
      join(files.path, 'findagent.json'),
      `net:127.0.0.1:${silent.port}`,
      mode,
    ];
    const child = spawn(process.execPath, args, { cwd: files.path, stdio: ['ignore', 'ignore', 'inherit'] });
    const gone = new Promise((resolve) => child.once('close', resolve));
    await arrived;
    child.kill('SIGKILL');
    await gone;
    const { createHost } = await import('../../../src/index.js');
    const host = await createHost({ state });
    try {
      const intents = (await host.auditTail(100)).filter((it) => it.kind === 'intent');
      expect(intents.map((it) => it.body.tool)).toEqual(['shop/look']);
      expect(await host.verifyAudit()).toMatchObject({ ok: true });
    } finally {
      await host.close();
      await silent.close();
      files.remove();
    }
  });
});
