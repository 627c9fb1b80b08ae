import { expect, test } from 'vitest';
import { paramHeaderProblem } from './mcp-param-headers.js';

const schema = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    deep: { type: 'object', properties: { id: { type: 'string', 'x-mcp-header': 'Id' } } },
    free: { type: 'string' },
  },
};

const packed = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

test.each([
  [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
  [{ region: 'eu' }, { 'mcp-param-region': ' eu ' }],
  [{ region: 'Zürich' }, { 'mcp-param-region': packed('Zürich') }],
  [{ region: '=?base64?eA==' }, { 'mcp-param-region': '=?base64?eA==' }],
  [
    { count: 3, dry: false },
    { 'mcp-param-count': '3', 'mcp-param-dry': 'false' },
  ],
  [{ deep: { id: 'a' } }, { 'mcp-param-id': 'a' }],
  [{ free: 'a', region: null }, {}],
  [undefined, {}],
])('the arguments %j match the headers %j', (given, headers) => {
  expect(paramHeaderProblem(schema, given, headers)).toBeUndefined();
});

test.each([
  [{ region: 'eu' }, {}],
  [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
  [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
  [{ region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }],
  [{}, { 'mcp-param-region': 'eu' }],
  [{ region: null }, { 'mcp-param-region': 'null' }],
  [{ count: 0 }, { 'mcp-param-count': '' }],
  [{ count: 3 }, { 'mcp-param-count': '4' }],
  [{ dry: true }, { 'mcp-param-dry': 'TRUE' }],
  [{ deep: { id: 'a' } }, { 'mcp-param-id': 'b' }],
])('the arguments %j do not match the headers %j', (given, headers) => {
  expect(paramHeaderProblem(schema, given, headers)).toEqual(expect.any(String));
});

test('an x-mcp-header that is not a valid header name is ignored', () => {
  const odd = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'two words' } } };
  expect(paramHeaderProblem(odd, { a: 'x' }, {})).toBeUndefined();
  expect(paramHeaderProblem(true, { a: 'x' }, {})).toBeUndefined();
});
