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
  const places: number[] = [];
  const read: ReadCalls = async ({ before = Number.POSITIVE_INFINITY, after = 0, offset = 0, limit }) => {
    places.push(offset);
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
    reads: () => places.length,
    places,
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
  await pages.refresh();
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
  await pages.want(0, 3);
  expect(pages.at(0)?.status).toBe('running');
  calls[3] = call(4);
  await pages.refresh();
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
  await pages.refresh();
  expect([pages.error?.message, pages.at(0)?.seq]).toEqual(['gone', 3]);
});

/** Reads of a host that each wait until they are let go. */
function heldBack(read: ReadCalls) {
  const waiting: (() => void)[] = [];
  return {
    read: (async (query) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return read(query);
    }) satisfies ReadCalls,
    /** Lets the oldest waiting read go, and waits until everything that follows from its answer has happened. */
    async letGo() {
      waiting.shift()?.();
      for (let at = 0; at < 20; at++) await Promise.resolve();
    },
    waiting,
  };
}

test('a row that was read keeps its content while the list starts again, and until newer content is there', async () => {
  const { read, add } = host(1000);
  const { read: slowRead, letGo, waiting } = heldBack(read);
  const shown: (number | undefined)[] = [];
  const pages: CallPages = new CallPages(
    () => ({}),
    slowRead,
    () => shown.push(pages.at(510)?.seq),
  );
  const started = pages.restart();
  await letGo();
  await started;
  const looked = pages.want(500, 520);
  await letGo();
  await looked;
  shown.length = 0;
  add();
  const again = pages.restart();
  // The newest part first, then what is in view: only then is there something to replace the rows with.
  await letGo();
  expect([pages.at(510)?.seq, waiting.length]).toEqual([490, 1]);
  await letGo();
  await again;
  expect([pages.at(510)?.seq, shown]).toEqual([491, [491]]);
});

test('a person who scrolls while the list starts again keeps the list, and the new calls are counted', async () => {
  const { read, add } = host(1000);
  const { read: slowRead, letGo } = heldBack(read);
  const pages = new CallPages(
    () => ({}),
    slowRead,
    () => {},
  );
  const started = pages.restart();
  await letGo();
  await started;
  add();
  let isRead = false;
  const again = pages.restart(() => isRead);
  isRead = true;
  const looked = pages.want(500, 520);
  for (let at = 0; at < 4; at++) await letGo();
  await Promise.all([again, looked]);
  expect([pages.total, pages.newer, pages.at(510)?.seq]).toEqual([1000, 1, 490]);
});

test('a start that the person asked for is not lost to one that nobody asked for', async () => {
  const { read, add } = host(10);
  const pages = new CallPages(
    () => ({}),
    read,
    () => {},
  );
  await pages.restart();
  add();
  await Promise.all([pages.restart(), pages.restart(() => true)]);
  expect([pages.total, pages.newer, pages.at(0)?.seq]).toEqual([11, 0, 11]);
});

test('an answer for an older filter does not replace the list of a newer one', async () => {
  const { read } = host(5);
  const { read: slowRead, letGo, waiting } = heldBack(read);
  let after = 0;
  const pages = new CallPages(
    () => ({ since: after }),
    ({ since = 0, ...query }) => slowRead({ ...query, after: since }),
    () => {},
  );
  const first = pages.restart();
  after = 3;
  const second = pages.restart();
  // The second answer comes first.
  waiting.reverse();
  await letGo();
  await letGo();
  await Promise.all([first, second]);
  expect(pages.total).toBe(2);
});

test('a person who scrolls faster than the host reads waits only for the place where they stop', async () => {
  const { read, places } = host(100 * pageSize);
  const { read: slowRead, letGo } = heldBack(read);
  const pages = new CallPages(
    () => ({}),
    slowRead,
    () => {},
  );
  const started = pages.restart();
  await letGo();
  await started;
  const looks = [10, 20, 30, 40, 50].map((page) => pages.want(page * pageSize, page * pageSize + 20));
  await letGo();
  await letGo();
  await Promise.all(looks);
  expect([places, pages.at(50 * pageSize)?.seq]).toEqual([[0, 10 * pageSize, 50 * pageSize], 50 * pageSize]);
});

test('rows that could not be read are read when the host answers again', async () => {
  const { read } = host(1000);
  let isBroken = false;
  const pages = new CallPages(
    () => ({}),
    (query) => (isBroken ? Promise.reject(new Error('gone')) : read(query)),
    () => {},
  );
  await pages.restart();
  isBroken = true;
  await pages.want(500, 520);
  expect([pages.error?.message, pages.at(510)]).toEqual(['gone', undefined]);
  isBroken = false;
  await pages.refresh();
  expect([pages.error, pages.at(510)?.seq]).toEqual([undefined, 490]);
});
