import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog } from './audit-log.js';
import { CallTable } from './call-table.js';
import { type SqliteDatabase as Database, openDatabase } from './sqlite/sqlite-database.js';

let folder: string;
let database: Database;
let log: AuditLog;
let clock = 1_000_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-store-'));
  database = openDatabase(folder);
  log = new AuditLog(database, () => clock++);
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const intent = (callId: string, more = {}) =>
  log.append({ kind: 'intent', body: { callId, tool: 'desk/add', principal: 'alice', ...more } });
const outcome = (callId: string, more = {}) =>
  log.append({ kind: 'outcome', body: { callId, status: 'ok', durationMs: 5, ...more } });
const shown = async (table: CallTable) =>
  (await table.calls()).calls.map((it) => [it.call, it.status, it.reason, it.durationMs]);

test('a call runs until its outcome, and later entries of the log are read when they are asked for', async () => {
  const table = new CallTable(database);
  await intent('a');
  expect(await shown(table)).toEqual([['a', 'running', '', null]]);
  await outcome('a');
  await intent('b');
  await outcome('b', { status: 'error', code: 'tool_failed', durationMs: 7 });
  expect(await shown(table)).toEqual([
    ['a', 'ok', '', 5],
    ['b', 'error', 'tool_failed', 7],
  ]);
});

test('held, denied and rejected calls are calls, and other entries are not', async () => {
  await log.append({
    kind: 'hold',
    body: { callId: 'a', tool: 'desk/pay', approval: 'x', reason: 'approval' },
  });
  await log.append({ kind: 'refusal', body: { callId: 'b', tool: 'desk/pay', code: 'denied' } });
  await log.append({ kind: 'refusal', body: { callId: 'c', tool: 'nothing', code: 'tool_not_found' } });
  await log.append({ kind: 'operator', body: { operation: 'kill', target: 'desk' } });
  expect(await shown(new CallTable(database))).toEqual([
    ['a', 'held', 'approval', null],
    ['b', 'denied', 'denied', null],
    ['c', 'rejected', 'tool_not_found', null],
  ]);
});

test('a call with an unknown outcome ends when it was repeated', async () => {
  const table = new CallTable(database);
  await intent('a');
  await log.append({ kind: 'recovery', body: { callId: 'a', status: 'outcome_unknown' } });
  expect(await shown(table)).toEqual([['a', 'unknown', '', null]]);
  await outcome('a');
  expect(await shown(table)).toEqual([['a', 'ok', '', 5]]);
});

test('the oldest calls are forgotten, and the table says so', async () => {
  const table = new CallTable(database, 10);
  for (let index = 0; index < 8; index++) await intent(`call-${index}`);
  expect(await table.calls()).toMatchObject({ complete: true });
  for (let index = 8; index < 25; index++) await intent(`call-${index}`);
  const { calls, complete } = await table.calls();
  expect(calls.map((it) => it.call)).toEqual(Array.from({ length: 10 }, (_, index) => `call-${index + 15}`));
  expect(complete).toBe(false);
});

test('a new table of a long log starts near its end', async () => {
  for (let index = 0; index < 50; index++) await intent(`call-${index}`);
  const { calls, complete } = await new CallTable(database, 10).calls();
  expect(calls.at(-1)?.call).toBe('call-49');
  expect(calls.length).toBeLessThan(50);
  expect(complete).toBe(false);
});

test('callers at the same time see all calls once', async () => {
  const table = new CallTable(database);
  for (let index = 0; index < 20; index++) await intent(`call-${index}`);
  const results = await Promise.all(Array.from({ length: 5 }, () => table.calls()));
  expect(results.map((it) => it.calls.length)).toEqual([20, 20, 20, 20, 20]);
});

test('the entries of a call include those of the approval that it used', async () => {
  await log.append({ kind: 'hold', body: { callId: 'a', tool: 'desk/pay', approval: 'x' } });
  await log.append({ kind: 'hold', body: { callId: 'other', tool: 'desk/pay', approval: 'y' } });
  await log.append({ kind: 'approval', body: { approval: 'x', decision: 'approved', by: 'bob' } });
  await intent('b', { approval: 'x' });
  // The id of a call inside another text does not make an entry belong to it.
  await intent('c', { note: 'b' });
  await outcome('b');
  const entries = await new CallTable(database).entriesOf('b');
  expect(entries.map((it) => it.kind)).toEqual(['hold', 'approval', 'intent', 'outcome']);
  expect(await new CallTable(database).entriesOf('none')).toEqual([]);
});
