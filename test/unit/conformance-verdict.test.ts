import { expect, test } from 'vitest';
import { compare, nothing, type Run, sortChecks, totals } from '../conformance/verdict.mjs';

const run = (scenario: string, ...missed: string[]): Run => ({
  revision: '2025-11-25',
  scenario,
  passed: ['ok'],
  missed,
});

const expecting = (scenario: string, ...checks: string[]) => ({
  failures: [{ scenario, checks, revisions: ['2025-11-25'], reason: 'because' }],
  scenarios: { '2025-11-25': 1 },
});

test('a check passes only if every result of it is a success', () => {
  const twice = [
    { id: 'a', status: 'SUCCESS' },
    { id: 'a', status: 'FAILURE' },
    { id: 'b', status: 'SUCCESS' },
    { id: 'c', status: 'INFO' },
  ];
  expect(sortChecks(twice)).toEqual({ passed: ['b'], missed: ['a'] });
  expect(sortChecks([...twice].reverse())).toEqual({ passed: ['b'], missed: ['a'] });
});

test('warnings and skipped checks do not count as passed', () => {
  const checks = ['WARNING', 'SKIPPED', 'SOMETHING'].map((status) => ({ id: status, status }));
  expect(sortChecks(checks).missed).toEqual(['WARNING', 'SKIPPED', 'SOMETHING']);
});

test('a scenario without checks does not count as passed', () => {
  expect(sortChecks([{ id: 'a', status: 'INFO' }]).missed).toEqual([nothing]);
  expect(sortChecks([{ id: 'wire-schema-valid', status: 'SUCCESS' }]).missed).toEqual([nothing]);
  expect(sortChecks([{ id: 'a', status: 'SUCCESS' }]).missed).toEqual([]);
});

test('the list of expected failures must match in both directions', () => {
  const clean = { unexpected: [], stale: [], miscounted: [] };
  expect(compare([run('ping', 'a')], expecting('ping', 'a'))).toEqual(clean);
  expect(compare([run('ping', 'a', 'b')], expecting('ping', 'a')).unexpected).toEqual(['2025-11-25 ping b']);
  expect(compare([run('ping')], expecting('ping', 'a')).stale).toEqual(['2025-11-25 ping a']);
  expect(compare([run('pong', 'a')], expecting('ping', 'a'))).toMatchObject({
    unexpected: ['2025-11-25 pong a'],
    stale: ['2025-11-25 ping a'],
  });
});

test('missing scenarios of the suite are reported', () => {
  const expected = { failures: [], scenarios: { '2025-11-25': 2, '2026-07-28': 1 } };
  expect(compare([run('ping')], expected).miscounted).toEqual([
    '2025-11-25 has 1 scenarios, not 2',
    '2026-07-28 has 0 scenarios, not 1',
  ]);
});

test('totals count scenarios and checks per revision', () => {
  expect(totals([run('ping'), run('pong', 'a', 'b')])).toEqual([
    { revision: '2025-11-25', scenarios: 2, passed: 1, checks: 2, missed: 2 },
  ]);
});
