// SECURITY.md: "The kill switch stops everything". An agent cannot lift it over HTTP, MCP or with an
// approval.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpBench, httpBench, modern } from '../../support/http-bench.js';

let home: HttpBench;
beforeAll(async () => {
  home = await httpBench();
});
afterAll(() => home.close());

const count = () =>
  home.request('/api/v1/call', { body: { tool: 'word_count', arguments: { text: 'a b' } } });

test('an operator can see, set and lift the kill switch, and an agent cannot', async () => {
  expect((await count()).status).toBe(200);
  const operator = { token: home.operator };
  const set = await home.request('/api/v1/kills', { ...operator, body: { target: 'all' } });
  expect(set.json).toMatchObject({ target: 'all', killed: true, changed: true });
  const denied = await count();
  expect([denied.status, denied.json.error.code]).toEqual([403, 'killed']);

  for (const attempt of [
    { path: '/api/v1/kills' },
    { path: '/api/v1/kills', body: { target: 'word_count' } },
    { path: '/api/v1/kills/lift', body: { target: 'all' } },
    { path: '/api/v1/switches/word_count', method: 'PUT', body: { enabled: true } },
  ]) {
    const { path, ...rest } = attempt;
    expect((await home.request(path, rest)).status, path).toBe(403);
  }
  for (const name of ['toolwharf_kill', 'kill', 'kills.lift', 'toolwharf_lift', 'word_count']) {
    const { headers, body } = modern('tools/call', { name, arguments: { target: 'all' } });
    const answer = await home.request('/mcp', { headers, body });
    expect(answer.json.result?.isError === true || answer.json.error !== undefined, name).toBe(true);
  }
  const { headers, body } = modern('kills/lift', { target: 'all' });
  expect((await home.request('/mcp', { headers, body })).json.error).toBeDefined();
  expect((await count()).json.error.code).toBe('killed');

  // Control: the operator can.
  const lifted = await home.request('/api/v1/kills/lift', { ...operator, body: { target: 'all' } });
  expect(lifted.json).toMatchObject({ killed: false, changed: true });
  expect((await count()).status).toBe(200);
});

test('an approval from before the stop does not run the stopped tool', async () => {
  const note = () => home.request('/api/v1/call', { body: { tool: 'send_note', arguments: { text: 'x' } } });
  const held = await note();
  expect(held.status).toBe(202);
  const { token } = held.json.confirmation;
  await home.bench.host.approvals.approve(token, 'tester');
  await home.bench.host.kills.set('send_note', 'tester');
  const confirm = { tool: 'patch_confirm_action', arguments: { confirmation_token: token } };
  expect((await home.request('/api/v1/call', { body: confirm })).json.status).toBe('denied');
  await home.bench.host.kills.lift('send_note', 'tester');
  expect((await home.request('/api/v1/call', { body: confirm })).json.error.code).toBe('approval_expired');
  expect((await note()).status).toBe(202);
});
