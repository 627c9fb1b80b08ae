import { expect, test } from 'vitest';
import type { ChangeProgress } from '../host/host.js';
import { limitProgress } from './progress-limit.js';

test('a new step is passed on at once, and its bytes only now and then', () => {
  const sent: ChangeProgress[] = [];
  let time = 0;
  const report = limitProgress(
    (it) => sent.push(it),
    () => time,
  );
  const bytes = (step: ChangeProgress['step'], count: number) =>
    report({ step, detail: 'files', bytes: count });
  bytes('fetch', 1);
  bytes('fetch', 2);
  time = 200;
  bytes('fetch', 3);
  bytes('smoke', 4);
  expect(sent.map((it) => it.bytes)).toEqual([1, 3, 4]);
});
