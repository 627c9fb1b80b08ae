import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DelayedSync } from './delayed-sync.js';

test('commits are synced together, at most 25 ms after the first of them', async () => {
  const times: number[] = [];
  const sync = new DelayedSync(async () => {
    times.push(performance.now());
  });
  const started = performance.now();
  for (let count = 0; count < 5; count++) sync.committed();
  await expect.poll(() => times.length, { interval: 1 }).toBe(1);
  // A busy machine may be late; a timer of the wrong length is later than this.
  expect((times[0] as number) - started).toBeLessThan(100);
  await pause(60);
  expect(times).toHaveLength(1);
});

test('a commit during a sync is synced again', async () => {
  let syncs = 0;
  let finish = () => {};
  const sync = new DelayedSync(() => {
    syncs++;
    return new Promise<void>((resolve) => {
      finish = resolve;
    });
  });
  sync.committed();
  await expect.poll(() => syncs).toBe(1);
  sync.committed();
  await pause(40);
  expect(syncs).toBe(1);
  finish();
  await expect.poll(() => syncs).toBe(2);
  finish();
});

test('nothing is synced that a durable commit covers', async () => {
  let syncs = 0;
  const sync = new DelayedSync(async () => {
    syncs++;
  });
  sync.committed();
  sync.covered();
  await pause(50);
  expect(syncs).toBe(0);
  await sync.flush();
  expect(syncs).toBe(0);
});

test('a failure stays, even if a later sync would seem to succeed', async () => {
  let syncs = 0;
  const sync = new DelayedSync(async () => {
    syncs++;
    if (syncs === 1) throw new Error('EIO');
  });
  sync.assertWorks();
  sync.committed();
  await expect(sync.flush()).rejects.toMatchObject({ code: 'state_unusable' });
  expect(() => sync.assertWorks()).toThrow(/no call runs any more/);
  sync.committed();
  await expect(sync.flush()).rejects.toThrow(/could not be written to the disk/);
});
