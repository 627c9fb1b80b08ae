import { describe, expect, test } from 'vitest';
import { HostError } from '../../model/host-error.js';
import { SupervisedUpstream } from './supervised-upstream.js';
import { externalSupervision } from './supervision-policy.js';
import type { Upstream, UpstreamEnd } from './upstream.js';

/** A program that the test can end. */
class FakeUpstream implements Upstream {
  readonly announced = { tools: [], hooks: [] };
  readonly ended: Promise<UpstreamEnd>;
  closed: string | undefined;
  end!: (end: UpstreamEnd) => void;

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  call(): Promise<never> {
    throw new Error('not used here');
  }

  async close(reason: string): Promise<void> {
    this.closed = reason;
    this.end({ kind: 'requested', reason });
    await this.ended;
  }
}

const quick = {
  backoffMs: 20,
  maxBackoffMs: 60,
  maxRestarts: 3,
  pauseMs: 40,
  maxPauseMs: 100,
  maxFailures: 3,
};

function stage(limits = {}) {
  const started: FakeUpstream[] = [];
  const supervised = new SupervisedUpstream(
    'desk/server',
    async () => {
      const made = new FakeUpstream();
      started.push(made);
      return made;
    },
    { ...quick, ...limits },
  );
  return { supervised, started, latest: () => started.at(-1) as FakeUpstream };
}

const crash = { kind: 'exited', reason: 'it exited with code 1' } as const;

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the condition was never met');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('a supervised program', () => {
  test('is started once for many calls, and not before the first one', async () => {
    const { supervised, started } = stage();
    expect(supervised.state).toBe('stopped');
    await Promise.all(Array.from({ length: 10 }, () => supervised.use(async () => 1)));
    expect(started).toHaveLength(1);
    expect(supervised.state).toBe('running');
  });

  test('that exits is restarted by itself, after a longer delay each time', async () => {
    const { supervised, started, latest } = stage();
    await supervised.use(async () => 1);
    const delays: number[] = [];
    for (let count = 1; count <= 2; count++) {
      const ended = performance.now();
      latest().end(crash);
      await until(() => supervised.state === 'backoff');
      await expect(supervised.use(async () => 1)).rejects.toThrow('is not running: it exited with code 1');
      await until(() => started.length === count + 1);
      delays.push(performance.now() - ended);
    }
    expect(delays[0]).toBeGreaterThanOrEqual(19);
    expect(delays[1]).toBeGreaterThanOrEqual(39);
    expect(await supervised.use(async () => 'up')).toBe('up');
  });

  test('that exits too often is not restarted any more', async () => {
    const { supervised, started, latest } = stage();
    await supervised.use(async () => 1);
    for (let count = 1; count <= quick.maxRestarts; count++) {
      latest().end(crash);
      await until(() => started.length === count + 1 && supervised.state === 'running');
    }
    latest().end(crash);
    await until(() => supervised.state === 'failed');
    await expect(supervised.use(async () => 1)).rejects.toThrow('it exited 4 times in a row');
    expect(started).toHaveLength(4);
  });

  test('that ran long enough starts counting again', async () => {
    const { supervised, started, latest } = stage({ stableMs: 0 });
    await supervised.use(async () => 1);
    for (let count = 1; count <= quick.maxRestarts + 3; count++) {
      latest().end(crash);
      await until(() => started.length === count + 1 && supervised.state === 'running');
    }
    expect(supervised.exits).toBe(1);
  });

  test('that fails to start counts like one that exited', async () => {
    let tries = 0;
    const supervised = new SupervisedUpstream(
      'desk/server',
      async () => {
        tries++;
        throw new HostError('upstream_failed', 'no handshake');
      },
      quick,
    );
    await expect(supervised.use(async () => 1)).rejects.toThrow('no handshake');
    await until(() => supervised.state === 'failed');
    expect(tries).toBe(quick.maxRestarts + 1);
  });

  test('that lacks a grant of the operator says so on every call, without a delay', async () => {
    const supervised = new SupervisedUpstream(
      'desk/server',
      async () => {
        throw new HostError('network_denied', 'no grant', { hint: '--allow net:x' });
      },
      quick,
    );
    for (let count = 0; count < quick.maxRestarts + 2; count++) {
      await expect(supervised.use(async () => 1)).rejects.toMatchObject({ hint: '--allow net:x' });
      expect(supervised.state).toBe('stopped');
    }
  });

  test('on another machine is retried without limit, but only by calls', async () => {
    let tries = 0;
    const supervised = new SupervisedUpstream(
      'desk/server',
      async () => {
        tries++;
        throw new HostError('upstream_failed', 'no connection');
      },
      { ...quick, maxFailures: 100, ...externalSupervision },
    );
    for (let round = 1; round <= quick.maxRestarts + 3; round++) {
      await expect(supervised.use(async () => 1)).rejects.toThrow('no connection');
      expect(supervised.state).toBe('backoff');
      await until(() => supervised.state === 'stopped');
      expect(tries).toBe(round);
    }
  });

  test('that does not answer is paused, then tried with one call', async () => {
    const { supervised } = stage();
    const fail = () =>
      supervised.use(async () => {
        throw new HostError('timeout', 'no answer');
      });
    for (let count = 0; count < quick.maxFailures; count++) await expect(fail()).rejects.toThrow('no answer');
    await expect(supervised.use(async () => 1)).rejects.toThrow('did not answer 3 times in a row');
    await new Promise((resolve) => setTimeout(resolve, quick.pauseMs + 5));
    let release = () => {};
    const trial = supervised.use(() => new Promise<number>((resolve) => (release = () => resolve(1))));
    await expect(supervised.use(async () => 2)).rejects.toThrow('did not answer');
    await until(() => release !== undefined);
    release();
    expect(await trial).toBe(1);
    expect(await supervised.use(async () => 3)).toBe(3);
  });

  test('is not paused because of a failed tool or a canceled call', async () => {
    const { supervised } = stage();
    for (const code of ['tool_failed', 'canceled', 'tool_failed', 'canceled', 'tool_failed'] as const) {
      const use = supervised.use(async () => {
        throw new HostError(code, 'told');
      });
      await expect(use).rejects.toThrow('told');
    }
    expect(await supervised.use(async () => 1)).toBe(1);
  });

  test('is stopped when idle, and started again by the next call', async () => {
    const { supervised, started, latest } = stage({ idleMs: 20 });
    await supervised.use(async () => 1);
    await until(() => supervised.state === 'stopped');
    expect(latest().closed).toBe('it was idle');
    await supervised.use(async () => 1);
    expect(started).toHaveLength(2);
  });

  test('of an older version is stopped sooner when idle', async () => {
    const { supervised, latest } = stage();
    await supervised.use(async () => 1);
    supervised.shortenIdleTime(10);
    await until(() => supervised.state === 'stopped');
    expect(latest().closed).toBe('it was idle');
  });

  test('is not stopped while it is in use', async () => {
    const { supervised, latest } = stage({ idleMs: 10 });
    await supervised.use(async () => 1);
    await supervised.use(() => new Promise((resolve) => setTimeout(resolve, 60)));
    expect(latest().closed).toBeUndefined();
  });

  test('that was closed is not started again', async () => {
    const { supervised, latest } = stage();
    await supervised.use(async () => 1);
    await supervised.close('the host is shutting down');
    expect(latest().closed).toBe('the host is shutting down');
    await expect(supervised.use(async () => 1)).rejects.toThrow('shutting down');
  });
});
