import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LimitLedger } from './limit-ledger.js';
import type { Reservation } from './limit-statements.js';
import type { Meter } from './meter.js';
import { type SqliteDatabase as Database, openDatabase } from './sqlite/sqlite-database.js';

let folder: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolwharf-limits-'));
  database = openDatabase(folder);
});

afterEach(async () => {
  await database.destroy();
  rmSync(folder, { recursive: true, force: true });
});

const time = { wall: 1_000_000, ticks: 0 };
const ledgerOn = (it: Database) => new LimitLedger(it, { now: () => time.wall, ticks: () => time.ticks });
const calls = (max: number, windowMs = 1000): Meter => ({
  principal: 'agent',
  tool: 'desk/pay',
  kind: 'calls',
  windowMs,
  max,
  amount: 1,
});
const spend = (amount: number, max: number, windowMs = 1000): Meter => ({
  ...calls(max, windowMs),
  kind: 'amount',
  amount,
});

test('of a hundred concurrent calls with a limit of ten, exactly ten pass', async () => {
  const ledger = ledgerOn(database);
  const all = await Promise.all(Array.from({ length: 100 }, () => ledger.reserve([calls(10)])));
  expect(all.filter((it) => it.kind === 'taken')).toHaveLength(10);
  expect(all.find((it) => it.kind === 'full')).toMatchObject({ reading: { used: 10, waitMs: 1000 } });
});

test('a call that one limit rejects is not counted by the other', async () => {
  const ledger = ledgerOn(database);
  expect((await ledger.reserve([calls(5), spend(8, 10)])).kind).toBe('taken');
  expect((await ledger.reserve([calls(5), spend(8, 10)])).kind).toBe('full');
  expect(await ledger.read([calls(5), spend(2, 10)])).toMatchObject([
    { used: 1, waitMs: 0 },
    { used: 8, waitMs: 0 },
  ]);
});

test('principals and tools have separate limits', async () => {
  const ledger = ledgerOn(database);
  const one = calls(1);
  expect((await ledger.reserve([one])).kind).toBe('taken');
  expect((await ledger.reserve([{ ...one, principal: 'other' }])).kind).toBe('taken');
  expect((await ledger.reserve([{ ...one, tool: 'desk/other' }])).kind).toBe('taken');
  expect((await ledger.reserve([one])).kind).toBe('full');
});

test('decimal fractions add up exactly to their limit', async () => {
  const ledger = ledgerOn(database);
  const tenth = spend(0.1, 0.3);
  for (let count = 0; count < 3; count++) expect((await ledger.reserve([tenth])).kind).toBe('taken');
  expect((await ledger.reserve([spend(0.001, 0.3)])).kind).toBe('full');
  expect((await ledger.reserve([spend(0.31, 0.3)])).kind).toBe('full');
  expect((await ledger.read([spend(0.31, 0.3)]))[0]).toMatchObject({ waitMs: null });
});

test('a window with many calls is stored in steps: never above the limit, at most one step late', async () => {
  const ledger = ledgerOn(database);
  const day = 86_400_000;
  const many = calls(2000, day);
  const begin = time.wall;
  for (let round = 0; round < 20; round++) {
    const batch = await Promise.all(Array.from({ length: 100 }, () => ledger.reserve([many])));
    expect(batch.every((it) => it.kind === 'taken')).toBe(true);
    time.wall += 977;
  }
  expect((await ledger.reserve([many])).kind).toBe('full');
  const rows = await database.selectFrom('limit_use').selectAll().execute();
  expect(rows.length).toBeLessThan(5);
  time.wall = begin + day - 1;
  expect((await ledger.reserve([many])).kind).toBe('full');
  time.wall = begin + day + day / 1024;
  expect((await ledger.reserve([many])).kind).toBe('taken');
});

describe('compared with a model', () => {
  type Step =
    | { readonly kind: 'reserve'; readonly meters: readonly Meter[] }
    | { readonly kind: 'together'; readonly count: number }
    | { readonly kind: 'release' }
    | { readonly kind: 'pass'; readonly ms: number }
    | { readonly kind: 'set clock'; readonly ms: number }
    | { readonly kind: 'restart' };

  const meters = [[calls(3)], [calls(3), spend(4, 10)], [spend(1.5, 10)], [calls(5, 60_000), calls(3)]];
  const steps: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom(...meters).map((it) => ({ kind: 'reserve' as const, meters: it })),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: 2, max: 6 }).map((count) => ({ kind: 'together' as const, count })),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'release' as const }) },
    {
      weight: 3,
      arbitrary: fc
        .constantFrom(0, 1, 300, 700, 999, 1000, 60_000)
        .map((ms) => ({ kind: 'pass' as const, ms })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(-100_000, -1500, -1, 400).map((ms) => ({ kind: 'set clock' as const, ms })),
    },
    { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  );

  test('any order of steps gives the same result, with restarts and clocks that are set back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 60 }), async (plan) => {
        await database.deleteFrom('limit_use').execute();
        await database.deleteFrom('limit_clock').execute();
        Object.assign(time, { wall: 1_000_000, ticks: 0 });
        let ledger = ledgerOn(database);
        // The model: every use with its time, and the highest time so far.
        let used: { meter: Meter; at: number }[] = [];
        let highest = 0;
        let kept = 0;
        let lastTick = 0;
        let last: { reservation: Reservation; uses: typeof used } | undefined;
        let started = true;
        const now = () => {
          highest = Math.max(highest + (time.ticks - lastTick), time.wall);
          lastTick = time.ticks;
          // The first use after a start stores the time, even if the call does not fit.
          if (started) kept = highest;
          started = false;
          return highest;
        };
        let since = 0;
        // The ledger stores the time once a second.
        const keep = (at: number) => {
          if (at < since + 1000) return;
          kept = at;
          since = at;
        };
        const same = (a: Meter, b: Meter) => a.kind === b.kind && a.windowMs === b.windowMs;
        const sum = (meter: Meter, at: number) =>
          used
            .filter((it) => same(it.meter, meter) && it.at > at - meter.windowMs)
            .reduce((total, it) => total + it.meter.amount, 0);
        const fits = (wanted: readonly Meter[], at: number) =>
          wanted.every((it) => sum(it, at) + it.amount <= it.max);
        const expectReserve = async (wanted: readonly Meter[]) => {
          const at = now();
          const expected = fits(wanted, at);
          const got = await ledger.reserve(wanted);
          expect(got.kind).toBe(expected ? 'taken' : 'full');
          if (got.kind === 'full') return;
          const uses = wanted.map((meter) => ({ meter, at }));
          used.push(...uses);
          keep(at);
          last = { reservation: got.reservation, uses };
        };
        for (const step of plan) {
          switch (step.kind) {
            case 'reserve':
              await expectReserve(step.meters);
              break;
            case 'together': {
              const at = now();
              const wanted = [calls(3)];
              const got = await Promise.all(Array.from({ length: step.count }, () => ledger.reserve(wanted)));
              const room = Math.max(0, 3 - sum(calls(3), at));
              const taken = got.filter((it) => it.kind === 'taken').length;
              expect(taken).toBe(Math.min(room, step.count));
              for (let count = 0; count < taken; count++) used.push({ meter: calls(3), at });
              if (taken > 0) keep(at);
              break;
            }
            case 'release':
              if (last === undefined) break;
              await ledger.release(last.reservation);
              used = used.filter((it) => !last?.uses.includes(it));
              last = undefined;
              break;
            case 'pass':
              time.wall += step.ms;
              time.ticks += step.ms;
              break;
            case 'set clock':
              time.wall += step.ms;
              break;
            case 'restart':
              // Only the stored time survives a restart, and ticks start at any number.
              highest = kept;
              since = 0;
              started = true;
              time.ticks = 7;
              lastTick = 7;
              ledger = ledgerOn(database);
              break;
          }
        }
      }),
      { numRuns: 80 },
    );
  });
});

test('time that passed before a restart stays passed, even if no call fitted after it', async () => {
  Object.assign(time, { wall: 5_000_000, ticks: 0 });
  expect((await ledgerOn(database).reserve([calls(2), calls(1, 60_000)])).kind).toBe('taken');
  time.wall -= 100_000;
  const after = ledgerOn(database);
  time.ticks += 1500;
  expect((await after.reserve([calls(1, 60_000)])).kind).toBe('full');
  expect(await ledgerOn(database).read([calls(2)])).toMatchObject([{ used: 0, waitMs: 0 }]);
  expect(await ledgerOn(database).read([calls(1, 60_000)])).toMatchObject([{ used: 1, waitMs: 58_500 }]);
});

test('a clock that is set back frees nothing, even after a restart; only passing time does', async () => {
  Object.assign(time, { wall: 5_000_000, ticks: 0 });
  const hour = calls(1, 3_600_000);
  expect((await ledgerOn(database).reserve([hour])).kind).toBe('taken');
  time.wall -= 3_600_000 * 24;
  const again = ledgerOn(database);
  expect((await again.reserve([hour])).kind).toBe('full');
  time.ticks += 3_599_999;
  expect((await again.reserve([hour])).kind).toBe('full');
  time.ticks += 1;
  expect((await again.reserve([hour])).kind).toBe('taken');
});

test('limits that are partly used are listed with what is used of them, the fullest first', async () => {
  time.wall = 1_000_000;
  const ledger = ledgerOn(database);
  await ledger.reserve([calls(10)]);
  await ledger.reserve([calls(10), spend(8, 10)]);
  await ledger.release({ taken: [] });
  expect(await ledger.inUse()).toEqual([
    { principal: 'agent', tool: 'desk/pay', kind: 'amount', windowMs: 1000, used: 8, max: 10 },
    { principal: 'agent', tool: 'desk/pay', kind: 'calls', windowMs: 1000, used: 2, max: 10 },
  ]);
  // A host that started since does not know the maxima until the next call.
  expect((await ledgerOn(database).inUse()).map((it) => it.max)).toEqual([null, null]);
  time.wall += 1001;
  expect(await ledger.inUse()).toEqual([]);
});
