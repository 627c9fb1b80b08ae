import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../model/json.js';
import { withoutReservedMeta } from '../../model/reserved-meta.js';
import { RpcFailure } from '../rpc/rpc-failure.js';
import { mcpDialect, toHostError } from './mcp-dialect.js';

const { read: readText, params, progress, cancellation } = mcpDialect(() => undefined);
const read = (text: string) => {
  const messages = readText(text);
  return messages !== undefined && 'limit' in messages ? undefined : messages;
};
const kinds = (message: unknown) => read(JSON.stringify(message))?.map((it) => it.kind);
const rpc = { jsonrpc: '2.0' };

describe('a text of a server', () => {
  test.each<[string, JsonObject, string]>([
    ['a result', { id: 1, result: {} }, 'result'],
    ['an error', { id: 1, error: { code: -1, message: 'no' } }, 'failure'],
    ['an error without an id', { id: null, error: { code: -1, message: 'no' } }, 'failure'],
    ['a request', { id: 'a', method: 'ping' }, 'request'],
    ['a notification', { method: 'notifications/message', params: {} }, 'notification'],
  ])('can be %s', (_, message, kind) => {
    expect(kinds({ ...rpc, ...message })).toEqual([kind]);
  });

  test.each<[string, Json]>([
    ['a version other than 2.0', { id: 1, result: {} }],
    ['a result that is not an object', { ...rpc, id: 1, result: 7 }],
    ['an answer without result and error', { ...rpc, id: 1 }],
    ['an answer without an id', { ...rpc, result: {} }],
    ['a request whose id is null', { ...rpc, id: null, method: 'ping' }],
    ['an empty batch', []],
    ['a batch with something else in it', [{ ...rpc, method: 'n' }, 7]],
    ['a text', 'Welcome!'],
  ])('is not valid with %s', (_, message) => {
    expect(kinds(message)).toBeUndefined();
  });

  test('is not valid if it is not JSON, or nested too deeply', () => {
    expect(read('Welcome!')).toBeUndefined();
    const nested = (depth: number) =>
      `{"jsonrpc":"2.0","method":"m","params":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    expect(read(nested(208))).toHaveLength(1);
    expect(read(nested(209))).toBeUndefined();
    expect(read(nested(100_000))).toBeUndefined();
  });

  test('can be a batch, of which 64 messages are read', () => {
    expect(
      kinds([
        { ...rpc, method: 'n' },
        { ...rpc, id: 2, result: {} },
      ]),
    ).toEqual(['notification', 'result']);
    expect(kinds(Array.from({ length: 1000 }, () => ({ ...rpc, method: 'n' })))).toHaveLength(64);
  });

  test('has an error text of at most 4000 characters', () => {
    const [message] =
      read(JSON.stringify({ ...rpc, id: 1, error: { code: 1, message: 'x'.repeat(9999) } })) ?? [];
    expect(message?.kind === 'failure' && message.failure.message.length).toBe(4000);
  });
});

describe('_meta', () => {
  test('has the token for progress and the fields of every request; a request may replace them', () => {
    const with2026 = mcpDialect(() => ({ client: 'toolwharf', revision: '2026' }));
    expect(with2026.params?.({ a: 1, _meta: { revision: 'own' } }, 7)).toEqual({
      a: 1,
      _meta: { client: 'toolwharf', revision: 'own', progressToken: 7 },
    });
  });

  test('is absent if there is nothing in it', () => {
    expect(params?.({ a: 1 }, undefined)).toEqual({ a: 1 });
  });

  test('of a server loses the fields of the protocol and of the host', () => {
    const meta = { 'io.modelcontextprotocol/x': 1, 'Toolwharf/held': 2, 'example.com/x': 3 };
    expect(withoutReservedMeta(meta)).toEqual({ 'example.com/x': 3 });
  });
});

test('progress needs a number, and its message is shortened', () => {
  const told = { progressToken: 4, progress: 1, total: 3, message: 'm'.repeat(5000) };
  expect(progress?.('notifications/progress', told)).toEqual({
    token: 4,
    progress: { progress: 1, total: 3, message: 'm'.repeat(1000) },
  });
  expect(progress?.('notifications/progress', { progressToken: 4, progress: '1' })).toBeUndefined();
  expect(progress?.('notifications/message', { progress: 1 })).toBeUndefined();
});

test('a cancellation names its request', () => {
  expect(cancellation?.(5, 'timeout')).toEqual({
    method: 'notifications/cancelled',
    params: { requestId: 5, reason: 'timeout' },
  });
});

test('an error of a server becomes a failure of the call; other errors stay as they are', () => {
  expect(toHostError(new RpcFailure(1, 'no'), 'shop/desk')).toMatchObject({ code: 'upstream_failed' });
  const other = new Error('a bug');
  expect(toHostError(other, 'shop/desk')).toBe(other);
});
