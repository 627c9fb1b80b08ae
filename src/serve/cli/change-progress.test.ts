import { expect, test } from 'vitest';
import type { ChangeProgress } from '../../host/host.js';
import { changeProgress } from './change-progress.js';

const mebibyte = 1024 * 1024;
const download = (bytes: number, totalBytes?: number): ChangeProgress => ({
  ...{ step: 'fetch', detail: 'download index.example.com', bytes },
  ...(totalBytes === undefined ? {} : { totalBytes }),
});
const store: ChangeProgress = { step: 'fetch', detail: 'store files' };

/** What is written for these events, each with the time at which it comes. */
function written(
  events: readonly (readonly [atMs: number, progress: ChangeProgress])[],
  { stderrIsTerminal = true, columns = 80, TERM = 'xterm', isQuiet = false } = {},
): string {
  let text = '';
  let at = 0;
  const terminal = {
    ...{ stderrIsTerminal, columns, environment: { TERM } },
    err: (it: string) => {
      text += it;
    },
  };
  const report = changeProgress({ has: (it) => isQuiet && it === 'quiet' }, terminal, () => at);
  for (const [time, progress] of events) {
    at = time;
    report?.(progress);
  }
  return text;
}

const slow = [
  [0, download(0, 3 * mebibyte)],
  [100, download(0.5 * mebibyte, 3 * mebibyte)],
  [300, download(1.5 * mebibyte, 3 * mebibyte)],
  [350, download(3 * mebibyte, 3 * mebibyte)],
  [360, store],
] as const;

test('a terminal shows the bytes of a download in its line, and its end', () => {
  expect(written(slow)).toBe(
    [
      'fetch: download index.example.com …\n',
      '\x1b[1A\x1b[Jfetch: download index.example.com … 1.5 MiB of 3.0 MiB\n',
      '\x1b[1A\x1b[Jfetch: download index.example.com … 3.0 MiB of 3.0 MiB\n',
      'fetch: store files …\n',
    ].join(''),
  );
});

test('on a narrow terminal, all rows of the line are written again', () => {
  expect(written(slow, { columns: 20 }).match(/\x1b\[\dA/g)).toEqual(['\x1b[2A', '\x1b[3A']);
});

test('without a total, only what arrived is shown', () => {
  expect(written([...slow.slice(0, 1), [900, download(2048)]])).toContain('… 2.0 KiB\n');
});

test('a download that ends at once has one line', () => {
  const quick = [slow[0], [50, download(3 * mebibyte, 3 * mebibyte)], slow[4]] as const;
  expect(written(quick)).toBe('fetch: download index.example.com …\nfetch: store files …\n');
});

test.each([
  ['a pipe', { stderrIsTerminal: false }],
  ['a terminal that cannot move its cursor', { TERM: 'dumb' }],
])('%s gets one line for each step', (_, options) => {
  expect(written(slow, options)).toBe('fetch: download index.example.com …\nfetch: store files …\n');
});

test('with --quiet, nothing is written', () => {
  expect(written(slow, { isQuiet: true })).toBe('');
});
