// 100,000 calls in the activity page: scrolling stays smooth, and what is read does not move.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleBench, consoleBench, hasChromium } from '../../support/console-bench.js';
import { writeCalls } from '../../support/long-log.js';

const count = 100_000;

/** The number of the call that a row links to. */
const number = (link = '') => Number(/call_(\d+)$/.exec(link)?.[1]);

describe.skipIf(!hasChromium)('a long audit log (needs chromium)', () => {
  let bench: ConsoleBench;
  let page: Page;

  beforeAll(async () => {
    bench = await consoleBench({}, { prepare: (state) => writeCalls(state, count) });
    page = await bench.open('activity?span=all');
    await page.getByText(/^100,0\d\d calls$/).waitFor({ timeout: 30_000 });
  }, 180_000);
  afterAll(() => bench?.close());

  const call = () =>
    bench.home.request('/api/v1/call', { body: { tool: 'word_count', arguments: { text: 'new' } } });
  const scrollTo = (share: number) =>
    page.evaluate(`{
      const frame = document.querySelector('.calls .table');
      frame.scrollTop = frame.scrollHeight * ${share};
    }`);
  /** The texts of the rows that can be seen now. */
  const seen = () =>
    page.evaluate(`(() => {
      const frame = document.querySelector('.calls .table');
      const box = frame.getBoundingClientRect();
      return [...frame.querySelectorAll('tbody tr:not(.space)')]
        .filter((it) => {
          const { top, bottom } = it.getBoundingClientRect();
          return top > box.top + 30 && bottom < box.bottom;
        })
        .map((it) => it.querySelector('a')?.href ?? '…');
    })()`) as Promise<readonly string[]>;

  test('only the rows in view are in the page, and a jump to the middle shows them soon', async () => {
    const before = performance.now();
    await scrollTo(0.5);
    await expect.poll(async () => (await seen()).some((it) => it !== '…')).toBe(true);
    await expect.poll(async () => (await seen()).includes('…')).toBe(false);
    expect(performance.now() - before).toBeLessThan(3000);
    expect(await page.locator('.calls tbody tr').count()).toBeLessThan(80);
    const [first] = await seen();
    // The newest call is the first one, so the middle of the list is the middle of the numbers.
    expect(Math.abs(number(first) - count / 2)).toBeLessThan(200);
  });

  test('new calls do not move what is read, are counted, and are shown when the person asks', async () => {
    await scrollTo(0.25);
    // The rows of the place before may still be there for a moment: wait for those of this place.
    await expect.poll(async () => Math.abs(number((await seen())[0]) - count * 0.75)).toBeLessThan(200);
    await expect.poll(async () => (await seen()).includes('…')).toBe(false);
    const before = await seen();
    for (let at = 0; at < 5; at++) await call();
    await page.getByRole('button', { name: '5 new calls: show' }).waitFor();
    expect(await seen()).toEqual(before);
    await page.getByRole('button', { name: '5 new calls: show' }).click();
    await page.locator('.calls tbody').getByText('word_count').first().waitFor();
    await page.getByRole('heading', { name: 'Activity' }).hover();
    await page.evaluate('document.activeElement.blur()');
    // Nobody reads the list now: the next call joins it at once.
    await call();
    // The page looks again after a rest, which is longer where a look took longer.
    await expect
      .poll(() => page.locator('.calls tbody').getByText('word_count').count(), { timeout: 15_000 })
      .toBe(6);
  });

  test('scrolling through many rows drops few frames', async () => {
    const frames = (await page.evaluate(`new Promise((resolve) => {
      const frame = document.querySelector('.calls .table');
      frame.scrollTop = 0;
      const times = [];
      let last = performance.now();
      const step = (now) => {
        times.push(now - last);
        last = now;
        frame.scrollTop += 200;
        if (times.length < 180) requestAnimationFrame(step);
        else resolve(times.slice(5));
      };
      requestAnimationFrame(step);
    })`)) as readonly number[];
    const sorted = [...frames].sort((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    // On an idle machine a frame takes 17 ms; a busy one gets room.
    expect(at(0.5)).toBeLessThanOrEqual(34);
    expect(at(0.95)).toBeLessThanOrEqual(100);
  });

  test('the browser complains about nothing', () => {
    expect(bench.complaints).toEqual([]);
  });
});
