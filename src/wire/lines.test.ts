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
