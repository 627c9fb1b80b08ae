// The activity page of the console in Chromium: figures, a long table, the story of a call, the audit log and exports.
import { readFileSync } from 'node:fs';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ConsoleBench,
  consoleBench,
  hasChromium,
  holdRequests,
  picture,
} from '../../support/console-bench.js';

describe.skipIf(!hasChromium)('the activity (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench();
  });
  afterAll(() => bench?.close());
  beforeEach(() => void bench.complaints.splice(0));

  const call = async (tool: string, text: string) =>
    (await bench.home.request('/api/v1/call', { body: { tool, arguments: { text } } })).json;
  const rows = (page: Page) => page.locator('.calls tbody tr:not(.space)');

  test('calls are counted over time and by tool, and a filter shows only some of them', async () => {
    for (let at = 0; at < 12; at++) await call('word_count', `one two ${at}`);
    await call('word_count', '');
    await call('nothing_like_it', 'x');
    await call('send_note', 'waits');
    const page = await bench.open('activity');
    await expect.poll(() => page.locator('.figures').textContent()).toMatch(/Calls\d+/);
    await page.locator('.chart rect.ok').first().waitFor();
    await page.locator('.chart rect.held').first().waitFor();
    const tool = page.getByRole('table', { name: 'Tools' }).getByRole('row', { name: /word_count/ });
    expect(await tool.textContent()).toMatch(/\d+ ms/);
    await page
      .getByRole('region', { name: 'List of calls' })
      .getByText('denied')
      .or(rows(page).getByText('rejected'))
      .first()
      .waitFor();
    await picture(page, 'activity');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('held');
    await expect.poll(() => rows(page).count()).toBe(1);
    expect(await rows(page).first().textContent()).toContain('send_note');
    // The choice is in the address, so that it stays when the page is loaded again.
    await page.reload();
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    await expect.poll(() => rows(page).count()).toBeGreaterThan(10);
    await page.getByRole('textbox', { name: 'Text' }).fill('NOTHING_like');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('what is typed into a filter stays while the page is drawn again', async () => {
    const page = await bench.open('activity');
    await rows(page).first().waitFor();
    const typed = await page.evaluate(`(async () => {
      const set = (selector, value) => {
        const field = document.querySelector(selector);
        field.value = value;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        return field;
      };
      const text = set('.filters input[placeholder="in any column"]', 'not chosen ');
      set('.filters label:nth-child(2) select', 'rejected');
      await new Promise((resolve) => setTimeout(resolve));
      return text.value;
    })()`);
    expect(typed).toBe('not chosen ');
    await expect.poll(() => new URL(page.url()).search).toBe('?status=rejected&text=not+chosen');
    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('not chosen ');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('the rows of a filter stay until those of the next one were read', async () => {
    await call('word_count', 'for the filter');
    const page = await bench.open('activity');
    await rows(page).first().waitFor();
    const before = await rows(page).count();
    const next = await holdRequests(page, 'activity.calls');
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('held');
    await next.arrived;
    await page.locator('.calls[aria-busy="true"]').waitFor();
    expect(await rows(page).count()).toBe(before);
    next.letGo();
    await page.locator('.calls[aria-busy="false"]').waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('the arrow keys choose a bar of the chart, and Enter shows only its calls', async () => {
    await call('word_count', 'in the last bar');
    const page = await bench.open('activity');
    const chart = page.getByRole('slider');
    await chart.focus();
    await page.keyboard.press('ArrowLeft');
    expect(await chart.getAttribute('aria-valuetext')).toMatch(/1 minute: \d+ call/);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('part');
    await rows(page).first().waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a held and approved call has one story: why it was held, who approved it, and how it ended', async () => {
    const held = await call('send_note', 'the story');
    const id = held.confirmation.token as string;
    const page = await bench.open();
    await page
      .locator(`#held-${id}`)
      .getByRole('button', { name: /Approve/ })
      .click();
    await page.locator(`#held-${id}`).waitFor({ state: 'detached' });
    const done = await call('send_note', 'the story');
    expect(done.status).toBe('ok');
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('ok');
    await page.getByRole('combobox', { name: 'Tool', exact: true }).fill('send_note');
    await rows(page)
      .getByRole('link', { name: /send_note/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'What happened' }).waitFor();
    const story = page.locator('.steps-line');
    for (const text of [
      'Held: human confirm',
      'Approved',
      'console at the console, not verified',
      'Started',
      'Ended: ok',
    ])
      await story.getByText(text).first().waitFor();
    await page.getByText('The entry in the audit log').first().click();
    await story.getByText('"callId"').first().waitFor();
    await picture(page, 'call-story');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('the audit log is verified with one button, and shows its newest checkpoint', async () => {
    const page = await bench.open('activity');
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('intact', { exact: true }).waitFor();
    await page.getByText(/entries and \d+ checkpoints? are valid/).waitFor();
    await picture(page, 'audit-verified');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('the filtered calls are downloaded as CSV without formulas, and as NDJSON', async () => {
    await call('=HYPERLINK("http://127.0.0.1:9/","x")', 'x');
    const page = await bench.open('activity?text=hyperlink');
    await expect.poll(() => rows(page).count()).toBe(1);
    const read = async (button: string) => {
      const [download] = (await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: button }).click(),
      ])) as [Download, unknown];
      return readFileSync(await download.path(), 'utf8');
    };
    const [header, row, ...rest] = (await read('Download CSV')).split('\r\n');
    expect([header?.split(',')[2], rest]).toEqual(['"tool"', ['']]);
    expect(row).toContain(`"'=HYPERLINK(""http`);
    const [entry] = (await read('Download NDJSON'))
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it));
    expect(entry).toMatchObject({ tool: '=HYPERLINK("http://127.0.0.1:9/","x")', status: 'rejected' });
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });
});
