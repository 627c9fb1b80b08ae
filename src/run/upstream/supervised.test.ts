import { describe, expect, test } from 'vitest';
import { HostError } from '../../model/host-error.js';
import { patientSupervision, Supervised } from './supervised.js';
import type { Upstream, UpstreamEnd } from './upstream.js';

/** A program that can be made to end. */
class Puppet implements Upstream {
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
    this.end({ kind: 'asked', reason });
    await this.ended;
  }
}

const quick = { restMs: 20, longestRestMs: 60, restarts: 3, breakMs: 40, longestBreakMs: 100, failures: 3 };

function stage(limits = {}) {
  const puppets: Puppet[] = [];
  const supervised = new Supervised(
    'desk/server',
    async () => {
      const made = new Puppet();
      puppets.push(made);
      return made;
    },
    { ...quick, ...limits },
  );
  return { supervised, puppets, latest: () => puppets.at(-1) as Puppet };
}

const crash = { kind: 'exited', reason: 'it exited with code 1' } as const;

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('it never came to be');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

describe('a supervised program', () => {
  test('is started once for many who need it, and not before', async () => {
    const { supervised, puppets } = stage();
    expect(supervised.state).toBe('stopped');
    await Promise.all(Array.from({ length: 10 }, () => supervised.use(async () => 1)));
    expect(puppets).toHaveLength(1);
    expect(supervised.state).toBe('running');
  });

  test('that ends rests, longer each time, and comes back by itself', async () => {
    const { supervised, puppets, latest } = stage();
    await supervised.use(async () => 1);
    const rests: number[] = [];
    for (let count = 1; count <= 2; count++) {
      const ended = performance.now();
      latest().end(crash);
      await until(() => supervised.state === 'resting');
      await expect(supervised.use(async () => 1)).rejects.toThrow('is not up: it exited with code 1');
      await until(() => puppets.length === count + 1);
      rests.push(performance.now() - ended);
    }
    expect(rests[0]).toBeGreaterThanOrEqual(19);
    expect(rests[1]).toBeGreaterThanOrEqual(39);
    expect(await supervised.use(async () => 'up')).toBe('up');
  });

  test('that keeps ending is given up', async () => {
    const { supervised, puppets, latest } = stage();
    await supervised.use(async () => 1);
    for (let count = 1; count <= quick.restarts; count++) {
      latest().end(crash);
      await until(() => puppets.length === count + 1 && supervised.state === 'running');
    }
    latest().end(crash);
    await until(() => supervised.state === 'failed');
    await expect(supervised.use(async () => 1)).rejects.toThrow('it ended 4 times in a row');
    expect(puppets).toHaveLength(4);
  });

  test('that was up long enough begins to count anew', async () => {
    const { supervised, puppets, latest } = stage({ steadyMs: 0 });
    await supervised.use(async () => 1);
    for (let count = 1; count <= quick.restarts + 3; count++) {
      latest().end(crash);
      await until(() => puppets.length === count + 1 && supervised.state === 'running');
    }
    expect(supervised.ends).toBe(1);
  });

  test('that does not come up counts like one that ended', async () => {
    let tries = 0;
    const supervised = new Supervised(
      'desk/server',
      async () => {
        tries++;
        throw new HostError('upstream_failed', 'no handshake');
      },
      quick,
    );
    await expect(supervised.use(async () => 1)).rejects.toThrow('no handshake');
    await until(() => supervised.state === 'failed');
    expect(tries).toBe(quick.restarts + 1);
  });

  test('that lacks something only the operator can give does not rest: each try says what', async () => {
    const supervised = new Supervised(
      'desk/server',
      async () => {
        throw new HostError('network_denied', 'no grant', { hint: '--allow net:x' });
      },
      quick,
    );
    for (let count = 0; count < quick.restarts + 2; count++) {
      await expect(supervised.use(async () => 1)).rejects.toMatchObject({ hint: '--allow net:x' });
      expect(supervised.state).toBe('stopped');
    }
  });

  test('somewhere else is never given up, and asked again only by whoever needs it', async () => {
    let tries = 0;
    const supervised = new Supervised(
      'desk/server',
      async () => {
        tries++;
        throw new HostError('upstream_failed', 'nobody there');
      },
      { ...quick, failures: 100, ...patientSupervision },
    );
    for (let round = 1; round <= quick.restarts + 3; round++) {
      await expect(supervised.use(async () => 1)).rejects.toThrow('nobody there');
      expect(supervised.state).toBe('resting');
      await until(() => supervised.state === 'stopped');
      expect(tries).toBe(round);
    }
  });

  test('that does not answer is spared for a while, then tried once', async () => {
    const { supervised } = stage();
    const fail = () =>
      supervised.use(async () => {
        throw new HostError('timeout', 'no answer');
      });
    for (let count = 0; count < quick.failures; count++) await expect(fail()).rejects.toThrow('no answer');
    await expect(supervised.use(async () => 1)).rejects.toThrow('did not answer 3 times in a row');
    await new Promise((resolve) => setTimeout(resolve, quick.breakMs + 5));
    let release = () => {};
    const trial = supervised.use(() => new Promise<number>((resolve) => (release = () => resolve(1))));
    await expect(supervised.use(async () => 2)).rejects.toThrow('did not answer');
    await until(() => release !== undefined);
    release();
    expect(await trial).toBe(1);
    expect(await supervised.use(async () => 3)).toBe(3);
  });

  test('is not blamed for a failure of the tool, nor for a caller who gave up', async () => {
    const { supervised } = stage();
    for (const code of ['tool_failed', 'canceled', 'tool_failed', 'canceled', 'tool_failed'] as const) {
      const use = supervised.use(async () => {
        throw new HostError(code, 'told');
      });
      await expect(use).rejects.toThrow('told');
    }
    expect(await supervised.use(async () => 1)).toBe(1);
  });

  test('is ended when nobody needs it, and comes back when somebody does', async () => {
    const { supervised, puppets, latest } = stage({ idleMs: 20 });
    await supervised.use(async () => 1);
    await until(() => supervised.state === 'stopped');
    expect(latest().closed).toBe('nobody needs it now');
    await supervised.use(async () => 1);
    expect(puppets).toHaveLength(2);
  });

  test('of an older version is kept for a shorter time', async () => {
    const { supervised, latest } = stage();
    await supervised.use(async () => 1);
    supervised.outdated(10);
    await until(() => supervised.state === 'stopped');
    expect(latest().closed).toBe('nobody needs it now');
  });

  test('is not ended while it is in use', async () => {
    const { supervised, latest } = stage({ idleMs: 10 });
    await supervised.use(async () => 1);
    await supervised.use(() => new Promise((resolve) => setTimeout(resolve, 60)));
    expect(latest().closed).toBeUndefined();
  });

  test('that was closed starts for nobody', async () => {
    const { supervised, latest } = stage();
    await supervised.use(async () => 1);
    await supervised.close('the host is being closed');
    expect(latest().closed).toBe('the host is being closed');
    await expect(supervised.use(async () => 1)).rejects.toThrow('closed');
  });
});
