// What holds for every page of the console: untrusted text, keyboard, motion, a sign-in that ends, time and memory.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleBench, consoleBench, hasChromium, picture } from '../../support/console-bench.js';
import { patchTool } from '../../support/toolwharf.js';

/** Each would run something if it became more than text. */
const attacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(2)>',
  '"><svg onload=alert(3)>',
  "javascript:alert(4)//'",
  '{{constructor.constructor("alert(5)")()}}',
  '</title></textarea></script><script>alert(6)</script>',
  '\u202e<b onmouseover=alert(7)>\u2066',
];
const corpus = attacks.join(' ');

const pages = ['inbox', 'packages', 'packages/odd', 'activity', 'clients', 'registry', 'health'];

describe.skipIf(!hasChromium)('every page of the console (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench({
      '<img src=x onerror=alert(8)>.py': patchTool({ name: 'odd' }),
    });
  });
  afterAll(() => bench?.close());
  beforeEach(() => void bench.complaints.splice(0));

  const call = (tool: string, text: string, token?: string) =>
    bench.home.request('/api/v1/call', {
      body: { tool, arguments: { text } },
      ...(token === undefined ? {} : { token }),
    });
  const follow = async (page: Page, path: string) => {
    await page.goto(`${bench.home.server.url}/console/${path}`);
    await page.locator('.page h1').first().waitFor({ timeout: 8000 });
  };

  test('names of tools, clients, sets and files are only ever text', async () => {
    const { host } = bench.home.bench;
    const { token } = await bench.home.token(corpus.slice(0, 90).replaceAll('#', ''));
    for (const attack of attacks) await call(attack, corpus, token);
    await host.sets.save({ name: 'evil', packages: ['<img src=x onerror=alert(9)>'], tools: {} }, corpus);
    await host.kills.set('principal:<svg onload=alert(10)>', corpus, true);
    const page = await bench.open();
    const [first] = (await host.activity.calls({ text: '<script>' })).calls;
    for (const path of [
      ...pages,
      `activity/${first?.call}`,
      `activity/${encodeURIComponent(corpus)}`,
      encodeURIComponent(corpus),
    ]) {
      await follow(page, path);
      await page.locator('main .loading').first().waitFor({ state: 'detached' });
      const found = 'main img, main script, main iframe, main style, main b, main svg:not(.plot svg)';
      expect([path, await page.locator(found).count()]).toEqual([path, 0]);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    }
    await follow(page, 'activity');
    await page.locator('.calls').getByText('<script>alert(1)</script>').first().waitFor({ timeout: 8000 });
    await follow(page, 'clients');
    await page.locator('main').getByText('<script>alert(1)</script>').first().waitFor({ timeout: 8000 });
    await follow(page, 'packages/odd');
    await page
      .locator('main')
      .getByText('<img src=x onerror=alert(8)>.py')
      .first()
      .waitFor({ timeout: 8000 });
    await host.kills.lift('principal:<svg onload=alert(10)>', 'test');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('with the keyboard: the skip link comes first, then the pages, then the content; g and a letter open a page', async () => {
    const page = await bench.open('inbox');
    const focused = () => page.evaluate('document.activeElement.textContent.trim()') as Promise<string>;
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    expect(await focused()).toBe('Go to the content');
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Inbox');
    for (const [key, title] of [
      ['p', 'Packages'],
      ['a', 'Activity'],
      ['c', 'Clients'],
      ['r', 'Registry'],
      ['h', 'Health'],
      ['i', 'Inbox'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    }
    await page.getByText('Go to the content').focus();
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    // A dialog takes the focus, and gives it back.
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await page.evaluate('document.activeElement.closest("dialog") !== null')).toBe(true);
    await picture(page, 'keys');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a new held call is announced to screen readers on every page, and nothing moves for who does not want motion', async () => {
    const page = await bench.open('health', { reducedMotion: 'reduce' });
    await call('send_note', 'announced');
    await expect
      .poll(() => page.locator('.announcement').textContent())
      .toContain('New held call: send_note');
    expect(await page.locator('.announcement').getAttribute('aria-live')).toBe('polite');
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a sign-in that has ended is shown with the way back, and a new link goes on', async () => {
    const page = await bench.open('clients');
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'New token…' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('never');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByText('Your sign-in has expired.').waitFor();
    await page.getByText('toolwharf open').waitFor();
    expect((await bench.home.bench.host.tokens.list()).some((it) => it.name === 'never')).toBe(false);
    await page.goto(await bench.link());
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.context().close();
    expect(bench.complaints.filter((it) => !/status of 401/.test(it))).toEqual([]);
  });

  test('two pages agree about clients: what one changes, the other shows', async () => {
    const [one, two] = [await bench.open('clients'), await bench.open('clients')];
    await bench.home.token('shared');
    for (const it of [one, two]) await it.getByRole('button', { name: 'Revoke shared' }).waitFor();
    await one.getByRole('button', { name: 'Revoke shared' }).click();
    await one.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    for (const it of [one, two])
      await it.getByRole('button', { name: 'Revoke shared' }).waitFor({ state: 'detached' });
    for (const it of [one, two]) await it.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('the first page is usable within a second after its document', async () => {
    const page = await bench.open('inbox');
    const took: number[] = [];
    for (let at = 0; at < 3; at++) {
      await page.reload();
      await page.locator('.held, .card, .empty').first().waitFor({ timeout: 8000 });
      took.push(
        (await page.evaluate(
          'performance.now() - performance.getEntriesByType("navigation")[0].responseEnd',
        )) as number,
      );
    }
    expect(Math.min(...took)).toBeLessThanOrEqual(1000);
    await page.context().close();
  });

  test('pages do not grow while ten calls arrive each second', async () => {
    const page = await bench.open('activity');
    const client = await page.context().newCDPSession(page);
    const heap = async () => {
      await client.send('HeapProfiler.collectGarbage');
      const { usedSize } = (await client.send('Runtime.getHeapUsage')) as { usedSize: number };
      return usedSize;
    };
    const run = async (seconds: number) => {
      const begin = performance.now();
      for (let at = 0; at < seconds * 10; at++) {
        // A refused call is an event like any other, and takes the machine the least time.
        void call('nothing', `call ${at}`);
        await page.waitForTimeout(Math.max(0, begin + (at + 1) * 100 - performance.now()));
      }
      await page.waitForTimeout(1500);
    };
    for (const path of ['activity', 'inbox']) {
      await follow(page, path);
      await run(4);
      const before = await heap();
      await run(8);
      const grown = (await heap()) - before;
      expect([path, grown < 500_000 ? 'flat' : grown]).toEqual([path, 'flat']);
    }
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  }, 90_000);
});
