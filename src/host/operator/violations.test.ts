import { expect, test } from 'vitest';
import type { Violation } from '../../model/violation.js';
import { parseGrants } from '../../policy/grant.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { ViolationRows } from '../../store/violations.js';
import { type ViolationContext, Violations } from './violations.js';

const contextOf = (violations: Violation[] | null): ViolationContext => ({
  policy: {},
  grants: parseGrants([]),
  violations,
});
const session = contextOf(null);
const violation: Violation = { package: 'desk', kind: 'steering-file', detail: 'it made .mcp.json' };

async function opened() {
  const audited: unknown[] = [];
  const violations = await Violations.open({
    rows: { list: async () => [], put: async () => {}, remove: async () => {} } as unknown as ViolationRows,
    audit: { append: async (entry: unknown) => void audited.push(entry) } as unknown as AuditLog,
    kills: { list: async () => [], set: async () => expect.fail('nothing is killed') },
    sendNotice: () => {},
    now: () => 0,
    onBug: (error) => expect.fail(String(error)),
  });
  return { violations, audited };
}

test('a trial collects violations until it is over, and is never the session that used a package last', async () => {
  const { violations, audited } = await opened();
  const collected: Violation[] = [];
  const trial = contextOf(collected);
  violations.using('desk', session);
  violations.using('desk', trial);
  expect(violations.userOf('desk', trial)).toBe(trial);
  // A program that a session started is not used by the trial alone.
  expect(violations.userOf('desk', session)).toBe(session);
  violations.report(violation);
  violations.endTrial('desk');
  expect(violations.userOf('desk', trial)).toBe(session);
  violations.report(violation);
  await violations.close();
  expect(collected).toEqual([violation]);
  expect(audited).toHaveLength(1);
});

test('nobody uses a package that is gone', async () => {
  const { violations } = await opened();
  violations.using('desk', session);
  await violations.forget('desk');
  expect(violations.userOf('desk', session)).toBeUndefined();
});
