import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { ProgramStderr } from './program-stderr.js';
import { RateLimitedLog } from './rate-limited-log.js';

const limits = { lines: { burst: 3, perSecond: 1 }, lineLength: 30 };

async function read(chunks: readonly (string | Buffer)[], perSecond = limits) {
  const logs: string[] = [];
  const stream = new PassThrough();
  const log = new RateLimitedLog(
    (line) => logs.push(line),
    perSecond,
    () => 0,
  );
  const stderr = new ProgramStderr(stream, log);
  for (const it of chunks) stream.write(it);
  stream.end();
  await new Promise((resolve) => stream.once('close', resolve));
  log.close();
  return { logs, stderr };
}

test('lines are logged, shortened and at a limited rate, and the others are counted', async () => {
  const { logs } = await read(['one\n', `${'x'.repeat(40)}\n`, 'three\n', 'four\nfive\n']);
  expect(logs).toEqual(['one', `${'x'.repeat(30)}…`, 'three', '(2 lines omitted)']);
});

test('a line that is too long or not UTF-8 is logged as such', async () => {
  const { logs } = await read([
    `${'y'.repeat(20_000)}\n`,
    Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('\n')]),
  ]);
  expect(logs).toEqual([`${'y'.repeat(30)}…`, '(a line that is not UTF-8)']);
});

test('the end is kept, however much was written', async () => {
  const { stderr } = await read([
    ...Array.from({ length: 400 }, () => 'z'.repeat(1024)),
    '\nTraceback\n',
    'ValueError: no',
  ]);
  expect(stderr.tail).toHaveLength(16 * 1024);
  expect(stderr.tail.endsWith('\nTraceback\nValueError: no')).toBe(true);
});
