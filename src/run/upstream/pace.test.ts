import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { pace } from './pace.js';

const chunk = Buffer.alloc(1000);

test('what comes at once is read at once; what goes on without end waits', async () => {
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
  pace(endless, { burst: 10_000, perSecond: 100_000 }, () => time);
  await new Promise((resolve) => endless.once('pause', resolve));
  expect(read).toBe(11_000);
  // When it goes on a second has passed: the whole burst may come again, and not more.
  endless.once('resume', () => {
    time += 1000;
  });
  await new Promise((resolve) => endless.once('pause', resolve));
  expect(read).toBe(22_000);
  endless.destroy();
});

test('the end of a stream that was held back arrives', async () => {
  const short = Readable.from([chunk, chunk, chunk], { objectMode: false });
  pace(short, { burst: 500, perSecond: 100_000 });
  await new Promise((resolve) => short.once('end', resolve));
});
