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

test('events arrive complete, however the bytes are split and the lines end', async () => {
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
        // A carriage return at the end could be half of a line break; the next byte decides.
        expect(await read(Buffer.from(`${text}:${end}`), cuts)).toEqual(events.map((it) => it.join('\n')));
      },
    ),
    { numRuns: 200 },
  );
});

test('comments, other kinds of events and incomplete events are skipped', async () => {
  const text =
    ': hello\n\nevent: endpoint\ndata: /x\n\nid: 1\nevent: message\ndata:{"a":1}\n\ndata\n\ndata: cut off';
  expect(await read(Buffer.from(text))).toEqual(['{"a":1}', '']);
});

test('an event that never ends is rejected as too large', async () => {
  await expect(read(Buffer.from(`data: ${'x'.repeat(2000)}`), [500, 500, 500])).rejects.toThrow('too large');
  await expect(read(Buffer.from('data: xx\n'.repeat(600)), [1000])).rejects.toThrow('too large');
  await expect(read(Buffer.from('data:\n'.repeat(2000)), [1000])).rejects.toThrow('too large');
});

test('an event in many small pieces is read in linear time', async () => {
  const bytes = Buffer.from(`data: ${'x'.repeat(8 * 1024 * 1024)}\n\n`);
  const from = performance.now();
  const [event] = await read(bytes, Array(8 * 1024).fill(1024), bytes.length);
  expect(event).toHaveLength(8 * 1024 * 1024);
  // Scanning the whole event again for every piece would take minutes.
  expect(performance.now() - from).toBeLessThan(5000);
});
