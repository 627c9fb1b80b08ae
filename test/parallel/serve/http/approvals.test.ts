// What a console needs for held calls over HTTP: quick notification, all details, and rules.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HttpBench, httpBench } from '../../../support/http-bench.js';

let home: HttpBench;
beforeEach(async () => {
  home = await httpBench();
});
afterEach(() => home.close());

const operator = (path: string, rest: object = {}) => home.request(path, { token: home.operator, ...rest });
const call = (text: string) =>
  home.request('/api/v1/call', { body: { tool: 'send_note', arguments: { text } } });

test('a waiting request learns of a held call and of the decision about it', async () => {
  const first = (await operator('/api/v1/approvals')).json;
  expect(first.requests).toEqual([]);
  const quiet = await operator(`/api/v1/approvals?after=${first.version}&wait=0`);
  expect(quiet.json).toMatchObject({ requests: [], version: first.version });
  const waiting = operator(`/api/v1/approvals?after=${first.version}&wait=30`);
  const held = (await call('pay\u202E')).json.confirmation;
  const news = (await waiting).json;
  expect(news.version).not.toBe(first.version);
  expect(news.requests[0]).toMatchObject({
    id: held.token,
    state: 'proposed',
    display: expect.stringContaining('pay<U+202E>'),
    evidence: [{ kind: 'effect', text: expect.any(String) }],
  });
  const again = operator(`/api/v1/approvals?after=${news.version}&wait=30&state=denied`);
  await operator(`/api/v1/approvals/${held.token}/deny`, { method: 'POST' });
  expect((await again).json.requests[0]).toMatchObject({
    state: 'denied',
    decision: { channel: 'api', verified: false },
  });
  // A version of an earlier host process counts as a different version.
  expect((await operator('/api/v1/approvals?after=v_0.7&wait=30')).status).toBe(200);
  expect((await operator(`/api/v1/approvals?after=x&wait=61`)).status).toBe(400);
});

test('rules are created, used, listed and deleted', async () => {
  const rule = (body: object) => operator('/api/v1/approvals/rules', { body });
  const tool = 'send_note/send_note';
  for (const wrong of [
    { tool },
    { tool, any: ['text', 'more'] },
    { tool, when: [{ argument: 'text', test: 'sounds like', value: 'a' }] },
    { tool, when: [{ argument: 'text', test: 'matches', value: '(a' }] },
    { tool, any: ['text'], minutes: -1 },
  ])
    expect((await rule(wrong)).status, JSON.stringify(wrong)).toBe(400);
  expect((await rule({ tool: 'send_note/nothing', any: [] })).status).toBe(404);
  const made = await rule({
    tool,
    when: [{ argument: 'text', test: 'one-of', value: ['a', 'b'] }],
    principal: 'http/start-agent',
    minutes: 5,
  });
  expect(made.json).toMatchObject({ schema: 'toolwharf/rules@1', rules: [{ tool, state: 'active' }] });
  expect((await call('a')).json.status).toBe('ok');
  expect((await call('c')).json.status).toBe('confirmation_required');
  const [listed] = (await operator('/api/v1/approvals/rules')).json.rules;
  expect(listed).toMatchObject({ id: made.json.rules[0].id, used: 1 });
  const end = () => operator(`/api/v1/approvals/rules/${listed.id}`, { method: 'DELETE' });
  expect([(await end()).status, (await end()).status]).toEqual([204, 404]);
  expect((await call('b')).json.status).toBe('confirmation_required');
});
