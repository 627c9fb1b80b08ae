import { describe, expect, test } from 'vitest';
import type { Json } from '../model/json.js';
import type { SmokeSuccess } from '../model/lifecycle.js';
import { type SmokeObservation, smokeFailure } from './smoke-verdict.js';

const variables = new Map([
  ['KEY', 'a.b'],
  ['REGION', 'north'],
]);
const json = (value: SmokeObservation['value'], more: Partial<SmokeObservation> = {}): SmokeObservation => ({
  ...{ text: JSON.stringify(value), value, ...more },
});
const text = (said: string, more: Partial<SmokeObservation> = {}): SmokeObservation => ({
  ...{ text: said, value: undefined, ...more },
});
const verdict = (success: Partial<SmokeSuccess>, seen: SmokeObservation) =>
  smokeFailure({ pointers: [], noErrorField: false, ...success }, seen, variables);
const at = (pointer: string, equals: Json) => ({ pointers: [{ pointer, equals }] });

describe('a condition of a smoke test', () => {
  test.each<[string, Partial<SmokeSuccess>, SmokeObservation]>([
    ['no condition', {}, text('anything')],
    ['exit code', { exitCode: 0 }, text('', { exitCode: 0 })],
    ['exit code that is not 0', { exitCode: 3 }, text('', { exitCode: 3 })],
    ['status', { httpStatus: 418 }, text('', { httpStatus: 418 })],
    ['status by default', {}, text('', { httpStatus: 204 })],
    ['pattern of the output', { stdoutPattern: '^ready$' }, text('ready\n')],
    ['pattern with a value, which is not a pattern', { stdoutPattern: '^${KEY}$' }, text('a.b')],
    ['pattern of the response', { bodyPattern: 'up' }, text('is up', { httpStatus: 200 })],
    ['pointer to the whole answer', at('', [1]), json([1])],
    ['pointer into a list', at('/items/1', 'two'), json({ items: ['one', 'two'] })],
    ['pointer with escapes', at('/a~1b/~0', null), json({ 'a/b': { '~': null } })],
    ['pointer to a value', at('/region', '${REGION}'), json({ region: 'north' })],
    ['no error member', { noErrorField: true }, json({ ok: true })],
    ['no error member of a list', { noErrorField: true }, json(['error'])],
  ])('is met: %s', (_, success, seen) => {
    expect(verdict(success, seen)).toBeUndefined();
  });

  test.each<[string, Partial<SmokeSuccess>, SmokeObservation]>([
    ['it ended with exit code 1; 0 was expected', { exitCode: 0 }, text('', { exitCode: 1 })],
    ['it was ended by a signal; exit code 0 was expected', { exitCode: 0 }, text('', { exitCode: null })],
    ['the HTTP status is 200; 204 was expected', { httpStatus: 204 }, text('', { httpStatus: 200 })],
    ['the HTTP status is 302; a status from 200 to 299 was expected', {}, text('', { httpStatus: 302 })],
    ['the output does not match ^a', { stdoutPattern: '^a' }, text('b')],
    ['the output does not match ^${KEY}$', { stdoutPattern: '^${KEY}$' }, text('axb')],
    ['stdout_regex uses NONE, which has no value', { stdoutPattern: '${NONE}' }, text('')],
    ['the response does not match up', { bodyPattern: 'up' }, text('down', { httpStatus: 200 })],
    ['body_regex uses NONE, which has no value', { bodyPattern: '${NONE}' }, text('', { httpStatus: 200 })],
    ['/a is 1; "1" was expected', at('/a', '1'), json({ a: 1 })],
    ['the answer has nothing at /b', at('/b', 1), json({ a: 1 })],
    ['the answer has nothing at /0', at('/0', 1), json([])],
    ['the condition for /a uses NONE, which has no value', at('/a', '${NONE}'), json({ a: '' })],
    ['the answer is not JSON, and the conditions need JSON', at('/a', 1), text('a')],
    ['the answer is not JSON, and the conditions need JSON', { noErrorField: true }, text('a')],
    ['the answer has a member "error"', { noErrorField: true }, json({ error: null })],
  ])('is not met: %s', (words, success, seen) => {
    expect(verdict(success, seen)).toBe(words);
  });

  test('never shows the value that it compares with', () => {
    expect(verdict(at('/region', '${KEY}'), json({ region: 'south' }))).toBe(
      '/region is "south"; "${KEY}" was expected',
    );
  });
});
