import { expect, test } from 'vitest';
import { answeredId, parseMessageText } from './message-text.js';

test.each([
  ['{"jsonrpc":"2.0","id":7,"result":[[', 7],
  [' { "id" : 12, "error"', 12],
  ['"{\\"id\\":4,\\"result\\":[[', 4],
  ['{"result":[[', 'unknown'],
  ['{"jsonrpc":"2.0","method":"m","params":[[', undefined],
  ['[[[[', undefined],
  ['log: {"id":1,', undefined],
])('the request that %s answers is %s', (head, id) => expect(answeredId(head)).toBe(id));

test('a text over a limit, an invalid text and a value are told apart', () => {
  expect(parseMessageText('['.repeat(300))).toEqual({ excess: { limit: 'depth', max: 210 } });
  expect(parseMessageText('{')).toEqual({});
  expect(parseMessageText('null')).toEqual({ value: null });
});
