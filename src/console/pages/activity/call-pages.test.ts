import { expect, test } from 'vitest';
import type { ActivityCall } from '../../../model/activity.js';
import { CallPages, pageSize, type ReadCalls } from './call-pages.js';

const call = (seq: number, status = 'ok'): ActivityCall => ({
  ...{ seq, call: `call-${seq}`, at: seq, tool: 'desk/add', principal: 'alice', status, reason: '' },
  ...{ durationMs: 1, approval: null },
});

/** A host with calls from 1 to `count`, as `activity.calls` reads them. */
function host(count: number) {
  const calls = Array.from({ length: count }, (_, index) => call(index + 1));
  let reads = 0;
  const read: ReadCalls = async ({ before = Number.POSITIVE_INFINITY, after = 0, offset = 0, limit }) => {
    reads++;
    const fitting = calls.filter((it) => it.seq < before && it.seq > after).reverse();
    return {
      total: fitting.length,
      calls: fitting.slice(offset, offset + limit).map((it) => ({ ...it })),
      complete: true,
    };
  };
  return {
    calls,
    read,
    reads: () => reads,
    add: (status?: string) => calls.push(call(calls.length + 1, status)),
  };
}

test('new calls do not move the list; they are counted, and a restart takes them in', async () => {
  const { read, add } = host(1000);
  const pages = new CallPages(
    () => ({}),
    read,
    () => {},
  );
  await pages.restart();
  await pages.want(500, 520);
  expect([pages.total, pages.at(0)?.seq, pages.at(510)?.seq]).toEqual([1000, 1000, 490]);
  for (let at = 0; at < 3; at++) add();
  await pages.refresh(500, 520);
  await pages.want(700, 720);
  expect([pages.total, pages.newer, pages.at(0)?.seq, pages.at(510)?.seq, pages.at(710)?.seq]).toEqual([
    ...[1000, 3, 1000, 490, 290],
  ]);
  await pages.restart();
  expect([pages.total, pages.newer, pages.at(0)?.seq]).toEqual([1003, 0, 1003]);
});

test('a jump reads only what is in view, and what was read long ago is forgotten', async () => {
  const { read, reads } = host(100 * pageSize);
  const pages = new CallPages(
    () => ({}),
    read,
    () => {},
  );
  await pages.restart();
  await pages.want(9000, 9020);
  expect([reads(), pages.at(9010)?.seq, pages.at(200)]).toEqual([2, 990, undefined]);
  for (let at = 1; at < 60; at++) await pages.want(at * pageSize, at * pageSize + 1);
  expect([pages.at(0), pages.at(59 * pageSize)?.seq]).toEqual([undefined, 41 * pageSize]);
});

test('a call that ran is read again until it has ended', async () => {
  const { read, add, calls } = host(3);
  add('running');
  const pages = new CallPages(
    () => ({}),
    read,
    () => {},
  );
  await pages.restart();
  expect(pages.at(0)?.status).toBe('running');
  calls[3] = call(4);
  await pages.refresh(0, 3);
  expect(pages.at(0)?.status).toBe('ok');
});

test('a failed reading is told and keeps what was read', async () => {
  const { read } = host(3);
  let isBroken = false;
  const pages = new CallPages(
    () => ({}),
    (query) => (isBroken ? Promise.reject(new Error('gone')) : read(query)),
    () => {},
  );
  await pages.restart();
  isBroken = true;
  await pages.refresh(0, 3);
  expect([pages.error?.message, pages.at(0)?.seq]).toEqual(['gone', 3]);
});
