import { afterEach, describe, expect, test, vi } from 'vitest';
import { HostError } from '../model/host-error.js';
import { type PooledProcess, type PoolOptions, ProcessPool } from './pool.js';

/** A process without a machine: it comes up at once and is gone a moment after it was ended. */
class Made implements PooledProcess {
  started = true;
  spent = false;
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
    this.spent = true;
    setTimeout(this.#gone, 5);
  }
}

class Workshop {
  readonly pool: ProcessPool<Made>;
  readonly made: Made[] = [];
  readonly served: string[] = [];
  most = 0;

  constructor(options: PoolOptions) {
    this.pool = new ProcessPool<Made>(options);
  }

  /** Uses a process until told otherwise. */
  use(key: string, signal = new AbortController().signal, use = 'it') {
    let finish: (error?: Error) => void = () => {};
    const start = () => {
      const one = new Made(key, this.made.length);
      this.made.push(one);
      return one;
    };
    const done = this.pool.use({ key, use, signal, start }, (process) => {
      this.served.push(key);
      this.most = Math.max(this.most, this.pool.state.processes);
      return new Promise<number>((resolve, reject) => {
        finish = (error) => (error === undefined ? resolve(process.number) : reject(error));
      });
    });
    done.catch(() => {});
    return { done, finish: (error?: Error) => finish(error) };
  }

  get alive(): string[] {
    return this.made.filter((it) => !it.spent).map((it) => it.key);
  }
}

const pools: ProcessPool<Made>[] = [];
function workshop(options: PoolOptions): Workshop {
  const one = new Workshop(options);
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
    const { use, made } = bound(workshop({}));
    for (let n = 0; n < 3; n++) {
      const call = use('a');
      await moment();
      call.finish();
      await call.done;
    }
    expect(made.length).toBe(1);
  });

  test('gives each call a process of its own, up to the bound of the key; the rest wait in order', async () => {
    const shop = workshop({ perKey: 2 });
    const calls = [1, 2, 3, 4].map(() => shop.use('a'));
    await moment();
    expect(shop.pool.state).toEqual({ processes: 2, busy: 2, waiting: 2 });
    calls[1]?.finish();
    await moment();
    calls[2]?.finish();
    expect(await calls[2]?.done).toBe(1);
    expect(shop.made.length).toBe(2);
    // Waiting for the own key keeps nobody else.
    const other = shop.use('b');
    await moment();
    expect(shop.served.at(-1)).toBe('b');
    for (const it of [...calls, other]) it.finish();
  });

  test('never has more processes than its bound, those that are ending included', async () => {
    const shop = workshop({ processes: 3, perKey: 3 });
    const calls = Array.from({ length: 40 }, (_, n) => shop.use(`key-${n % 7}`));
    for (const it of calls) {
      await vi.waitFor(() => expect(shop.served.length).toBeGreaterThan(0));
      it.finish();
      await moment(1);
    }
    for (let n = 0; n < 200 && shop.pool.state.waiting + shop.pool.state.busy > 0; n++) {
      for (const it of calls) it.finish();
      await moment(1);
    }
    expect(shop.served.length).toBe(40);
    expect(shop.most).toBe(3);
  });

  test('lets the one go that has been idle longest', async () => {
    const shop = workshop({ processes: 2 });
    for (const key of ['old', 'new', 'old']) {
      const call = shop.use(key);
      await moment(2);
      call.finish();
      await call.done;
      await moment(2);
    }
    const third = shop.use('third');
    await vi.waitFor(() => expect(shop.served.at(-1)).toBe('third'));
    expect(shop.alive).toEqual(['old', 'third']);
    third.finish();
  });

  test('lets only as many go as there are newcomers', async () => {
    const shop = workshop({ processes: 3 });
    for (const key of ['a', 'b', 'c']) {
      const call = shop.use(key);
      await moment(2);
      call.finish();
      await call.done;
    }
    const newcomer = shop.use('d');
    // Each of these looks through the queue again while a place is being cleared.
    for (let n = 0; n < 3; n++) {
      const stop = new AbortController();
      shop.use('d', stop.signal);
      stop.abort();
    }
    const known = shop.use('c');
    await vi.waitFor(() => expect(shop.served.slice(-2)).toEqual(['c', 'd']));
    expect(shop.alive).not.toContain('a');
    expect(shop.alive).toContain('c');
    for (const it of [newcomer, known]) it.finish();
  });

  test('serves whoever waits longest, whatever comes free', async () => {
    const shop = workshop({ processes: 1 });
    const first = shop.use('a');
    await moment();
    const b = shop.use('b');
    const again = shop.use('a');
    await moment();
    first.finish();
    await vi.waitFor(() => expect(shop.served).toEqual(['a', 'b']));
    b.finish();
    await vi.waitFor(() => expect(shop.served).toEqual(['a', 'b', 'a']));
    again.finish();
  });

  test('forgets whoever gives up waiting, and serves those behind', async () => {
    const shop = workshop({ processes: 1 });
    const first = shop.use('a');
    await moment();
    const stop = new AbortController();
    const gone = shop.use('b', stop.signal);
    const last = shop.use('a');
    stop.abort();
    await expect(gone.done).rejects.toMatchObject({ code: 'canceled' });
    first.finish();
    await vi.waitFor(() => expect(shop.served).toEqual(['a', 'a']));
    // Nobody had to go for the one that gave up.
    expect(shop.made.length).toBe(1);
    last.finish();
  });

  test('does not give out a process that is spent', async () => {
    const shop = workshop({});
    const call = shop.use('a');
    await moment();
    (shop.made[0] as Made).spent = true;
    call.finish();
    await call.done;
    await vi.waitFor(() => expect(shop.pool.state.processes).toBe(0));
    const next = shop.use('a');
    await moment();
    next.finish();
    expect(await next.done).toBe(1);
  });

  test('keeps a process whose call failed', async () => {
    const shop = workshop({});
    const call = shop.use('a');
    await moment();
    call.finish(new HostError('tool_failed', 'no'));
    await expect(call.done).rejects.toThrow('no');
    const next = shop.use('a');
    await moment();
    next.finish();
    expect(await next.done).toBe(0);
  });

  test('ends what is idle for too long', async () => {
    const shop = workshop({ idleMs: 30 });
    const call = shop.use('a');
    await moment();
    call.finish();
    await call.done;
    expect(shop.pool.state.processes).toBe(1);
    await vi.waitFor(() => expect(shop.pool.state.processes).toBe(0));
  });

  test('ends the processes of some keys on demand', async () => {
    const shop = workshop({});
    const calls = ['a 1', 'a 2', 'b 1'].map((it) => shop.use(it));
    await moment();
    shop.pool.end((key) => key.startsWith('a '));
    expect(shop.alive).toEqual(['b 1']);
    for (const it of calls) it.finish();
    await vi.waitFor(() => expect(shop.pool.state).toEqual({ processes: 1, busy: 0, waiting: 0 }));
  });

  test('passes on that nothing could be started, and rests before it tries again', async () => {
    const pool = new ProcessPool<Made>({ restMs: 40 });
    let tries = 0;
    const start = (): Made => {
      tries++;
      throw new HostError('sandbox_unavailable', 'no sandbox');
    };
    const use = () =>
      pool
        .use({ key: 'a', use: 'it', signal: new AbortController().signal, start }, async () => 1)
        .catch((it) => it);
    expect((await use()).hint).toBeUndefined();
    for (let n = 0; n < 50; n++) {
      expect(await use()).toMatchObject({
        code: 'sandbox_unavailable',
        message: 'no sandbox',
        hint: 'it failed to start a moment ago; the next try is possible in 1 s',
      });
    }
    expect(tries).toBe(1);
    await moment(50);
    await use();
    await moment(50);
    // The second rest is twice as long.
    expect((await use()).hint).toContain('2 times in a row');
    expect(tries).toBe(2);
    await moment(50);
    await use();
    expect(tries).toBe(3);
  });
});

function bound(shop: Workshop): { use: Workshop['use']; made: Made[] } {
  return { use: shop.use.bind(shop), made: shop.made };
}

test('a process remembers what it was used for, and is ended by that', async () => {
  const shop = workshop({ processes: 4, perKey: 2 });
  const never = new AbortController().signal;
  const first = shop.use('a', never, 'read');
  const second = shop.use('a', never, 'write');
  await moment();
  second.finish();
  await second.done;
  // The same process again, for something else.
  const third = shop.use('a', never, 'look');
  await moment();
  third.finish();
  expect(await third.done).toBe(1);
  const ended = (use: string) => {
    shop.pool.end((key, uses) => key === 'a' && uses.has(use));
    return shop.made.map((it) => it.spent);
  };
  expect(ended('other')).toEqual([false, false]);
  expect(ended('write')).toEqual([false, true]);
  expect(ended('read')).toEqual([true, true]);
  first.finish();
  await first.done;
});
