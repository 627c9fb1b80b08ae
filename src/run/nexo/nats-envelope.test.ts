import { expect, test } from 'vitest';
import { readCard, unwrapMessage, wrapRequest } from './nats-envelope.js';

const rpc = '{"jsonrpc":"2.0","id":7,"result":{"topic":"weather","payload":[1]}}';
const address = { id: '0c2b3c5e-0000-4000-8000-000000000000', topic: 'ext.weather.rpc', replyTo: '_INBOX.1' };

test('a wrapped text comes out of its envelope unchanged', () => {
  expect(unwrapMessage(wrapRequest(rpc, address))).toEqual({ form: 'envelope', text: rpc });
});

test.each([
  ['bare JSON-RPC', rpc, rpc],
  [
    'bare JSON-RPC whose members look like an envelope',
    `${rpc.slice(0, -1)},"topic":"t","payload":1}`,
    undefined,
  ],
  ['text that is not JSON', 'hello', 'hello'],
  ['an object without a topic', '{"payload":"x"}', '{"payload":"x"}'],
])('%s is not an envelope', (_name, text, same = text) => {
  expect(unwrapMessage(text)).toEqual({ form: 'bare', text: same });
});

test.each([
  ['a message with an object as payload', { topic: 't', payload: JSON.parse(rpc) }],
  ['an event around a message', { topic: 't', source: 's', payload: { topic: 'u', payload: rpc } }],
])('%s is unwrapped completely', (_name, envelope) => {
  expect(unwrapMessage(JSON.stringify(envelope))).toEqual({ form: 'envelope', text: rpc });
});

test('an envelope that is nested without end is not followed', () => {
  const nested = (levels: number): object => ({
    topic: 't',
    payload: levels === 0 ? rpc : nested(levels - 1),
  });
  expect(unwrapMessage(JSON.stringify(nested(10)))).toMatchObject({
    form: 'envelope',
    text: JSON.stringify(nested(7)),
  });
});

test('a text over a limit is reported and not read', () => {
  expect(unwrapMessage(`{"topic":"t","payload":${'['.repeat(5000)}${']'.repeat(5000)}}`)).toHaveProperty(
    'limit',
  );
});

test('cards are read in every form', () => {
  const card = { id: 'weather', version: '1.0.0' };
  for (const text of [
    JSON.stringify(card),
    JSON.stringify(JSON.stringify(card)),
    JSON.stringify({ id: 'u', topic: 'ext.registry.announce', payload: card }),
    JSON.stringify({ id: 'u', topic: 'ext.registry.announce', payload: JSON.stringify(card) }),
  ])
    expect(readCard(text)).toEqual(card);
  for (const text of ['', 'x', '[]', '1']) expect(readCard(text)).toEqual({});
});
