import { describe, expect, test } from 'vitest';
import type { SmokeSuccess } from '../model/lifecycle.js';
import { type SmokeObservation, smokeFailure } from './smoke-verdict.js';

const none: SmokeSuccess = { pointers: [], noErrorField: false };
const variables = new Map([
  ['TEAM', 'a.b'],
  ['TOKEN', 'hidden-value'],
]);

function seen(text: string, more: Partial<SmokeObservation> = {}): SmokeObservation {
  let value: SmokeObservation['value'];
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  return { text, value, ...more };
}

describe('a smoke test', () => {
  test.each<[string, Partial<SmokeSuccess>, SmokeObservation, string | undefined]>([
    ['passes without conditions', {}, seen('x'), undefined],
    ['passes with the exit code', { exitCode: 3 }, seen('', { exitCode: 3 }), undefined],
    [
      'fails with another exit code',
      { exitCode: 0 },
      seen('', { exitCode: 2 }),
      'it ended with exit code 2; 0 was expected',
    ],
    [
      'fails after a signal',
      { exitCode: 0 },
      seen('', { exitCode: null }),
      'it was ended by a signal; exit code 0 was expected',
    ],
    ['passes with any success status', {}, seen('', { httpStatus: 204 }), undefined],
    [
      'fails with an error status',
      {},
      seen('', { httpStatus: 404 }),
      'the HTTP status is 404; a status from 200 to 299 was expected',
    ],
    ['passes with the expected status', { httpStatus: 404 }, seen('', { httpStatus: 404 }), undefined],
    [
      'fails with another status',
      { httpStatus: 200 },
      seen('', { httpStatus: 204 }),
      'the HTTP status is 204; 200 was expected',
    ],
    ['finds a pattern anywhere in the output', { stdoutPattern: 'v\\d' }, seen('tool v1'), undefined],
    ['takes no notice of the last line break', { stdoutPattern: '^ok$' }, seen('ok\n'), undefined],
    [
      'fails without the pattern',
      { stdoutPattern: '^v\\d' },
      seen('tool v1'),
      'the output does not match ^v\\d',
    ],
    ['fills variables literally in patterns', { bodyPattern: `team \${TEAM}$` }, seen('team a.b'), undefined],
    [
      'takes no dot of a value for a wildcard',
      { bodyPattern: `team \${TEAM}$` },
      seen('team axb'),
      `the response does not match team \${TEAM}$`,
    ],
    [
      'fails if a variable has no value',
      { bodyPattern: `\${NOBODY}` },
      seen('x'),
      'body_regex uses NOBODY, which has no value',
    ],
    ['accepts an answer without an error member', { noErrorField: true }, seen('{"ok":1}'), undefined],
    [
      'rejects an answer with an error member',
      { noErrorField: true },
      seen('{"error":null}'),
      'the answer has a member "error"',
    ],
    [
      'needs JSON for conditions on JSON',
      { noErrorField: true },
      seen('plain'),
      'the answer is not JSON, and the conditions need JSON',
    ],
    [
      'compares values at pointers',
      { pointers: [{ pointer: '/a/0/b~1c', equals: { n: 1 } }] },
      seen('{"a":[{"b/c":{"n":1}}]}'),
      undefined,
    ],
    [
      'names the pointer that differs',
      { pointers: [{ pointer: '/n', equals: 1 }] },
      seen('{"n":2}'),
      '/n is 2; 1 was expected',
    ],
    [
      'names the pointer that is missing',
      { pointers: [{ pointer: '/n', equals: 1 }] },
      seen('{}'),
      'the answer has nothing at /n',
    ],
    [
      'does not find members of the prototype',
      { pointers: [{ pointer: '/constructor', equals: 1 }] },
      seen('{}'),
      'the answer has nothing at /constructor',
    ],
    [
      'fills variables in expected values',
      { pointers: [{ pointer: '/t', equals: `\${TEAM}` }] },
      seen('{"t":"a.b"}'),
      undefined,
    ],
    [
      'never shows the value of a variable',
      { pointers: [{ pointer: '/t', equals: `\${TOKEN}` }] },
      seen('{"t":"x"}'),
      `/t is "x"; "\${TOKEN}" was expected`,
    ],
  ])('%s', (_title, success, observation, expected) => {
    expect(smokeFailure({ ...none, ...success }, observation, variables)).toBe(expected);
  });
});
