// The packages of the console in Chromium: status, values, stopping, and what a package may use.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { wheel } from '../../support/archive.js';
import {
  type ConsoleBench,
  consoleBench,
  hasChromium,
  holdRequests,
  picture,
} from '../../support/console-bench.js';
import { temporaryFolder } from '../../support/toolwharf.js';
import { pythonTool } from '../../support/workbench.js';

describe.skipIf(!hasChromium)('the packages (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench({
      'far.py': pythonTool({ name: 'far', network: true, body: ['return {"words": 1}'] }),
    });
  });
  afterAll(() => bench?.close());
  beforeEach(() => void bench.complaints.splice(0));

  test('the table shows every package with its status, and opens one', async () => {
    const page = await bench.open('packages');
    const row = page.getByRole('row', { name: /door/ });
    await row.waitFor();
    expect(await row.textContent()).toContain('needs setup');
    expect(await page.getByRole('row').count()).toBe(7);
    await picture(page, 'packages');
    await row.getByRole('link').click();
    await page.getByRole('heading', { name: 'door', exact: true }).waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a package that waits for a value leads from the inbox to its fields', async () => {
    const page = await bench.open();
    await page.getByRole('link', { name: 'Set it up' }).click();
    await page.getByLabel('Door key', { exact: true }).waitFor();
    await page.getByText('you choose who may receive it', { exact: false }).waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('whether a value is set is not said before it was read', async () => {
    const page = await bench.open('packages');
    const stored = await holdRequests(page, 'secrets.list');
    await page.getByRole('link', { name: 'door', exact: true }).click();
    await page.getByRole('heading', { name: 'Secrets and settings' }).waitFor();
    await stored.arrived;
    expect(await page.locator('.slot').count()).toBe(0);
    stored.letGo();
    await page.locator('.slot').getByText('missing').waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a secret is typed hidden, is saved and is never shown again', async () => {
    const page = await bench.open('packages/door');
    const field = page.getByLabel('Door key', { exact: true });
    await field.waitFor();
    expect(await field.getAttribute('type')).toBe('password');
    expect(await page.locator('.slot').textContent()).toContain('required');
    await field.fill('a-very-secret-value');
    await page.getByLabel('Hosts that may receive it').fill('door.example.com');
    await picture(page, 'package');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Door key was saved.').first().waitFor();
    expect(await field.inputValue()).toBe('');
    await page.getByText('only door.example.com may receive it').waitFor();
    expect(await page.content()).not.toContain('a-very-secret-value');
    const [entry] = await bench.home.bench.host.secrets.list();
    expect(entry).toMatchObject({
      package: 'door',
      audience: { kind: 'hosts', hosts: ['door.example.com'] },
    });
    await page.getByText('ready').first().waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('stopping a package ends its running calls and says how many; lifting lets it run again', async () => {
    const page = await bench.open('packages/sleep');
    const running = ['30', '31', '32'].map((text) =>
      bench.home.request('/api/v1/call', { body: { tool: 'sleep', arguments: { text } } }),
    );
    await expect.poll(() => bench.home.bench.host.activeCalls(), { timeout: 10_000 }).toBe(3);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('sleep is stopped: stopped 3 running calls.').first().waitFor();
    for (const it of await Promise.all(running)) expect(it.json.status).not.toBe('ok');
    await page.getByRole('button', { name: 'Lift the stop' }).click();
    await page.getByText('sleep may run again.').first().waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('sleep is enabled.').first().waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('what a package asks for, may use and really has are side by side, with a proposal to narrow it', async () => {
    const page = await bench.open('packages/word_count');
    for (const name of ['Requested', 'Granted', 'Probed'])
      await page.getByRole('heading', { name }).waitFor();
    await page.getByText('Enforced: a test inside showed').waitFor();
    await page.getByRole('button', { name: 'Look at the last 7 days' }).click();
    await page.getByText('It would lose').waitFor();
    await picture(page, 'package-permissions');
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a package is narrowed to what it used, which shows in its permissions, and can be undone', async () => {
    const used = { body: { tool: 'far', arguments: { text: 'a' } } };
    expect((await bench.home.request('/api/v1/call', used)).json.status).toBe('ok');
    const page = await bench.open('packages/far');
    const granted = page.locator('.columns .card', { hasText: 'Granted' });
    await granted.getByText('any public host').waitFor();
    await page.getByRole('button', { name: 'Look at the last 7 days' }).click();
    await page.getByText('1 call', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Narrow it' }).click();
    await page.getByText('far may use only what it used.').first().waitFor();
    await granted.getByText('Narrowed to').waitFor();
    await picture(page, 'package-narrowed');
    await page.getByRole('button', { name: 'Undo the narrowing' }).click();
    await granted.getByText('any public host').waitFor();
    await page.getByRole('button', { name: 'Undo the narrowing' }).waitFor({ state: 'detached' });
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });
});

describe.skipIf(!hasChromium)('what packages need from this machine (needs chromium)', () => {
  let bench: ConsoleBench;
  const wheels = temporaryFolder();

  beforeAll(async () => {
    const made = wheel('shouty', '1.0.0', 'def shout(text): return text.upper()\n');
    writeFileSync(join(wheels.path, made.file), made.bytes);
    const loud = pythonTool({ name: 'loud', body: ['import shouty', 'return {"text": shouty.shout(text)}'] });
    const version = '#   python_version: "3.11"';
    const issues = join(import.meta.dirname, '../../../examples/patch/assigned_issues.py');
    bench = await consoleBench(
      {
        'loud.py': loud.replace(version, `${version}\n#   packages: ["shouty==1.0.0"]`),
        'assigned_issues.py': readFileSync(issues, 'utf8'),
      },
      {},
      { indexes: { findLinks: [wheels.path] } },
    );
  });
  afterAll(async () => {
    await bench?.close();
    wheels.remove();
  });
  beforeEach(() => void bench.complaints.splice(0));

  test('language packages that are not installed are named and installed, and then the tool runs', async () => {
    const page = await bench.open();
    const card = page.locator('article', { hasText: 'loud' });
    await card.getByRole('link', { name: 'Set it up' }).click();
    await page.getByRole('heading', { name: 'Not installed yet' }).waitFor();
    await page.getByText('shouty==1.0.0', { exact: false }).first().waitFor();
    await picture(page, 'package-setup');
    await page.getByRole('button', { name: 'Install' }).click();
    await page.getByText('What loud needs is installed.').first().waitFor({ timeout: 60_000 });
    await page.getByText('ready', { exact: true }).waitFor();
    const answer = await bench.home.request('/api/v1/call', {
      body: { tool: 'loud', arguments: { text: 'a' } },
    });
    expect(answer.json).toMatchObject({ status: 'ok', result: { text: 'A' } });
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  }, 90_000);

  test('the key of the token broker has a field where a package signs in through it', async () => {
    const page = await bench.open('packages/assigned_issues');
    await page.getByText('only this host uses it', { exact: false }).waitFor();
    await page.getByLabel('key of the token broker').fill('a-very-secret-key');
    await picture(page, 'broker-key');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The key of the token broker was saved.').first().waitFor();
    expect(await page.content()).not.toContain('a-very-secret-key');
    expect(await bench.home.bench.host.secrets.list()).toMatchObject([
      { package: '@broker', slot: 'ARCADE_API_KEY' },
    ]);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('with a PIN set, looking at what is needed does not ask for it', async () => {
    await bench.home.bench.host.operator.setPin('493817', 'test');
    const page = await bench.open('packages/assigned_issues');
    await page.getByText('only this host uses it', { exact: false }).waitFor();
    await page.waitForTimeout(500);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });
});
