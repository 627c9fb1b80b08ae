import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventsOf } from './event-stream.js';

async function read(bytes: Buffer, cuts: readonly number[] = [], limit = 1000): Promise<string[]> {
  async function* chunks() {
    let from = 0;
    for (const cut of cuts) {
      yield bytes.subarray(from, from + cut);
      from += cut;
    }
    yield bytes.subarray(from);
  }
  const found: string[] = [];
  for await (const it of eventsOf(chunks(), limit, () => new Error('too large'))) found.push(it);
  return found;
}

test('events arrive whole, however the bytes are cut and the lines end', async () => {
  const data = fc.array(
    fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).filter((it) => !/[\r\n]/.test(it)),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(data, { maxLength: 5 }),
      fc.array(fc.nat(30), { maxLength: 10 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (events, cuts, end) => {
        const text = events.map((lines) => [...lines.map((it) => `data: ${it}`), '', ''].join(end)).join('');
        // A last carriage return could be half of a line end; what follows decides.
        expect(await read(Buffer.from(`${text}:${end}`), cuts)).toEqual(events.map((it) => it.join('\n')));
      },
    ),
    { numRuns: 200 },
  );
});

test('comments, other kinds of events and unfinished ones are passed over', async () => {
  const text =
    ': hello\n\nevent: endpoint\ndata: /x\n\nid: 1\nevent: message\ndata:{"a":1}\n\ndata\n\ndata: cut off';
  expect(await read(Buffer.from(text))).toEqual(['{"a":1}', '']);
});

test('an event without end is given up', async () => {
  await expect(read(Buffer.from(`data: ${'x'.repeat(2000)}`), [500, 500, 500])).rejects.toThrow('too large');
  await expect(read(Buffer.from('data: xx\n'.repeat(600)), [1000])).rejects.toThrow('too large');
  await expect(read(Buffer.from('data:\n'.repeat(2000)), [1000])).rejects.toThrow('too large');
});

test('one that comes in many small pieces costs no more than one in a few', async () => {
  const bytes = Buffer.from(`data: ${'x'.repeat(8 * 1024 * 1024)}\n\n`);
  const from = performance.now();
  const [event] = await read(bytes, Array(8 * 1024).fill(1024), bytes.length);
  expect(event).toHaveLength(8 * 1024 * 1024);
  // Looking at all of it again with every piece would take minutes.
  expect(performance.now() - from).toBeLessThan(5000);
});
