// One client must not take the kept processes of all others.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ProcessOwner } from './process-owner.js';
import { type PooledProcess, type PoolOptions, ProcessPool } from './process-pool.js';

class FakeProcess implements PooledProcess {
  started = true;
  retired = false;
  readonly exited: Promise<void>;
  #gone = () => {};

  constructor(readonly key: string) {
    this.exited = new Promise((resolve) => {
      this.#gone = resolve;
    });
  }

  kill(): void {
    this.retired = true;
    setImmediate(this.#gone);
  }
}

const owner = (principal: string, client = ''): ProcessOwner => ({ principal, id: `${principal} ${client}` });
const [alice, bob, carol, dave] = [owner('alice'), owner('bob'), owner('carol'), owner('dave')] as const;
const signal = new AbortController().signal;
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

function bench(options: PoolOptions) {
  const pool = new ProcessPool<FakeProcess>(options);
  const made: FakeProcess[] = [];
  const served: string[] = [];
  /** Uses a process of the owner until `finish` is called. */
  const use = (by: ProcessOwner, key: string) => {
    let finish = () => {};
    const start = () => {
      const one = new FakeProcess(`${by.id}${key}`);
      made.push(one);
      return one;
    };
    const request = { key: `${by.id}${key}`, owner: by, purpose: 'it', signal, start };
    const done = pool.use(request, () => {
      served.push(`${by.id}${key}`);
      return new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    return { done, finish: () => finish() };
  };
  return {
    pool,
    served,
    use,
    /** Makes one call and waits for its end. The process is idle afterwards. */
    async once(by: ProcessOwner, key: string) {
      const call = use(by, key);
      await expect.poll(() => served.includes(`${by.id}${key}`), { interval: 1 }).toBe(true);
      call.finish();
      await call.done;
      served.splice(0);
    },
    alive: () => made.filter((it) => !it.retired).map((it) => it.key),
  };
}

describe('a full pool', () => {
  test.each([
    ['principal', bob],
    ['client of the same principal', owner('alice', 'second')],
  ])(
    'ends idle processes of the owner with the most, never the only one of another %s',
    async (_of, other) => {
      const { once, alive, pool } = bench({ processes: 4 });
      await once(other, '1');
      for (const key of ['1', '2', '3', '4', '5', '6', '7']) await once(alice, key);
      expect(alive()).toContain(`${other.id}1`);
      expect(alive()).toHaveLength(4);
      // Control: one that has no process gets a place.
      await once(carol, '1');
      expect(alive()).toEqual(expect.arrayContaining([`${other.id}1`, 'carol 1']));
      await pool.close();
    },
  );

  test('gives a principal without a process one of the reserved places, if all others are busy', async () => {
    const { use, served, pool } = bench({ processes: 2, reserved: 1 });
    const calls = ['1', '2', '3'].map((key) => use(alice, key));
    calls.push(use(bob, '1'));
    await settled();
    expect(served).toEqual(['alice 1', 'alice 2', 'bob 1']);
    // Another client of a principal that has processes gets none, so that connecting again gains nothing.
    calls.push(use(owner('alice', 'again'), '1'), use(bob, '2'), use(carol, '1'));
    await settled();
    expect([served.length, pool.state.processes]).toEqual([3, 3]);
    for (const it of calls) {
      await settled();
      it.finish();
    }
    await expect.poll(() => served.length).toBe(7);
    for (const it of calls) it.finish();
    await Promise.all(calls.map((it) => it.done));
    await pool.close();
  });

  test('serves the owner with the fewest running calls first', async () => {
    const { use, served, pool } = bench({ processes: 2, reserved: 0 });
    const running = [use(alice, '1'), use(alice, '2')];
    const waiting = [use(alice, '3'), use(alice, '4'), use(bob, '1'), use(bob, '2')];
    await settled();
    running[0]?.finish();
    await expect.poll(() => served.length).toBe(3);
    expect(served[2]).toBe('bob 1');
    running[1]?.finish();
    await expect.poll(() => served.length).toBe(4);
    expect(served[3]).toBe('alice 3');
    const calls = [...running, ...waiting];
    while (served.length < 6) {
      for (const it of calls) it.finish();
      await settled();
    }
    for (const it of calls) it.finish();
    await Promise.all(calls.map((it) => it.done));
    await pool.close();
  });

  test('serves every call of every owner in the end', async () => {
    const owners = [alice, bob, carol, dave, owner('alice', 'a'), owner('alice', 'b')];
    const call = fc.record({ by: fc.constantFrom(...owners), key: fc.constantFrom('1', '2', '3') });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 2 }),
        async (calls, processes, reserved) => {
          const { use, pool } = bench({ processes, reserved, perKey: 2 });
          const made = calls.map(({ by, key }) => use(by, key));
          let most = 0;
          const finishing = setInterval(() => {
            most = Math.max(most, pool.state.processes);
            for (const it of made) it.finish();
          }, 0);
          await Promise.all(made.map((it) => it.done));
          clearInterval(finishing);
          await pool.close();
          expect(most).toBeLessThanOrEqual(processes + reserved);
        },
      ),
      { numRuns: 60 },
    );
  }, 30_000);
});
