import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxLineBytes, readFirstLine, readLines } from './lines.js';

function collect(stream: PassThrough): Promise<{ lines: string[]; reason: unknown }> {
  const lines: string[] = [];
  return new Promise((resolve) =>
    readLines(stream, { line: (text) => lines.push(text), end: (reason) => resolve({ lines, reason }) }),
  );
}

describe('lines', () => {
  test('arrive complete, however the bytes are split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.string({ minLength: 1 }).filter((it) => it.trim() !== '' && !/[\n\r]/.test(it)),
          { maxLength: 8 },
        ),
        fc.array(fc.nat(40), { maxLength: 10 }),
        async (texts, cuts) => {
          const bytes = Buffer.from(texts.map((it) => `${it}\n`).join(''));
          const stream = new PassThrough();
          const read = collect(stream);
          let from = 0;
          for (const cut of cuts) {
            stream.write(bytes.subarray(from, from + cut));
            from += cut;
          }
          stream.end(bytes.subarray(from));
          expect((await read).lines).toEqual(texts);
        },
      ),
    );
  });

  test('reading stops at a line that is too long', async () => {
    const stream = new PassThrough();
    const read = collect(stream);
    stream.write('short\n');
    for (let sent = 0; sent <= maxLineBytes; sent += 1024 * 1024)
      stream.write(Buffer.alloc(1024 * 1024, 'x'));
    expect(await read).toEqual({ lines: ['short'], reason: 'too-long' });
  });

  test('an incomplete last line is ignored', async () => {
    const stream = new PassThrough();
    const read = collect(stream);
    stream.end('a\nb');
    expect(await read).toEqual({ lines: ['a'], reason: 'closed' });
  });
});

describe('a reader that skips', () => {
  function collectSkipping(stream: PassThrough, limit: () => number) {
    const lines: [string, number][] = [];
    const skipped: [number, string | null][] = [];
    let invalid = 0;
    readLines(stream, {
      limit,
      line: (text, bytes) => lines.push([text, bytes]),
      skipped: (bytes, head) => skipped.push([bytes, head]),
      invalidUtf8: (bytes) => {
        invalid += bytes;
      },
    });
    return { lines, skipped, invalid: () => invalid };
  }
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('reports a line that is too long by its head, and reads on after it', async () => {
    const stream = new PassThrough();
    const { lines, skipped } = collectSkipping(stream, () => 10);
    for (const piece of ['short\n{"id":1,', 'x'.repeat(500), 'rest\nüber\n'])
      await new Promise((resolve) => stream.write(piece, resolve));
    await turn();
    expect(lines).toEqual([
      ['short', 5],
      ['über', 5],
    ]);
    expect(skipped).toEqual([
      [508, `{"id":1,${'x'.repeat(192)}`],
      [4, null],
    ]);
  });

  test('asks for the limit each time', async () => {
    const stream = new PassThrough();
    let limit = 4;
    const { lines, skipped } = collectSkipping(stream, () => limit);
    stream.write('12345\n');
    await turn();
    limit = 5;
    stream.write('12345\n');
    await turn();
    expect([lines.length, skipped.length]).toEqual([1, 1]);
  });

  test('counts a line that is not UTF-8', async () => {
    const stream = new PassThrough();
    const { lines, invalid } = collectSkipping(stream, () => 100);
    stream.write(Buffer.from([0xc3, 0x28, 0x0a]));
    stream.write('fine\n');
    await turn();
    expect([lines, invalid()]).toEqual([[['fine', 4]], 2]);
  });
});

describe('the first line', () => {
  test('leaves the rest in the stream', async () => {
    const stream = new PassThrough();
    stream.write('hel');
    stream.write('lo\nrest\n');
    expect(await readFirstLine(stream, 100)).toBe('hello');
    const read = collect(stream);
    stream.end('more\n');
    expect((await read).lines).toEqual(['rest', 'more']);
  });

  test('is limited in size and required', async () => {
    const long = new PassThrough();
    long.write('x'.repeat(200));
    await expect(readFirstLine(long, 100)).rejects.toThrow('too long');
    const none = new PassThrough();
    none.end();
    await expect(readFirstLine(none, 100)).rejects.toThrow('ended');
  });
});

describe('a reader of JSON lines', () => {
  const limits = { bytes: 1e6, depth: 3, values: 100 };
  const write = (stream: PassThrough, text: string) => new Promise((resolve) => stream.write(text, resolve));

  test('reports a line over a limit before it is complete, skips the rest, and reads on', async () => {
    const stream = new PassThrough();
    const lines: string[] = [];
    const rejected: unknown[] = [];
    readLines(stream, {
      json: limits,
      line: (text) => lines.push(text),
      rejected: (excess, bytes, head) => rejected.push([excess, bytes, head]),
    });
    await write(stream, '[1]\n{"id":1,"a":');
    await write(stream, '[[[[');
    expect(rejected).toEqual([[{ limit: 'depth', max: 3 }, 16, '{"id":1,"a":[[[[']]);
    await write(stream, '[[[[');
    await write(stream, ']]\n["[[[[",');
    await write(stream, '"[[[["]\n');
    expect(lines).toEqual(['[1]', '["[[[[","[[[["]']);
    expect(rejected).toHaveLength(1);
  });

  test('ends at a line over a limit that is also too long', async () => {
    const stream = new PassThrough();
    const ended = new Promise((resolve) =>
      readLines(stream, { json: limits, limit: () => 1000, line: () => {}, end: resolve }),
    );
    for (let sent = 0; sent <= 1000; sent += 100) stream.write('['.repeat(100));
    expect(await ended).toBe('too-long');
  });
});
