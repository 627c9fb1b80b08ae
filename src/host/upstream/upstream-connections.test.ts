import { expect, test, vi } from 'vitest';
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { ProcessOwner } from '../../run/process-owner.js';
import type { Upstream, UpstreamEnd } from '../../run/upstream/upstream.js';
import { UpstreamConnections, type UpstreamTarget } from './upstream-connections.js';

/** A program that ignores requests to end, and records how it is ended. */
function unwilling(endings: string[]): Upstream {
  let end: (end: UpstreamEnd) => void = () => {};
  const ended = new Promise<UpstreamEnd>((resolve) => {
    end = resolve;
  });
  return {
    announced: { tools: [], hooks: [] },
    ended,
    call: () => Promise.reject(new Error('not used here')),
    close: async () => {
      endings.push('requested');
      await ended;
    },
    kill: () => {
      endings.push('killed');
      end({ kind: 'requested', reason: 'it was stopped' });
    },
  };
}

const agent: ProcessOwner = { principal: 'agent', id: 'agent' };

function target(key: string, open: UpstreamTarget['open'], owner = agent): UpstreamTarget {
  const redact = (text: string) => text;
  return {
    key,
    owner,
    package: key,
    digest: key,
    program: 'main',
    startedHere: true,
    open,
    redact,
  };
}

test('a kill ends a program that is already ending', async () => {
  const connections = new UpstreamConnections();
  for (const [end, expected] of [
    [() => void connections.end(() => true, 'it was edited'), ['requested', 'killed']],
    [() => connections.retire(() => true), ['killed']],
  ] as const) {
    const endings: string[] = [];
    let done: () => void = () => {};
    const used = connections.use(
      target('desk', async () => unwilling(endings)),
      () => new Promise<void>((resolve) => (done = resolve)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    end();
    connections.kill((it) => it.package === 'another');
    expect(endings).not.toContain('killed');
    connections.kill((it) => it.package === 'desk');
    done();
    await used;
    await new Promise((resolve) => setImmediate(resolve));
    expect(endings).toEqual(expected);
  }
  await connections.close();
});

test('a kill cancels the start of a program', async () => {
  const connections = new UpstreamConnections();
  const signals: CancelSignal[] = [];
  const used = connections.use(
    target('desk', (signal) => {
      signals.push(signal);
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('given up'))),
      );
    }),
    async () => {},
  );
  used.catch(() => {});
  connections.kill(() => true);
  expect(signals.map((it) => it.aborted)).toEqual([true]);
  await expect(used).rejects.toThrow();
});

test('a program of an older version ends soon after a newer version is used', async () => {
  vi.useFakeTimers();
  const connections = new UpstreamConnections();
  const endings: string[] = [];
  const version = (digest: string): UpstreamTarget => ({
    ...target(digest, async () => unwilling(digest === 'old' ? endings : [])),
    package: 'desk',
  });
  try {
    await connections.use(version('old'), async () => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(endings).toEqual([]);
    await connections.use(version('new'), async () => {});
    await vi.advanceTimersByTimeAsync(19_000);
    expect(endings).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(endings).toEqual(['requested']);
  } finally {
    vi.useRealTimers();
    connections.kill(() => true);
  }
});

/** A program that ends when it is asked to. */
function willing(): Upstream {
  let end: (end: UpstreamEnd) => void = () => {};
  const ended = new Promise<UpstreamEnd>((resolve) => {
    end = resolve;
  });
  const stop = () => end({ kind: 'requested', reason: 'it was stopped' });
  return {
    announced: { tools: [], hooks: [] },
    ended,
    call: () => Promise.reject(new Error('not used here')),
    close: async () => stop(),
    kill: stop,
  };
}

test('a client with very many programs neither ends those of others nor uses all places', async () => {
  const connections = new UpstreamConnections();
  const bob: ProcessOwner = { principal: 'bob', id: 'bob' };
  const starts: string[] = [];
  const program = (key: string, owner: ProcessOwner) =>
    target(
      key,
      async () => {
        starts.push(key);
        return willing();
      },
      owner,
    );
  await connections.use(program('bob-1', bob), async () => {});
  for (let n = 0; n < 200; n++) await connections.use(program(`agent-${n}`, agent), async () => {});
  await connections.use(program('bob-1', bob), async () => {});
  expect(starts.filter((it) => it === 'bob-1')).toHaveLength(1);
  await connections.end(() => true, 'next part');

  let release = () => {};
  const busy = new Promise<void>((resolve) => {
    release = resolve;
  });
  const calls = Array.from({ length: 112 }, (_, n) =>
    connections.use(program(`busy-${n}`, agent), () => busy),
  );
  await expect(connections.use(program('one-more', agent), async () => {})).rejects.toMatchObject({
    code: 'upstream_failed',
  });
  // Control: another principal still gets a place.
  await connections.use(program('bob-2', bob), async () => {});
  expect(starts).toContain('bob-2');
  release();
  await Promise.all(calls);
  await connections.close();
});
