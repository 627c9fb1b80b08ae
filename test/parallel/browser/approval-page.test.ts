// The page of a held call in Chromium: on a phone and on a desk, light and dark, with a strict policy and without scripts.
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HttpBench, httpBench } from '../../support/http-bench.js';

const executablePath = '/usr/bin/chromium';
const pin = ['nobody', 'knows', '1'].join('-');
/** Screenshots, for people to look at. */
const pictures = process.env.TOOLWHARF_PICTURES ?? join(tmpdir(), 'toolwharf-pictures');

describe.skipIf(!existsSync(executablePath))('the page of a held call (needs chromium)', () => {
  let browser: Browser;
  let home: HttpBench;
  /** Everything that the browser complained about. */
  const complaints: string[] = [];

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    home = await httpBench();
    // As root, Chromium has no sandbox of its own. It opens only pages of this test.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await home?.close();
  });
  beforeEach(() => void complaints.splice(0));

  async function hold(text: string): Promise<{ url: string; id: string }> {
    const body = { tool: 'send_note', arguments: { text } };
    const { json } = await home.request('/api/v1/call', { body });
    return { url: json.confirmation.url, id: json.confirmation.token };
  }

  async function open(url: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    page.on('console', (it) => complaints.push(it.text()));
    page.on('pageerror', (it) => complaints.push(String(it)));
    page.on('dialog', (it) => {
      complaints.push(it.message());
      void it.dismiss();
    });
    await page.goto(url);
    return page;
  }

  const decisionOf = async (id: string) => (await home.bench.host.approvals.get(id)).decision;

  test('fits a phone and a desk in light and dark, and needs no script', async () => {
    const text = `Dear Alice,\n\nplease send\u202e 500 EUR\u200b.${' More text of this note.'.repeat(200)} THE END`;
    const { url } = await hold(text);
    const page = await open(url, { javaScriptEnabled: false });
    for (const width of [390, 1280])
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(pictures, `held-${width}-${colorScheme}.png`), fullPage: true });
        const main = await page.locator('main').boundingBox();
        expect(main?.width).toBeLessThanOrEqual(width);
        // Nothing is wider than the screen.
        const button = await page.getByRole('button', { name: 'Approve' }).boundingBox();
        expect((button?.x ?? 0) + (button?.width ?? 0)).toBeLessThanOrEqual(width);
        expect(button?.height).toBeGreaterThanOrEqual(44);
      }
    // The long text is folded, and complete when it is opened.
    const end = page.getByText('THE END');
    expect(await end.isVisible()).toBe(false);
    await page.locator('summary').click();
    expect(await end.isVisible()).toBe(true);
    expect(await page.locator('pre').textContent()).toContain('send<U+202E> 500 EUR<U+200B>.');
    await page.context().close();
    expect(complaints).toEqual([]);
  });

  test('approves without a PIN as unverified, and shows the state when it is loaded again', async () => {
    const { url, id } = await hold('approve me');
    const page = await open(url, { viewport: { width: 390, height: 844 } });
    expect(await page.locator('body').textContent()).toContain('No PIN is set');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').waitFor();
    expect(page.url()).toBe(url);
    expect(await page.getByRole('status').textContent()).toContain('Approved. It runs once');
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await decisionOf(id)).toMatchObject({ channel: 'page', verified: false });
    await page.reload();
    expect(await page.getByRole('status').textContent()).toContain('unverified');
    await page.screenshot({ path: join(pictures, 'approved-390-light.png'), fullPage: true });
    // The agent asks again with the same arguments, and gets the answer.
    const again = await home.request('/api/v1/call', {
      body: { tool: 'send_note', arguments: { text: 'approve me' } },
    });
    expect(again.json).toMatchObject({ status: 'ok', result: { sent: 'approve me' } });
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('is not shown in a frame of another page, and another page cannot send its form', async () => {
    const { url, id } = await hold('frame me');
    const page = await open('about:blank');
    await page.setContent(
      `<iframe src="${url}"></iframe><form id="f" method="post" action="${url}"><input name="decision" value="approve"></form>`,
    );
    const frame = page.frames()[1];
    await expect.poll(() => frame?.url()).toMatch(/^chrome-error:/);
    await Promise.all([page.waitForNavigation(), page.evaluate("document.getElementById('f').submit()")]);
    expect(await page.locator('body').textContent()).toContain('The form was not sent by this page');
    expect(await decisionOf(id)).toBeNull();
    await page.context().close();
  });

  test('runs nothing that a caller wrote', async () => {
    const { url } = await hold(
      '<img src=x onerror=alert(1)><script>alert(2)</script>"\'><svg onload=alert(3)>',
    );
    const page = await open(url);
    expect(await page.locator('img, script, svg').count()).toBe(0);
    expect(await page.locator('pre').textContent()).toContain('<script>alert(2)</script>');
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('asks for the PIN once one is set; Enter in a field decides nothing', async () => {
    await home.bench.host.operator.setPin(pin, 'person');
    const { url, id } = await hold('with the PIN');
    const page = await open(url, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.getByLabel('PIN').fill('not-it-at-all');
    await page.getByRole('button', { name: 'Approve' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('The PIN is wrong.');
    await page.screenshot({ path: join(pictures, 'wrong-pin-390-dark.png'), fullPage: true });
    expect(await decisionOf(id)).toBeNull();
    await page.getByLabel('PIN').fill(pin);
    await page.getByLabel('PIN').press('Enter');
    expect(await decisionOf(id)).toBeNull();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('status').waitFor();
    expect(await decisionOf(id)).toMatchObject({ channel: 'page', verified: true });
    // The status 403 of the wrong PIN is the only complaint.
    expect(complaints.filter((it) => !it.includes('403'))).toEqual([]);
    await page.context().close();
  });
});
