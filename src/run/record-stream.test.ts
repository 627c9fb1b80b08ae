import { expect, test } from 'vitest';
import { recordStream } from './record-stream.js';
import type { Progress } from './run.js';

function reported(chunks: readonly string[], errorEnvelope = false): Progress[] {
  const all: Progress[] = [];
  const push = recordStream({ onProgress: (it) => all.push(it), errorEnvelope, now: () => 0 });
  for (const it of chunks) push(Buffer.from(it));
  return all;
}

test('a record is reported when its line is complete, in whatever pieces it arrives', () => {
  expect(reported(['{"n"', ':1}\n{"n":2', '}\n\n{"n":3}'])).toEqual([
    { progress: 1, message: '{"n":1}' },
    { progress: 2, message: '{"n":2}' },
  ]);
});

test('lines that are not JSON, and a declared error, are not reported', () => {
  const lines = ['starting\n{"n":1}\n{"error":{"code":"x"}}\n'];
  expect(reported(lines, true)).toEqual([{ progress: 1, message: '{"n":1}' }]);
  expect(reported(lines)).toHaveLength(2);
});

test('a long record is reported without its content, and a very long one only counts', () => {
  const long = JSON.stringify('x'.repeat(5000));
  const veryLong = JSON.stringify('x'.repeat(70_000));
  expect(reported([`${long}\n${veryLong}\n1\n`])).toEqual([
    { progress: 1, message: 'record 1 with 5002 characters' },
    { progress: 3, message: '1' },
  ]);
});

test('a flood of records is reported in part', () => {
  const all = reported([Array.from({ length: 1000 }, (_, index) => `${index}\n`).join('')]);
  expect(all).toHaveLength(100);
});
