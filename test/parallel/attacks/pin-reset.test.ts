// SECURITY.md: "A PIN reset reveals nothing".
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openPinReset } from '../../../src/host/operator/pin-reset.js';
import { createHost } from '../../../src/index.js';
import { EndorsementRows } from '../../../src/store/endorsements.js';
import { openDatabase } from '../../../src/store/sqlite/sqlite-database.js';
import { atTerminal, patchTool, temporaryFolder, toolwharf } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const old = ['open', 'sesame', '9'].join('-');
const fresh = ['another', 'door', '4'].join('-');
const operator = (pin?: string) => ({ name: 'test', channel: 'terminal', ...(pin ? { pin } : {}) }) as const;

let bench: Workbench | undefined;
afterEach(() => bench?.close());

/** A state directory with one of each thing that a PIN protects. Its host is stopped. */
async function prepareState() {
  bench = await workbench(
    { 'note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }) },
    { statesEffects: false },
  );
  const { host } = bench;
  const session = await bench.session({ policy: { sealArguments: {}, trusted: ['note'] } });
  const call = (text: string) => session.call({ tool: 'note/note', arguments: { text } });
  await host.operator.setPin(old, operator());
  const by = operator(old);
  for (const { id } of await session.waivers()) await session.acceptWaiver(id, by);
  const hold = async (text: string) => {
    const answer = await call(text);
    if (answer.status !== 'confirmation_required') throw new Error(JSON.stringify(answer));
    return answer.confirmation.token;
  };
  // The arguments of this call are stored.
  await host.approvals.approve(await hold('ran'), by);
  const ran = await call('ran');
  expect(ran.status).toBe('ok');
  const [approved, proposed] = [await hold('approved'), await hold('proposed')];
  await host.approvals.approve(approved, by);
  const { definition } = await host.approvals.get(proposed);
  const conditions = [{ argument: 'text', condition: { test: 'equals', value: 'ruled' } as const }];
  const target = { tool: 'note/note', definition, principal: null };
  await host.approvals.rules.add({ ...target, conditions, destructive: false, expiresAt: null }, by);
  const audience = { kind: 'any' } as const;
  await host.secrets.set({ package: 'x', slot: 'KEY', value: 'planted-value', audience, by });
  const { token } = await host.tokens.create({ name: 'admin', role: 'operator', expiresAt: null, by });
  const noticeKey = await host.approvals.noticeKey(by);
  await host.switches.set('off', false, 'test');
  await host.kills.set('stopped', 'test', true);
  await host.close();
  const state = join(bench.path, 'state');
  const database = openDatabase(state);
  await new EndorsementRows(database).add([
    {
      ...{
        id: 'e1',
        session: 's1',
        source: 'approval',
        kind: 'place',
        value: 'eve',
        level: 'pay',
        input: null,
      },
      ...{ created_at: 1, created_by: 'test', channel: 'terminal', verified: 0 },
    },
  ]);
  await database.destroy();
  return { state, ran: ran.callId, approved, proposed, token, noticeKey };
}

test('a reset deletes everything that the PIN protects, and keeps all stops', async () => {
  const { state, ran, approved, proposed, token, noticeKey } = await prepareState();
  const reset = await openPinReset({ state }, Date.now);
  expect(reset).toMatchObject({
    isSet: true,
    protectedCounts: {
      ...{ values: 1, tokens: 1, waivers: 1, endorsements: 1, rules: 1, requests: 2, arguments: 1 },
    },
  });
  await expect(reset.reset('123456', 'test')).rejects.toMatchObject({ code: 'invalid_input' });
  await reset.reset(fresh, 'test');
  await reset.close();

  const host = await createHost({ state });
  try {
    await expect(host.operator.removePin(operator(old))).rejects.toMatchObject({ code: 'pin_required' });
    expect(await host.secrets.list()).toEqual([]);
    expect(await host.tokens.check(token)).toBeNull();
    expect(await host.waivers.list()).toEqual([]);
    expect((await host.approvals.rules.list()).map((it) => it.state)).toEqual(['ended']);
    for (const id of [approved, proposed]) expect((await host.approvals.get(id)).state).toBe('void');
    await expect(host.keptArguments.open(ran, operator(fresh))).rejects.toMatchObject({ code: 'not_found' });
    expect(await host.approvals.noticeKey(operator(fresh))).not.toBe(noticeKey);
    expect((await host.kills.list()).map((it) => it.target)).toEqual(['stopped']);
    expect(await host.switches.disabled()).toEqual(['off']);
    const entries = (await host.auditTail(1000)).map((it) => it.body);
    expect(entries).toContainEqual(
      expect.objectContaining({ operation: 'pin reset', verified: false, by: 'test', channel: 'terminal' }),
    );
    expect(await host.verifyAudit()).toMatchObject({ ok: true });
  } finally {
    await host.close();
  }
  // The table is empty; it had one row before the reset.
  const database = openDatabase(state);
  expect(await database.selectFrom('secret').selectAll().execute()).toEqual([]);
  expect(await new EndorsementRows(database).list(null)).toEqual([]);
  await database.destroy();
});

test('a reset needs a terminal, the exact phrase and no running host, and --yes does not replace them', async () => {
  const { state } = await prepareState();
  const args = ['pin', 'reset', '--state', state];
  const piped = await toolwharf([...args, '--yes'], { stdin: `delete everything\n${fresh}\n${fresh}\n` });
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('only be reset at a terminal') });
  const wrong = await atTerminal(args, { after: 'type "delete everything": ', type: 'yes\n' });
  expect(wrong).toContain('the text does not match');
  const host = await createHost({ state });
  try {
    await expect(openPinReset({ state }, Date.now)).rejects.toMatchObject({ code: 'state_locked' });
    expect(await host.secrets.list()).toHaveLength(1);
  } finally {
    await host.close();
  }
  const would = await toolwharf([...args, '--dry-run']);
  expect(would.stdout).toContain(
    'would delete 1 secret or setting, 1 token, 1 accepted setting, 1 endorsed value, 1 standing rule, 2 held calls',
  );
  const host2 = await createHost({ state });
  expect(await host2.secrets.list()).toHaveLength(1);
  await host2.close();
}, 30_000);

test('a reset at a terminal with the exact phrase sets a new PIN', async () => {
  const { state } = await prepareState();
  const shown = await atTerminal(['pin', 'reset', '--state', state], {
    after: 'type "delete everything": ',
    type: 'delete everything\n',
    later: [
      { after: 'new PIN (not shown): ', type: `${fresh}\n` },
      { after: 'repeat it: ', type: `${fresh}\n` },
    ],
  });
  expect(shown).toContain('a new PIN is set');
  expect(shown).not.toContain(fresh);
  const host = await createHost({ state });
  try {
    expect(await host.secrets.list()).toEqual([]);
    expect(await host.operator.removePin(operator(fresh))).toBe(true);
  } finally {
    await host.close();
  }
}, 30_000);

test('a reset without a PIN reports that no PIN is set', async () => {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  await (await createHost({ state })).close();
  const shown = await atTerminal(['pin', 'reset', '--state', state]);
  expect(shown).toContain('no PIN is set');
  folder.remove();
});
