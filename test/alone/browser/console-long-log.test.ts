// 100,000 calls in the activity page: scrolling stays smooth, and what is read does not move.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ReadCalls } from '../../../src/console/pages/activity/call-pages.js';
import { type ConsoleBench, consoleBench, hasChromium, holdRequests } from '../../support/console-bench.js';
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

  /** The rows of a place, once all of them were read. The newest call is the first one. */
  const rowsAt = async (share: number): Promise<readonly string[]> => {
    await scrollTo(share);
    let rows: readonly string[] = [];
    await expect
      .poll(
        async () => {
          rows = await seen();
          return !rows.includes('…') && Math.abs(number(rows[0]) - count * (1 - share)) < 200;
        },
        { timeout: 15_000 },
      )
      .toBe(true);
    return rows;
  };
  /** Nobody is at the list: neither the mouse nor the focus, and it is at its top. */
  const leave = async () => {
    await page.getByRole('heading', { name: 'Activity' }).hover();
    await page.evaluate('document.activeElement.blur()');
  };

  test('only the rows in view are in the page, and a jump to the middle shows them soon', async () => {
    const before = performance.now();
    await rowsAt(0.5);
    expect(performance.now() - before).toBeLessThan(3000);
    expect(await page.locator('.calls tbody tr').count()).toBeLessThan(80);
  });

  test('new calls do not move what is read, are counted, and are shown when the person asks', async () => {
    const before = await rowsAt(0.25);
    for (let at = 0; at < 5; at++) await call();
    await page.getByRole('button', { name: '5 new calls: show' }).waitFor();
    expect(await seen()).toEqual(before);
    await page.getByRole('button', { name: '5 new calls: show' }).click();
    await page.locator('.calls tbody').getByText('word_count').first().waitFor();
    await leave();
    // Nobody reads the list now: the next call joins it at once.
    await call();
    // The page looks again after a rest, which is longer where a look took longer.
    await expect
      .poll(() => page.locator('.calls tbody').getByText('word_count').count(), { timeout: 15_000 })
      .toBe(6);
  });

  test('rows that were read stay when an answer with newer calls comes after the person began to scroll', async () => {
    await leave();
    const start = await holdRequests(page, 'activity.calls', ([query]) => {
      const { before, after, limit } = query as Parameters<ReadCalls>[0];
      return before === undefined && after === undefined && limit > 1;
    });
    await call();
    await start.arrived;
    const before = await rowsAt(0.5);
    start.letGo();
    await page.getByRole('button', { name: '1 new call: show' }).waitFor();
    expect(await seen()).toEqual(before);
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
