// The clients and registry pages of the console in Chromium: sessions, tokens, sets and how to connect.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { knownClients } from '../../../src/model/known-clients.js';
import { type ConsoleBench, consoleBench, hasChromium, picture } from '../../support/console-bench.js';

describe.skipIf(!hasChromium)('the clients (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench();
    const { host } = bench.home.bench;
    await host.sets.save({ name: 'counting', only: ['word_count/*'], tools: {} }, 'test');
  });
  afterAll(() => bench?.close());
  beforeEach(() => void bench.complaints.splice(0));

  const toolsOf = async (token: string): Promise<readonly string[]> =>
    (await bench.home.request('/api/v1/tools', { token })).json.tools.map((it: { name: string }) => it.name);

  test('a token is made with an expiry and a set, is shown once, and works until it is revoked', async () => {
    const page = await bench.open('clients');
    await page.getByRole('button', { name: 'New token…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('laptop');
    await dialog.getByLabel('It expires after').selectOption('1 day');
    await dialog.getByLabel('It sees').selectOption('counting');
    await picture(page, 'new-token');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const token = (await dialog.locator('pre').first().textContent()) ?? '';
    expect(token).toMatch(/^tw_[\w-]{43}$/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    expect(await page.content()).not.toContain(token);
    expect(await toolsOf(token)).toEqual(['word_count/word_count']);
    const row = page.getByRole('table', { name: 'Tokens and keys' }).getByRole('row', { name: /laptop/ });
    await row.getByRole('cell', { name: 'set counting', exact: true }).waitFor();
    // It was used just now, and its session is open.
    const session = page
      .getByRole('table', { name: 'Connected sessions' })
      .getByRole('row', { name: /laptop/ });
    await session.getByRole('cell', { name: 'set counting', exact: true }).waitFor();
    const [entry] = (await bench.home.bench.host.tokens.list()).filter((it) => it.name === 'laptop');
    expect(entry?.lastUsedAt).toBeGreaterThan(Date.now() - 60_000);
    expect((entry?.expiresAt ?? 0) - Date.now()).toBeLessThanOrEqual(86_400_000);
    await picture(page, 'clients');
    await row.getByRole('button', { name: 'Revoke laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await session.waitFor({ state: 'detached' });
    expect((await bench.home.request('/api/v1/tools', { token })).status).toBe(401);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a set is bound to a token and ended again, and its client sees the difference at once', async () => {
    const { token } = await bench.home.token('phone');
    expect((await toolsOf(token)).length).toBeGreaterThan(2);
    const page = await bench.open('clients');
    const card = page.locator('article', { hasText: 'counting' });
    await card.getByRole('button', { name: 'Show only this to…' }).click();
    await page.getByRole('dialog').getByLabel('Who').selectOption({ label: 'phone (http/phone)' });
    await picture(page, 'bind-set');
    await page.getByRole('dialog').getByRole('button', { name: 'Show only this' }).click();
    await card.getByText('phone (http/phone)').waitFor();
    expect(await toolsOf(token)).toEqual(['word_count/word_count']);
    await card.getByRole('button', { name: 'End: phone (http/phone)' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End it' }).click();
    await card.getByText('Nobody uses it.').waitFor();
    expect((await toolsOf(token)).length).toBeGreaterThan(2);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('every client has its commands to copy, and ChatGPT its steps', async () => {
    const page = await bench.open('clients');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const choice = page.getByRole('combobox', { name: 'Client', exact: true });
    for (const [name, { title, http }] of Object.entries(knownClients)) {
      await choice.selectOption(title);
      await page.getByText(`toolwharf connect ${name} DIR`, { exact: true }).waitFor();
      const withUrl = page.getByText(`toolwharf connect ${name} --http ${bench.home.server.url}/mcp`);
      expect([name, await withUrl.count()]).toEqual([name, http ? 1 : 0]);
    }
    await page.getByRole('button', { name: 'Copy: the command' }).first().click();
    await page.getByRole('button', { name: 'Copied: the command' }).first().waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('toolwharf connect lm-studio DIR');
    await choice.selectOption('ChatGPT');
    expect(await page.locator('.numbered li').count()).toBe(6);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('the registry page says what a registry is, and how to use one of your own', async () => {
    const page = await bench.open('registry');
    await page.getByText('registry = "https://npm.example.com"').waitFor();
    await picture(page, 'registry');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });
});
