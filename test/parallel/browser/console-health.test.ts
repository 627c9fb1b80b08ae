// The health page of the console in Chromium: checks of the real machine, limits, disk, the kill switch and waivers.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleBench, consoleBench, hasChromium, picture } from '../../support/console-bench.js';
import { findagent } from '../../support/workbench.js';

describe.skipIf(!hasChromium)('the health (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench({
      'desk/findagent.json': findagent('Desk', {
        tools: [
          {
            name: 'order',
            description: 'Write a line of an order.',
            input_schema: { type: 'object', properties: {} },
            action: { type: 'prompt-template', template: 'a line' },
          },
        ],
        guardrails: { actions: { order: { rate_limit: '4/day' } } },
      }),
    });
  });
  afterAll(() => bench?.close());
  beforeEach(() => void bench.complaints.splice(0));

  test('the checks try what the sandbox must not allow, and say how to fix what is open', async () => {
    const page = await bench.open('health');
    await page.getByRole('button', { name: 'Run the checks' }).click();
    await page.getByRole('button', { name: 'Run again' }).waitFor({ timeout: 60_000 });
    const checks = page.locator('.checks');
    expect(await checks.textContent()).toContain('files of this machine cannot be read from the sandbox');
    expect(await checks.textContent()).toContain('the audit log is intact');
    // Without a PIN, the first lines say what to do.
    const pin = checks.locator('li', { hasText: 'no PIN is set' });
    expect(await pin.textContent()).toContain('toolwharf pin set');
    await pin.getByRole('button', { name: /Copy/ }).waitFor();
    await picture(page, 'health');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('limits that calls used, the disk, the sandbox and the versions are shown', async () => {
    for (let at = 0; at < 3; at++)
      await bench.home.request('/api/v1/call', { body: { tool: 'desk/order', arguments: {} } });
    const page = await bench.open('health');
    const limits = page.getByRole('table', { name: 'Limits in use' });
    await limits.getByText(/3 of 4 calls/).waitFor();
    for (const text of [/enforced/, /Toolwharf \d+\.\d+\.\d+, Node \d+/, /of .*B are free/, /toolwharf\.db/])
      await page.getByText(text).first().waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('everything is stopped after a question, and the stop is lifted here', async () => {
    const page = await bench.open('health');
    await page.getByRole('button', { name: 'Stop everything…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
    await page.getByText('Everything is stopped: stopped 0 running calls').first().waitFor();
    const body = { tool: 'word_count', arguments: { text: 'a' } };
    expect((await bench.home.request('/api/v1/call', { body })).json.status).not.toBe('ok');
    await picture(page, 'stopped');
    await page.getByRole('button', { name: 'Lift the stop of all' }).click();
    await page.getByText('Nothing is stopped.').waitFor();
    expect((await bench.home.request('/api/v1/call', { body })).json.status).toBe('ok');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a setting that waives a question is listed, with whether it is in force', async () => {
    const page = await bench.open('health');
    const waivers = page.getByRole('region', { name: /Settings that waive/ });
    await waivers.locator('li').first().waitFor();
    expect(await waivers.textContent()).toContain('in force');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });
});
