import { expect, test } from 'vitest';
import type { JsonSchema } from '../../../model/json.js';
import { namedArguments, splitArgs, splitLine } from './command-line.js';

test.each([
  ['a b', ['a', 'b']],
  [`a="b c" 'd "e'`, ['a=b c', 'd "e']],
  ['a=\\"b\\ c', ['a="b c']],
  [`x="a\\"b"`, ['x=a"b']],
  [`x='a\\b'`, ['x=a\\b']],
  ['x=""', ['x=']],
  ['  ', []],
])('%j has the words %j', (text, words) => {
  expect(splitArgs(text)).toEqual(words);
});

test('an open quote is an error', () => {
  expect(() => splitArgs('a="b')).toThrow('a quote is open');
});

test('a line is its first word and the rest', () => {
  expect(splitLine('  tool  {"a": 1} ')).toEqual({ word: 'tool', rest: '{"a": 1}' });
  expect(splitLine('')).toEqual({ word: '', rest: '' });
});

const input: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    list: { type: 'array' },
    either: { type: ['string', 'number', 'array'] },
  },
};

test.each([
  ['text=7', { text: '7' }],
  ['text=true count=7', { text: 'true', count: 7 }],
  [`list='["a"]'`, { list: ['a'] }],
  ['either=7', { either: '7' }],
  [`either='[7]'`, { either: [7] }],
  ['other=7', { other: 7 }],
  ['other=x=y', { other: 'x=y' }],
  ['', {}],
])('%s means %j', (text, expected) => {
  expect(namedArguments(text, input)).toEqual(expected);
});

test('a word without a name and a name that is given twice are errors', () => {
  expect(() => namedArguments('text', input)).toThrow('neither JSON nor name=value');
  expect(() => namedArguments('=x', input)).toThrow('neither JSON nor name=value');
  expect(() => namedArguments('text=a text=b', input)).toThrow('text is given twice');
});
