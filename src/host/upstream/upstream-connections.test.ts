import { expect, test, vi } from 'vitest';
import type { CancelSignal } from '../../model/cancel-signal.js';
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

function target(key: string, open: UpstreamTarget['open']): UpstreamTarget {
  const redact = (text: string) => text;
  return {
    key,
    principal: 'agent',
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
