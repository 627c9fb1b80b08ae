// SECURITY.md: whoever resets a PIN gains nothing that it guarded.
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openPinReset } from '../../src/host/pin-reset.js';
import { createHost } from '../../src/index.js';
import { openDatabase } from '../../src/store/database.js';
import { atTerminal, patchTool, temporaryFolder, toolwharf } from '../toolwharf.js';
import { type Workbench, workbench } from '../workbench.js';

const old = ['open', 'sesame', '9'].join('-');
const fresh = ['another', 'door', '4'].join('-');
const operator = (pin?: string) => ({ name: 'test', channel: 'terminal', ...(pin ? { pin } : {}) }) as const;

let bench: Workbench | undefined;
afterEach(() => bench?.close());

/** A house with something of everything that a PIN guards, and its host stopped. */
async function guarded() {
  bench = await workbench({
    'note.py': patchTool({ name: 'note', humanConfirm: true, body: '    return {"noted": text}' }),
  });
  const { host } = bench;
  const session = await bench.session({ policy: { sealArguments: {} } });
  const call = (text: string) => session.call({ tool: 'note/note', arguments: { text } });
  await host.operator.setPin(old, operator());
  const by = operator(old);
  const hold = async (text: string) => {
    const answer = await call(text);
    if (answer.status !== 'confirmation_required') throw new Error(JSON.stringify(answer));
    return answer.confirmation.token;
  };
  // Arguments of this one are kept.
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
  await host.kills.set('stopped', 'test');
  await host.close();
  return { state: join(bench.path, 'state'), ran: ran.callId, approved, proposed, token, noticeKey };
}

test('a reset forgets all that the PIN guards, and nothing that stops anything', async () => {
  const { state, ran, approved, proposed, token, noticeKey } = await guarded();
  const reset = await openPinReset({ state }, Date.now);
  expect(reset).toMatchObject({
    isSet: true,
    guarded: { values: 1, tokens: 1, rules: 1, requests: 2, arguments: 1 },
  });
  await expect(reset.carryOut('123456', 'test')).rejects.toMatchObject({ code: 'invalid_input' });
  await reset.carryOut(fresh, 'test');
  await reset.close();

  const host = await createHost({ state });
  try {
    await expect(host.operator.removePin(operator(old))).rejects.toMatchObject({ code: 'pin_required' });
    expect(await host.secrets.list()).toEqual([]);
    expect(await host.tokens.check(token)).toBeUndefined();
    expect((await host.approvals.rules.list()).map((it) => it.state)).toEqual(['ended']);
    for (const id of [approved, proposed]) expect((await host.approvals.get(id)).state).toBe('void');
    await expect(host.keptArguments.open(ran, operator(fresh))).rejects.toMatchObject({ code: 'not_found' });
    expect(await host.approvals.noticeKey(operator(fresh))).not.toBe(noticeKey);
    expect((await host.kills.list()).map((it) => it.target)).toEqual(['stopped']);
    expect(await host.switches.disabled()).toEqual(['off']);
    const acts = (await host.auditTail(1000)).map((it) => it.body);
    expect(acts).toContainEqual(
      expect.objectContaining({ act: 'pin reset', verified: false, by: 'test', channel: 'terminal' }),
    );
    expect(await host.verifyAudit()).toMatchObject({ ok: true });
  } finally {
    await host.close();
  }
  // The control: each of these tables had something in it, and this test counts it.
  const database = openDatabase(state);
  expect(await database.selectFrom('secret').selectAll().execute()).toEqual([]);
  await database.destroy();
});

test('not while a host runs, not without a terminal, not with other words; --yes does not help', async () => {
  const { state } = await guarded();
  const words = ['pin', 'reset', '--state', state];
  const piped = await toolwharf([...words, '--yes'], { stdin: `forget everything\n${fresh}\n${fresh}\n` });
  expect(piped).toMatchObject({ code: 2, stderr: expect.stringContaining('at a terminal only') });
  const wrong = await atTerminal(words, { after: 'type "forget everything": ', type: 'yes\n' });
  expect(wrong).toContain('these were not the words');
  const host = await createHost({ state });
  try {
    await expect(openPinReset({ state }, Date.now)).rejects.toMatchObject({ code: 'state_locked' });
    expect(await host.secrets.list()).toHaveLength(1);
  } finally {
    await host.close();
  }
  const would = await toolwharf([...words, '--dry-run']);
  expect(would.stdout).toContain('would forget 1 value of a package, 1 token, 1 standing rule, 2 held calls');
  const host2 = await createHost({ state });
  expect(await host2.secrets.list()).toHaveLength(1);
  await host2.close();
}, 30_000);

test('at a terminal, typed', async () => {
  const { state } = await guarded();
  const shown = await atTerminal(['pin', 'reset', '--state', state], {
    after: 'type "forget everything": ',
    type: 'forget everything\n',
    later: [
      { after: 'new PIN (not shown): ', type: `${fresh}\n` },
      { after: 'the same again: ', type: `${fresh}\n` },
    ],
  });
  expect(shown).toContain('another PIN is set');
  expect(shown).not.toContain(fresh);
  const host = await createHost({ state });
  try {
    expect(await host.secrets.list()).toEqual([]);
    expect(await host.operator.removePin(operator(fresh))).toBe(true);
  } finally {
    await host.close();
  }
}, 30_000);

test('where no PIN is set there is nothing to reset', async () => {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  await (await createHost({ state })).close();
  const shown = await atTerminal(['pin', 'reset', '--state', state]);
  expect(shown).toContain('no PIN is set');
  folder.remove();
});
