import { afterEach, describe, expect, test, vi } from 'vitest';
import { HostError } from '../model/host-error.js';
import type { ProcessOwner } from './process-owner.js';
import { type PooledProcess, type PoolOptions, ProcessPool } from './process-pool.js';

/** A fake process: starts at once and exits a moment after it was killed. */
class FakeProcess implements PooledProcess {
  started = true;
  retired = false;
  readonly exited: Promise<void>;
  #gone = () => {};

  constructor(
    readonly key: string,
    readonly number: number,
  ) {
    this.exited = new Promise((resolve) => {
      this.#gone = resolve;
    });
  }

  kill(): void {
    this.retired = true;
    setTimeout(this.#gone, 5);
  }
}

const me: ProcessOwner = { principal: 'me', id: 'me' };

class PoolHarness {
  readonly pool: ProcessPool<FakeProcess>;
  readonly made: FakeProcess[] = [];
  readonly served: string[] = [];
  maxProcesses = 0;

  constructor(options: PoolOptions) {
    this.pool = new ProcessPool<FakeProcess>(options);
  }

  /** Uses a process until `finish` is called. */
  use(key: string, signal = new AbortController().signal, purpose = 'it', owner = me) {
    let finish: (error?: Error) => void = () => {};
    const start = () => {
      const one = new FakeProcess(key, this.made.length);
      this.made.push(one);
      return one;
    };
    const done = this.pool.use({ key, owner, purpose, signal, start }, (process) => {
      this.served.push(key);
      this.maxProcesses = Math.max(this.maxProcesses, this.pool.state.processes);
      return new Promise<number>((resolve, reject) => {
        finish = (error) => (error === undefined ? resolve(process.number) : reject(error));
      });
    });
    done.catch(() => {});
    return { done, finish: (error?: Error) => finish(error) };
  }

  get alive(): string[] {
    return this.made.filter((it) => !it.retired).map((it) => it.key);
  }
}

const pools: ProcessPool<FakeProcess>[] = [];
function harness(options: PoolOptions): PoolHarness {
  const one = new PoolHarness(options);
  pools.push(one.pool);
  return one;
}
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(pools.splice(0).map((it) => it.close()));
});
const moment = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a pool', () => {
  test('keeps a process for the next call of the same key', async () => {
    const { use, made } = bound(harness({}));
    for (let n = 0; n < 3; n++) {
      const call = use('a');
      await moment();
      call.finish();
      await call.done;
    }
    expect(made.length).toBe(1);
  });

  test('gives each call its own process, up to the limit per key; further calls wait in order', async () => {
    const pooled = harness({ perKey: 2 });
    const calls = [1, 2, 3, 4].map(() => pooled.use('a'));
    await moment();
    expect(pooled.pool.state).toEqual({ processes: 2, busy: 2, waiting: 2 });
    calls[1]?.finish();
    await moment();
    calls[2]?.finish();
    expect(await calls[2]?.done).toBe(1);
    expect(pooled.made.length).toBe(2);
    // Waiting calls of one key do not block another key.
    const other = pooled.use('b');
    await moment();
    expect(pooled.served.at(-1)).toBe('b');
    for (const it of [...calls, other]) it.finish();
  });

  test('never has more processes than its limit, including those that are being killed', async () => {
    const pooled = harness({ processes: 3, perKey: 3 });
    const calls = Array.from({ length: 40 }, (_, n) => pooled.use(`key-${n % 7}`));
    for (const it of calls) {
      await vi.waitFor(() => expect(pooled.served.length).toBeGreaterThan(0));
      it.finish();
      await moment(1);
    }
    for (let n = 0; n < 200 && pooled.pool.state.waiting + pooled.pool.state.busy > 0; n++) {
      for (const it of calls) it.finish();
      await moment(1);
    }
    expect(pooled.served.length).toBe(40);
    expect(pooled.maxProcesses).toBe(3);
  });

  test('evicts the process that has been idle longest', async () => {
    const pooled = harness({ processes: 2 });
    for (const key of ['old', 'new', 'old']) {
      const call = pooled.use(key);
      await moment(2);
      call.finish();
      await call.done;
      await moment(2);
    }
    const third = pooled.use('third');
    await vi.waitFor(() => expect(pooled.served.at(-1)).toBe('third'));
    expect(pooled.alive).toEqual(['old', 'third']);
    third.finish();
  });

  test('evicts only as many processes as new ones are needed', async () => {
    const pooled = harness({ processes: 3 });
    for (const key of ['a', 'b', 'c']) {
      const call = pooled.use(key);
      await moment(2);
      call.finish();
      await call.done;
    }
    const newcomer = pooled.use('d');
    // Each of these checks the queue again while a process is being killed.
    for (let n = 0; n < 3; n++) {
      const stop = new AbortController();
      pooled.use('d', stop.signal);
      stop.abort();
    }
    const known = pooled.use('c');
    await vi.waitFor(() => expect(pooled.served.slice(-2)).toEqual(['c', 'd']));
    expect(pooled.alive).not.toContain('a');
    expect(pooled.alive).toContain('c');
    for (const it of [newcomer, known]) it.finish();
  });

  test('serves the call that waits longest', async () => {
    const pooled = harness({ processes: 1 });
    const first = pooled.use('a');
    await moment();
    const b = pooled.use('b');
    const again = pooled.use('a');
    await moment();
    first.finish();
    await vi.waitFor(() => expect(pooled.served).toEqual(['a', 'b']));
    b.finish();
    await vi.waitFor(() => expect(pooled.served).toEqual(['a', 'b', 'a']));
    again.finish();
  });

  test('removes a canceled call from the queue and serves the calls behind it', async () => {
    const pooled = harness({ processes: 1 });
    const first = pooled.use('a');
    await moment();
    const stop = new AbortController();
    const gone = pooled.use('b', stop.signal);
    const last = pooled.use('a');
    stop.abort();
    await expect(gone.done).rejects.toMatchObject({ code: 'canceled' });
    first.finish();
    await vi.waitFor(() => expect(pooled.served).toEqual(['a', 'a']));
    // No process was evicted for the canceled call.
    expect(pooled.made.length).toBe(1);
    last.finish();
  });

  test('does not reuse a retired process', async () => {
    const pooled = harness({});
    const call = pooled.use('a');
    await moment();
    (pooled.made[0] as FakeProcess).retired = true;
    call.finish();
    await call.done;
    await vi.waitFor(() => expect(pooled.pool.state.processes).toBe(0));
    const next = pooled.use('a');
    await moment();
    next.finish();
    expect(await next.done).toBe(1);
  });

  test('keeps a process whose call failed', async () => {
    const pooled = harness({});
    const call = pooled.use('a');
    await moment();
    call.finish(new HostError('tool_failed', 'no'));
    await expect(call.done).rejects.toThrow('no');
    const next = pooled.use('a');
    await moment();
    next.finish();
    expect(await next.done).toBe(0);
  });

  test('kills a process that is idle for too long', async () => {
    const pooled = harness({ idleMs: 30 });
    const call = pooled.use('a');
    await moment();
    call.finish();
    await call.done;
    expect(pooled.pool.state.processes).toBe(1);
    await vi.waitFor(() => expect(pooled.pool.state.processes).toBe(0));
  });

  test('kills the processes of selected keys', async () => {
    const pooled = harness({});
    const calls = ['a 1', 'a 2', 'b 1'].map((it) => pooled.use(it));
    await moment();
    pooled.pool.end(({ key }) => key.startsWith('a '));
    expect(pooled.alive).toEqual(['b 1']);
    for (const it of calls) it.finish();
    await vi.waitFor(() => expect(pooled.pool.state).toEqual({ processes: 1, busy: 0, waiting: 0 }));
  });

  test('reports a failed start, and waits before it tries again', async () => {
    const pool = new ProcessPool<FakeProcess>({ backoffMs: 400 });
    let tries = 0;
    const start = (): FakeProcess => {
      tries++;
      throw new HostError('sandbox_unavailable', 'no sandbox');
    };
    const use = () =>
      pool
        .use(
          { key: 'a', owner: me, purpose: 'it', signal: new AbortController().signal, start },
          async () => 1,
        )
        .catch((it) => it);
    expect((await use()).hint).toBeUndefined();
    for (let n = 0; n < 50; n++) {
      expect(await use()).toMatchObject({
        code: 'sandbox_unavailable',
        message: 'no sandbox',
        hint: 'it failed to start a moment ago; try again in 1 s',
      });
    }
    expect(tries).toBe(1);
    await moment(450);
    await use();
    await moment(450);
    // The second delay is twice as long.
    expect((await use()).hint).toContain('2 times in a row');
    expect(tries).toBe(2);
    await moment(450);
    await use();
    expect(tries).toBe(3);
  });
});

function bound(pooled: PoolHarness): { use: PoolHarness['use']; made: FakeProcess[] } {
  return { use: pooled.use.bind(pooled), made: pooled.made };
}

test('processes can be killed by the purposes they were used for', async () => {
  const pooled = harness({ processes: 4, perKey: 2 });
  const never = new AbortController().signal;
  const first = pooled.use('a', never, 'read');
  const second = pooled.use('a', never, 'write');
  await moment();
  second.finish();
  await second.done;
  // The same process again, for another purpose.
  const third = pooled.use('a', never, 'look');
  await moment();
  third.finish();
  expect(await third.done).toBe(1);
  const retiredAfterEnding = (use: string) => {
    pooled.pool.end(({ key, purposes }) => key === 'a' && purposes.has(use));
    return pooled.made.map((it) => it.retired);
  };
  expect(retiredAfterEnding('other')).toEqual([false, false]);
  expect(retiredAfterEnding('write')).toEqual([false, true]);
  expect(retiredAfterEnding('read')).toEqual([true, true]);
  first.finish();
  await first.done;
});
