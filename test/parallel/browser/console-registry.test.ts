// The registry page of the console in Chromium, with a real registry in a folder: search, plan, installation and the review
// queue. Everything that a publisher writes is hostile here.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/files/sha256.js';
import { reviewFolder } from '../../../src/registry/contribute/publish/review-folder.js';
import { parsePackageName } from '../../../src/registry/names/package-name.js';
import { quarantineRelease } from '../../../src/registry/repository/release-quarantine.js';
import { type ConsoleBench, consoleBench, hasChromium, picture } from '../../support/console-bench.js';
import { counterPackage } from '../../support/lifecycle-packages.js';
import { submitReview } from '../../support/publication-reviews.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';

const attack = '<img src=x onerror="document.title=1;alert(1)"><script>alert(2)</script>';

function counter(version: string): Record<string, string> {
  // The smoke test takes a while, so that its progress can be seen.
  const files = Object.entries(counterPackage({ version, code: 'import time; time.sleep(2)' }));
  return Object.fromEntries(files.map(([name, text]) => [name.replace('counter/', ''), text]));
}

describe.skipIf(!hasChromium)('the registry (needs chromium)', () => {
  const registry = new RegistryWorkbench();
  let bench: ConsoleBench;

  beforeAll(async () => {
    registry.clock.now = Date.now();
    await registry.create();
    await registry.approve('acme');
    const words = { title: 'Counter', description: 'Counts the words of a text.', tools: ['count'] };
    await registry.publish('acme/counter', '1.0.0', counter('1.0.0'), { ...words, format: 'toolspace' });
    await registry.publish('acme/counter', '1.1.0', counter('1.1.0'), { ...words, format: 'toolspace' });
    await registry.publish(
      'acme/evil',
      '1.0.0',
      {},
      {
        title: `Evil ${attack}`,
        description: `Counts too. ${attack} \u202eabc\u202c`,
        tools: [attack],
        tags: [attack],
      },
    );
    await registry.publish('acme/gone', '1.0.0', {}, { description: 'Counts no more.' });
    await registry.yank('acme/gone', '1.0.0', `use another one ${attack}`);
    await registry.publish('acme/warned', '1.0.0', {}, { description: 'Counts wrongly.' });
    await registry.repository.change(registry.keys.online, (change) =>
      quarantineRelease(change, {
        name: parsePackageName('acme/warned'),
        version: '1.0.0',
        reason: 'it sends files away',
      }),
    );
    await submitReview(registry.folder, {
      id: 'weather',
      findings: [
        { severity: 'review', message: 'it runs its own program', file: 'run.py' },
        { severity: 'warn', message: `an address in a text: ${attack}`, file: `${attack}.py` },
        { severity: 'info', message: 'no model read its texts', file: 'manifest.json' },
      ],
    });
    await submitReview(registry.folder, { id: attack, publisher: attack });
    await submitReview(registry.folder, {
      id: 'stealer',
      decision: 'reject',
      findings: [{ severity: 'reject', message: 'a secret is in its code', file: 'run.py' }],
    });
    const setting = { name: 'main', path: registry.folder, root: sha256(registry.firstRoot) };
    bench = await consoleBench({}, {}, { registries: [setting] });
  }, 120_000);
  afterAll(async () => {
    await bench?.close();
    registry.close();
  });
  beforeEach(() => void bench.complaints.splice(0));

  const search = async (page: Page, words: string) => {
    await page.getByLabel('Search packages').fill(words);
  };

  test('a search shows what the registry says, as text, with what speaks against each package', async () => {
    const page = await bench.open('registry');
    await page.getByText('verified').waitFor();
    await search(page, 'counts');
    const hits = page.getByRole('list', { name: 'Packages' });
    await hits.getByRole('link', { name: 'acme/counter' }).waitFor();
    expect(await page.getByRole('status').first().textContent()).toContain('4 packages');
    const hit = (name: string) => hits.locator('li').filter({ hasText: name });
    expect(await hit('acme/gone').textContent()).toContain('withdrawn');
    expect(await hit('acme/warned').textContent()).toContain('it sends files away');
    expect(await hit('acme/counter').textContent()).not.toMatch(/withdrawn|quarantined/);
    expect(await hit('acme/evil').textContent()).toContain(attack);
    expect(await hit('acme/evil').textContent()).toContain('‹');
    expect(await page.locator('main img, main script').count()).toBe(0);
    await picture(page, 'registry');
    await search(page, 'nothingmatches');
    await page.getByText('No package matches').waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('a package shows its versions and its plan, is installed with progress, and then links to the installed package', async () => {
    const page = await bench.open('registry');
    await search(page, 'counts the words');
    await page.getByRole('link', { name: 'acme/counter' }).click();
    await page.getByRole('row', { name: /1\.1\.0/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
    await picture(page, 'registry-package');
    await page.getByRole('button', { name: 'Plan and install…' }).click();
    const dialog = page.getByRole('dialog');
    const agree = dialog.getByRole('button', { name: 'Agree and install' });
    await agree.waitFor();
    expect(await dialog.textContent()).toContain('counter 1.1.0');
    expect(await dialog.textContent()).toContain('Sandbox');
    await picture(page, 'registry-plan');
    page.setDefaultTimeout(20_000);
    await agree.click();
    await dialog.getByText(/^smoke: /).waitFor();
    await page.getByText('counter is installed.').first().waitFor();
    await page.getByText('Installed as').waitFor();
    await page.locator('main').getByRole('link', { name: 'counter', exact: true }).click();
    await page.getByRole('heading', { name: 'counter', exact: true }).waitFor();
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  }, 90_000);

  test('a version under quarantine cannot be planned, and a plan that fails says why', async () => {
    const page = await bench.open('registry/acme/warned');
    await page.getByText('it sends files away').waitFor();
    expect(await page.getByRole('button', { name: 'Plan 1.0.0' }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Plan and install…' }).isDisabled()).toBe(true);
    await page.goto(`${bench.home.server.url}/console/registry/acme/evil`);
    await page.getByRole('button', { name: 'Plan and install…' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    await page.goto(`${bench.home.server.url}/console/registry/acme/unknown`);
    await page.getByRole('alert').waitFor();
    await page.context().close();
    expect(bench.complaints.filter((it) => !it.includes('404 (Not Found)'))).toEqual([]);
  });

  test('a person approves one publication and rejects another; what the checks reject cannot be approved', async () => {
    const page = await bench.open('inbox');
    const badge = page.getByRole('link', { name: /Registry/ }).locator('.count');
    await expect.poll(() => badge.textContent()).toBe('3');
    const card = (name: string) => page.getByRole('article').filter({ hasText: name });
    await card('weather 1.0.0').waitFor();
    for (const text of ['it runs its own program', 'an address in a text', 'no model read its texts'])
      expect(await card('weather 1.0.0').textContent()).toContain(text);
    expect(await card('stealer').getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    expect(await page.locator('main img, main script').count()).toBe(0);
    await picture(page, 'registry-reviews');
    await card('weather 1.0.0').getByLabel('Note for the publisher').fill('Read every line.');
    await card('weather 1.0.0').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('weather 1.0.0 was approved.').first().waitFor();
    await expect.poll(() => card('weather 1.0.0').count()).toBe(0);
    await page.goto(`${bench.home.server.url}/console/registry`);
    await card('stealer').getByRole('button', { name: 'Reject' }).click();
    await page.getByText('stealer 1.0.0 was rejected.').first().waitFor();
    await expect.poll(() => badge.textContent()).toBe('1');
    const entries = await reviewFolder(`${registry.folder}.data`).list();
    expect(Object.fromEntries(entries.map((it) => [it.verdict.package?.id, it.review]))).toMatchObject({
      weather: { decision: 'approved', reviewer: 'console', note: 'Read every line.' },
      stealer: { decision: 'rejected', reviewer: 'console' },
      [attack]: undefined,
    });
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('approving needs the PIN once it is set, and a changed archive is not what the person saw', async () => {
    const hash = await submitReview(registry.folder, { id: 'later' });
    const session = await bench.home.bench.session({
      policy: { registries: [{ name: 'main', path: registry.folder, root: sha256(registry.firstRoot) }] },
    });
    const wanted = { registry: 'main', id: hash.slice(0, 16), decision: 'approved', by: 'test' } as const;
    await expect(
      session.registries.decideReview({ ...wanted, sha256: 'f'.repeat(64) }),
    ).rejects.toMatchObject({ code: 'denied' });
    await bench.home.bench.host.operator.setPin('493817', 'test');
    await expect(session.registries.decideReview({ ...wanted, sha256: hash })).rejects.toMatchObject({
      code: 'pin_required',
    });
    const rejected = await session.registries.decideReview({
      ...{ ...wanted, sha256: hash },
      decision: 'rejected',
    });
    expect(rejected).toMatchObject({ decision: 'rejected', reviewer: 'test' });
    await session.close();
  });
});

describe.skipIf(!hasChromium)('the registry page without a registry (needs chromium)', () => {
  test('it says how to add one', async () => {
    const bench = await consoleBench();
    try {
      const page = await bench.open('registry');
      await page.getByRole('heading', { name: 'Add a registry' }).waitFor();
      expect(await page.locator('main').textContent()).toContain('[registries.main]');
      await picture(page, 'registry-guide');
      expect(bench.complaints).toEqual([]);
    } finally {
      await bench.close();
    }
  });
});
