import { expect, test } from 'vitest';
import type { JsonObject } from '../../../model/json.js';
import { storySteps } from './story-steps.js';

const at = '2026-03-01T07:11:40.493Z';
const step = (kind: string, body: JsonObject) => {
  const [found] = storySteps([{ seq: 1, at, kind, body }]);
  return [found?.title, ...(found?.facts ?? []).map((it) => it.join(': '))];
};

test('a hold says why, and where tainted values were found', () => {
  expect(
    step('hold', {
      reason: 'taint',
      taint: [{ rule: 'outside_input', pointer: '/text' }],
      approval: 'apr_1',
    }),
  ).toEqual(['Held: taint', 'Taint: outside input in /text']);
  expect(step('hold', { repeated: true, approval: 'apr_1' })).toEqual(['Asked again while it was held']);
});

test('a decision says who made it, where, and whether the PIN was given', () => {
  expect(
    step('approval', { decision: 'approved', by: 'console', channel: 'console', verified: true }),
  ).toEqual(['Approved', 'By: console at the console, with the PIN']);
  expect(step('approval', { decision: 'void', reason: 'the package changed' })).toEqual([
    'Void',
    'Reason: the package changed',
  ]);
});

test('a start says what allowed it, and shows only the shape of the arguments', () => {
  expect(
    step('intent', {
      effect: 'destructive',
      shape: { text: 'text(83)' },
      approval: 'apr_1',
      noSandbox: true,
    }),
  ).toEqual([
    'Started',
    'Effect: destructive',
    'Arguments: text: text(83)',
    'Allowed by: an approval (apr_1)',
    'Sandbox: none: the operator turned it off',
  ]);
});

test('an outcome says what guardrails changed and what the call used', () => {
  expect(
    step('outcome', {
      ...{ status: 'ok', durationMs: 203.64, redacted: [{ kind: 'secret', count: 2 }] },
      ...{ hosts: ['api.example.com'], deniedHosts: ['evil.example'], tries: 2 },
    }),
  ).toEqual([
    'Ended: ok',
    'Took: 203.6 ms',
    'Tries: 2',
    'Changed by guardrails: kind: secret, count: 2',
    'Hosts that it was denied: evil.example',
    'Hosts that it used: api.example.com',
  ]);
  expect(step('outcome', { status: 'confirmation_required' })).toEqual(['Ended: held']);
});

test('a refusal and an unknown outcome say so, and unknown kinds show what they are', () => {
  expect(step('refusal', { code: 'invalid_input' })).toEqual(['Not run: invalid input']);
  expect(step('recovery', { status: 'outcome_unknown' })[0]).toBe('The host stopped during the call');
  expect(step('strange', {})).toEqual(['strange']);
});
