// What a run says about a promise: kept, not kept, or not checked here. Not checked is not the same as not kept.
import { expect, test } from 'vitest';
import { describeNotRun, needsOf } from '../support/not-run.js';
import {
  type FileResult,
  problemsOf,
  type SecurityPromise,
  uncheckedIn,
} from '../support/security-promise.js';

const promise = (...tests: string[]): SecurityPromise => ({
  group: 'Sandbox',
  title: 'No way out',
  promise: 'Nothing leaves.',
  tests,
  notProtected: '',
});
const ran: FileResult = { passed: 3, failed: 0, needs: [] };
const results = (files: Record<string, Partial<FileResult>>) =>
  new Map(Object.entries(files).map(([file, it]) => [file, { ...ran, ...it }]));

test('a promise whose tests all passed is kept', () => {
  const all = results({ 'test/a.test.ts': {}, 'test/b-1.test.ts': {}, 'test/b-2.test.ts': {} });
  const it = promise('test/a.test.ts', 'test/b-*.test.ts');
  expect(problemsOf(it, all)).toEqual([]);
  expect(uncheckedIn(it, all)).toEqual([]);
});

test('a promise with a failed test is not kept', () => {
  const all = results({ 'test/a.test.ts': { failed: 1 } });
  expect(problemsOf(promise('test/a.test.ts'), all)).toEqual([
    '"No way out" is not kept: test/a.test.ts failed',
  ]);
});

test('a promise whose file needs root is not checked here, and that is no problem', () => {
  const all = results({ 'test/root/a.test.ts': { passed: 0, needs: ['root'] } });
  const it = promise('test/root/a.test.ts');
  expect(problemsOf(it, all)).toEqual([]);
  expect(uncheckedIn(it, all)).toEqual(['test/root/a.test.ts needs root']);
});

test('a promise that is checked in part says which part is missing', () => {
  const needs = ['../shared/data', '../shared/data'];
  const all = results({ 'test/a.test.ts': { needs } });
  expect(problemsOf(promise('test/a.test.ts'), all)).toEqual([]);
  expect(uncheckedIn(promise('test/a.test.ts'), all)).toEqual(['test/a.test.ts needs ../shared/data']);
});

test('a promise that names no test, a missing test, or one that was skipped without a reason is not kept', () => {
  expect(problemsOf(promise(), results({}))).toEqual(['"No way out" names no test']);
  expect(problemsOf({ ...promise(), alsoCheckedBy: 'a bench' }, results({}))).toEqual([]);
  const idle = problemsOf(
    promise('test/a.test.ts', 'test/gone-*.test.ts'),
    results({ 'test/a.test.ts': {} }),
  );
  expect(idle).toEqual(['"No way out" names test/gone-*.test.ts, and no such test ran']);
  const silent = results({ 'test/a.test.ts': { passed: 0, needs: [''] } });
  expect(problemsOf(promise('test/a.test.ts'), silent)).toEqual([
    '"No way out" is not kept: none of its tests passed',
  ]);
});

test('what did not run is listed by what it needs', () => {
  expect(needsOf('corpora (needs ../shared/data) > every string is checked')).toBe('../shared/data');
  expect(needsOf('every string is checked (slowly)')).toBe('');
  expect(
    describeNotRun([
      { file: 'test/root/a.test.ts', title: '', needs: 'root' },
      { file: 'src/b.test.ts', title: 'strings (needs data)', needs: 'data' },
      { file: 'src/e.test.ts', title: 'numbers (needs data) > one', needs: 'data' },
      { file: 'src/e.test.ts', title: 'numbers (needs data) > two', needs: 'data' },
      { file: 'test/root/c.test.ts', title: '', needs: 'root' },
      { file: 'src/d.test.ts', title: 'later', needs: '' },
    ]),
  ).toBe(`
Not run here, needs root:
  test/root/a.test.ts
  test/root/c.test.ts

Not run here, needs data:
  src/b.test.ts: strings
  src/e.test.ts: numbers (2 tests)

Not run, and the test does not say why:
  src/d.test.ts: later
`);
  expect(describeNotRun([])).toBe('');
});
