import { expect, test, vi } from 'vitest';
import type { Signal } from '../model/signal.js';
import type { Upstream, UpstreamEnd } from '../run/upstream/upstream.js';
import { UpstreamConnections, type UpstreamTarget } from './upstream-connections.js';

/** A program that stays when it is asked to go, and says how it was ended. */
function stubborn(ways: string[]): Upstream {
  let end: (end: UpstreamEnd) => void = () => {};
  const ended = new Promise<UpstreamEnd>((resolve) => {
    end = resolve;
  });
  return {
    announced: { tools: [], hooks: [] },
    ended,
    call: () => Promise.reject(new Error('not used here')),
    close: async () => {
      ways.push('asked');
      await ended;
    },
    kill: () => {
      ways.push('killed');
      end({ kind: 'asked', reason: 'it was stopped' });
    },
  };
}

function place(key: string, open: UpstreamTarget['open']): UpstreamTarget {
  const words = (text: string) => text;
  return { key, principal: 'agent', package: key, digest: key, program: 'main', ours: true, open, words };
}

test('a kill ends a program that was given up already and is still on its way out', async () => {
  const remotes = new UpstreamConnections();
  for (const [leave, expected] of [
    [() => void remotes.end(() => true, 'it was edited'), ['asked', 'killed']],
    [() => remotes.retire(() => true), ['killed']],
  ] as const) {
    const ways: string[] = [];
    let done: () => void = () => {};
    const used = remotes.use(
      place('desk', async () => stubborn(ways)),
      () => new Promise<void>((resolve) => (done = resolve)),
    );
    await new Promise((resolve) => setImmediate(resolve));
    leave();
    remotes.kill((it) => it.package === 'another');
    expect(ways).not.toContain('killed');
    remotes.kill((it) => it.package === 'desk');
    done();
    await used;
    await new Promise((resolve) => setImmediate(resolve));
    expect(ways).toEqual(expected);
  }
  await remotes.close();
});

test('a kill does not wait for a program that is coming up', async () => {
  const remotes = new UpstreamConnections();
  const given: Signal[] = [];
  const used = remotes.use(
    place('desk', (signal) => {
      given.push(signal);
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('given up'))),
      );
    }),
    async () => {},
  );
  used.catch(() => {});
  remotes.kill(() => true);
  expect(given.map((it) => it.aborted)).toEqual([true]);
  await expect(used).rejects.toThrow();
});

test('a program of an older version is not kept for long once a newer one is used', async () => {
  vi.useFakeTimers();
  const remotes = new UpstreamConnections();
  const ways: string[] = [];
  const version = (digest: string): UpstreamTarget => ({
    ...place(digest, async () => stubborn(digest === 'old' ? ways : [])),
    package: 'desk',
  });
  try {
    await remotes.use(version('old'), async () => {});
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ways).toEqual([]);
    await remotes.use(version('new'), async () => {});
    await vi.advanceTimersByTimeAsync(19_000);
    expect(ways).toEqual([]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(ways).toEqual(['asked']);
  } finally {
    vi.useRealTimers();
    remotes.kill(() => true);
  }
});
