import { expect, test } from 'vitest';
import { OpenRequests } from './open-requests.js';

const line = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });
const initialize = line({ id: 0, method: 'initialize', params: {} });
const initialized = line({ method: 'notifications/initialized' });
const answer = (id: number | string) => line({ id, result: {} });

test('the next host gets the greeting again, and every request that has no answer', () => {
  const requests = new OpenRequests();
  requests.sent(initialize);
  expect(requests.received(answer(0))).toEqual(['0']);
  requests.sent(initialized);
  for (const id of [1, '1', 2]) requests.sent(line({ id, method: 'tools/list' }));
  requests.received(answer(1));
  expect(requests.replay()).toEqual({
    greeting: [initialize, initialized],
    answeredId: '0',
    requests: [line({ id: '1', method: 'tools/list' }), line({ id: 2, method: 'tools/list' })],
  });
});

test('an initialize without an answer is an open request, and its answer reaches the client', () => {
  const requests = new OpenRequests();
  requests.sent(initialize);
  expect(requests.replay()).toEqual({ greeting: [], answeredId: undefined, requests: [initialize] });
});

test('a canceled request is not sent again', () => {
  const requests = new OpenRequests();
  requests.sent(line({ id: 'a', method: 'tools/call' }));
  requests.sent(line({ method: 'notifications/cancelled', params: { requestId: 'a' } }));
  expect(requests.replay().requests).toEqual([]);
});

test('a batch counts as open until all its requests have answers', () => {
  const requests = new OpenRequests();
  const batch = JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
  requests.sent(batch);
  requests.received(answer(1));
  expect(requests.replay().requests).toEqual([batch]);
  requests.received(`[${answer(1)},${answer(2)}]`);
  expect(requests.replay().requests).toEqual([]);
});

test('a question of the host and a text inside an answer are not taken for an answer', () => {
  const requests = new OpenRequests();
  requests.sent(line({ id: 7, method: 'tools/call' }));
  expect(requests.received(line({ id: 7, method: 'elicitation/create' }))).toEqual([]);
  expect(requests.received(line({ method: 'x', params: { id: 7, result: 1 } }))).toEqual([]);
  expect(requests.received('not JSON')).toEqual([]);
  requests.sent('not JSON');
  expect(requests.replay().requests).toHaveLength(1);
});
