// SECURITY.md: "A PIN protects operator operations".
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpBench, httpBench, modern } from '../../support/http-bench.js';

const pin = ['nobody', 'knows', '1'].join('-');

let home: HttpBench;
beforeEach(async () => {
  home = await httpBench();
});
afterEach(() => home.close());

const hold = async () => {
  const { json } = await home.request('/api/v1/call', {
    body: { tool: 'send_note', arguments: { text: 'a' } },
  });
  return json.confirmation.token as string;
};
const stateOf = async (token: string) => (await home.bench.host.approvals.get(token)).state;

test('an agent token cannot approve a call of the agent by any route', async () => {
  await home.bench.host.operator.setPin(pin, 'person');
  const token = await hold();
  const tries = [
    home.request(`/api/v1/approvals/${token}/approve`, { method: 'POST' }),
    home.request(`/api/v1/approvals/${token}/approve`, { method: 'POST', headers: { 'toolwharf-pin': pin } }),
    home.request('/api/v1/operator/sign-in', { body: { pin } }),
    home.request('/api/v1/approvals/rules', { body: { tool: 'send_note/send_note', any: ['text'] } }),
  ];
  for (const it of await Promise.all(tries)) expect(it.status).toBe(403);
  for (const params of [
    { name: 'patch_confirm_action', arguments: { confirmation_token: token } },
    { name: 'patch_confirm_action', arguments: { confirmation_token: token, approve: true, pin } },
  ])
    await home.request('/mcp', modern('tools/call', params));
  expect(await stateOf(token)).toBe('proposed');
  expect(home.answers.filter((it) => it.status === 'ok')).toEqual([]);
});

test('an operator token needs the PIN or a sign-in once a PIN is set', async () => {
  await home.bench.host.operator.setPin(pin, 'person');
  const token = await hold();
  const approve = (headers: Record<string, string>, bearer = home.operator) =>
    home.request(`/api/v1/approvals/${token}/approve`, { method: 'POST', token: bearer, headers });
  expect((await approve({})).json.error.code).toBe('pin_required');
  expect((await approve({ 'toolwharf-sign-in': 'tws_guess' })).status).toBe(403);
  const wrong = await home.request('/api/v1/operator/sign-in', {
    body: { pin: 'not-it-at-all' },
    token: home.operator,
  });
  expect(wrong.status).toBe(403);
  const signed = await home.request('/api/v1/operator/sign-in', { body: { pin }, token: home.operator });
  expect(signed.json).toMatchObject({ schema: 'toolwharf/sign-in@1' });
  // A sign-in is valid only with the token that created it.
  const { token: second } = await home.bench.host.tokens.create({
    name: 'second',
    role: 'operator',
    expiresAt: null,
    by: { name: 'person', channel: 'terminal', pin },
  });
  const headers = { 'toolwharf-sign-in': signed.json.token };
  expect((await approve(headers, second)).status).toBe(403);
  expect(await stateOf(token)).toBe('proposed');
  // Control: the token that created the sign-in can use it.
  expect((await approve(headers)).json.requests[0]).toMatchObject({
    state: 'approved',
    decision: { channel: 'api', verified: true },
  });
});

test('a sign-in ends on sign-out and when the PIN changes', async () => {
  await home.bench.host.operator.setPin(pin, 'person');
  const signIn = async () =>
    (await home.request('/api/v1/operator/sign-in', { body: { pin }, token: home.operator })).json
      .token as string;
  const token = await hold();
  const approve = (signed: string) =>
    home.request(`/api/v1/approvals/${token}/approve`, {
      method: 'POST',
      token: home.operator,
      headers: { 'toolwharf-sign-in': signed },
    });
  const first = await signIn();
  await home.request('/api/v1/operator/sign-in', {
    method: 'DELETE',
    token: home.operator,
    headers: { 'toolwharf-sign-in': first },
  });
  expect((await approve(first)).status).toBe(403);
  const second = await signIn();
  await home.bench.host.operator.setPin(`${pin}-2`, { name: 'person', channel: 'terminal', pin });
  expect((await approve(second)).status).toBe(403);
  expect(await stateOf(token)).toBe('proposed');
});

test('control: before a PIN is set, the operator token is enough', async () => {
  const token = await hold();
  const done = await home.request(`/api/v1/approvals/${token}/approve`, {
    method: 'POST',
    token: home.operator,
  });
  expect(done.json.requests[0]).toMatchObject({ state: 'approved', decision: { verified: false } });
});
