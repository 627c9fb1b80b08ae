import { expect, test } from 'vitest';
import { type AuditLine, auditLine } from './audit-line.js';
import { printAuditLines } from './audit-lines.js';
import { makeStyle } from './style.js';
import { width } from './width.js';

const print = (lines: readonly AuditLine[], columns = Number.POSITIVE_INFINITY, color = false) =>
  printAuditLines(lines, { style: makeStyle(color), columns, offsetMinutes: () => 60 });

const intent = {
  seq: 3,
  at: '2026-03-01T07:11:40.493Z',
  kind: 'intent',
  body: {
    callId: 'call_1',
    principal: 'alice/mcp/claude-code',
    shape: { command: 'text(83)' },
    tool: 'shell/execute',
  },
};
const done = auditLine(intent, { callId: 'call_1', durationMs: 203.6, status: 'ok' });
const denied = auditLine(
  {
    seq: 9,
    at: '2026-03-01T23:30:00.000Z',
    kind: 'refusal',
    body: { code: 'denied', principal: 'http/laptop', tool: 'desk/find' },
  },
  undefined,
);

test('a call is one line: time, status, client, tool, shape of its arguments, duration', () => {
  expect(print([done])).toBe(
    '2026-03-01\n08:11:40  ok  claude-code  shell/execute  command=text(83)  204 ms\n',
  );
});

test('columns are aligned, and a date is printed where the local day changes', () => {
  expect(print([done, denied])).toBe(
    [
      '2026-03-01',
      '08:11:40  ok      claude-code  shell/execute  command=text(83)  204 ms',
      '2026-03-02',
      '00:30:00  denied  laptop       desk/find      denied',
      '',
    ].join('\n'),
  );
});

test.each([40, 50, 60, 70, 80])('lines fit a terminal of %i columns', (columns) => {
  for (const line of print([done, denied], columns).split('\n'))
    expect(width(line)).toBeLessThanOrEqual(columns);
});

test('details are left out before names are cut', () => {
  expect(print([done], 55)).toContain('ok  claude-code  shell/execute  204 ms');
  expect(print([done], 40)).toContain('claud');
});

test('colors only mark the status', () => {
  expect(print([done], 100, true)).toContain('\u001B[32mok\u001B[39m');
  expect(print([done], 100)).not.toContain('\u001B');
});

test('control characters of a name are not printed', () => {
  const hostile = auditLine({ ...intent, body: { ...intent.body, tool: 'a/b\u001B[2J\nok' } }, undefined);
  expect(print([hostile])).not.toContain('\u001B');
  expect(print([hostile]).trimEnd().split('\n')).toHaveLength(2);
});

test.each([
  ['intent', {}, undefined, 'running', ''],
  [
    'intent',
    { shape: { names: ['text(1)', '× 3'] } },
    { status: 'error', code: 'tool_failed' },
    'error',
    'names=list(3)  tool_failed',
  ],
  ['intent', {}, { status: 'outcome_unknown' }, 'unknown', ''],
  ['refusal', { code: 'invalid_input' }, undefined, 'rejected', 'invalid_input'],
  ['hold', { reason: 'human_confirm', approval: 'apr_1' }, undefined, 'held', 'human_confirm  apr_1'],
  ['approval', { decision: 'approved', approval: 'apr_1' }, undefined, 'approved', 'apr_1'],
  [
    'operator',
    { operation: 'token create', name: 'a', by: 'alice/cli', verified: false },
    undefined,
    'operator',
    'name=a',
  ],
])('an entry of the kind %s with %j and the end %j is %s', (kind, body, end, status, detail) => {
  expect(auditLine({ seq: 1, at: intent.at, kind, body }, end)).toMatchObject({ status, detail });
});
