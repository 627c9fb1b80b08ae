import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AuditLog } from '../../store/audit-log.js';
import { type SqliteDatabase as Database, openDatabase } from '../../store/sqlite/sqlite-database.js';
import type { Activity, ActivityQuery } from './activity.js';
import { activityOperations } from './activity-operations.js';

let folder: string;
let database: Database;
let log: AuditLog;
let activity: Activity;
let clock = 1_000_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-activity-'));
  database = openDatabase(folder);
  log = new AuditLog(database, () => clock++);
  activity = activityOperations({ database, audit: log, now: () => clock });
});
afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const refusal = (callId: string, tool: string) =>
  log.append({ kind: 'refusal', body: { callId, tool, principal: 'http/Laptop', code: 'denied' } });
const shown = async (query: ActivityQuery) => {
  const { total, calls } = await activity.calls(query);
  return [total, ...calls.map((it) => it.call)];
};

test('a list that goes on before a call does not move when new calls arrive, and those are counted after it', async () => {
  for (const it of ['a', 'b', 'c', 'd', 'e']) await refusal(it, 'desk/pay');
  const { calls } = await activity.calls({ limit: 2 });
  const before = calls.at(-1)?.seq;
  expect(calls.map((it) => it.call)).toEqual(['e', 'd']);
  await refusal('f', 'desk/pay');
  expect(await shown({ before, limit: 2 })).toEqual([3, 'c', 'b']);
  expect(await shown({ before, offset: 1, limit: 2 })).toEqual([3, 'b', 'a']);
  expect(await shown({ after: calls[0]?.seq })).toEqual([1, 'f']);
});

test('a text is found in the tool, the principal, the reason and the id, in any case', async () => {
  await refusal('call_1', 'desk/Pay');
  await refusal('call_2', 'mail/send');
  expect(await shown({ text: 'PAY' })).toEqual([1, 'call_1']);
  expect(await shown({ text: 'laptop' })).toEqual([2, 'call_2', 'call_1']);
  expect(await shown({ text: 'Denied' })).toEqual([2, 'call_2', 'call_1']);
  expect(await shown({ text: 'call_2' })).toEqual([1, 'call_2']);
  expect(await shown({ text: 'nothing' })).toEqual([0]);
  expect((await activity.summary({ since: 0, text: 'pay' })).total).toBe(1);
});
