import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { limitReadRate } from './read-rate.js';

const chunk = Buffer.alloc(1000);

test('a burst is read immediately, and an endless stream is paused', async () => {
  let read = 0;
  let time = 0;
  const endless = new Readable({
    read() {
      setImmediate(() => this.push(chunk));
    },
  });
  endless.on('data', () => {
    read += chunk.length;
  });
  limitReadRate(endless, { burst: 10_000, perSecond: 100_000 }, () => time);
  await new Promise((resolve) => endless.once('pause', resolve));
  expect(read).toBe(11_000);
  // One second passes before it resumes: one more whole burst is allowed.
  endless.once('resume', () => {
    time += 1000;
  });
  await new Promise((resolve) => endless.once('pause', resolve));
  expect(read).toBe(22_000);
  endless.destroy();
});

test('the end of a paused stream arrives', async () => {
  const short = Readable.from([chunk, chunk, chunk], { objectMode: false });
  limitReadRate(short, { burst: 500, perSecond: 100_000 });
  await new Promise((resolve) => short.once('end', resolve));
});
