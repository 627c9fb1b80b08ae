import { expect, test } from 'vitest';
import type { ActivityCall } from '../../model/activity.js';
import { percentiles, summarize } from './activity-summary.js';

const call = (at: number, more: Partial<ActivityCall> = {}): ActivityCall => ({
  ...{ seq: at, call: `call-${at}`, at, tool: 'desk/add', principal: 'alice', status: 'ok', reason: '' },
  ...{ durationMs: 1, approval: null, ...more },
});

test('percentiles are durations that occurred, and null without any', () => {
  const calls = Array.from({ length: 100 }, (_, index) => call(index, { durationMs: 100 - index }));
  expect(percentiles(calls)).toEqual({ p50: 50, p95: 95, p99: 99 });
  expect(percentiles([call(1, { durationMs: 7 })])).toEqual({ p50: 7, p95: 7, p99: 7 });
  expect(percentiles([call(1, { durationMs: null })])).toEqual({ p50: null, p95: null, p99: null });
});

test('calls are counted in the part of the span that they are in, the end belongs to the last part', () => {
  const { buckets, bucketMs } = summarize([call(0), call(9), call(10), call(20)], {
    ...{ from: 0, to: 20, buckets: 2 },
  });
  expect(bucketMs).toBe(10);
  expect(buckets.map((it) => [it.at, it.counts])).toEqual([
    [0, { ok: 2 }],
    [10, { ok: 2 }],
  ]);
});

test('tools are counted with what failed and what is held', () => {
  const summary = summarize(
    [
      call(1),
      call(2, { status: 'error' }),
      call(3, { status: 'held', reason: 'approval', durationMs: null }),
      call(4, { status: 'running', durationMs: null }),
      call(5, { tool: '__proto__', status: 'rejected', durationMs: null }),
    ],
    { from: 0, to: 10, buckets: 1 },
  );
  expect(summary.tools).toMatchObject([
    { name: 'desk/add', calls: 4, failed: 1, held: 1 },
    { name: '__proto__', calls: 1, failed: 1, held: 0 },
  ]);
  expect(summary.holds).toEqual({ approval: 1 });
  expect(summary.statuses).toEqual({ ok: 1, error: 1, held: 1, running: 1, rejected: 1 });
});
