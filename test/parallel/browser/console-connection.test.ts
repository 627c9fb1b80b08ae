// The console in Chromium behind a network and a proxy that fail: what is lost is shown, and found again.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleBench, consoleBench, hasChromium } from '../../support/console-bench.js';
import { openRelay, type Relay } from '../../support/relay.js';

const lostText = 'The host does not answer.';

describe.skipIf(!hasChromium)('a console behind a proxy (needs chromium)', () => {
  let bench: ConsoleBench;
  let relay: Relay;

  beforeAll(async () => {
    relay = await openRelay();
    bench = await consoleBench(
      {},
      {},
      {},
      { publicUrl: `http://127.0.0.1:${relay.port}`, limits: { pingMs: 800 } },
    );
    relay.aim(bench.home.port);
  });
  afterAll(async () => {
    await bench?.close();
    await relay?.close();
  });
  beforeEach(() => {
    relay.become('pass');
    bench.complaints.splice(0);
  });

  const hold = async (text: string): Promise<string> => {
    const body = { tool: 'send_note', arguments: { text } };
    return (await bench.home.request('/api/v1/call', { body })).json.confirmation.token;
  };
  const isLost = (page: Page) => page.getByText(lostText).first().waitFor({ timeout: 20_000 });
  const isFound = async (page: Page) => {
    await page.getByText(lostText).first().waitFor({ state: 'detached', timeout: 20_000 });
    await page.getByText('Connected', { exact: false }).first().waitFor();
  };

  test('a connection that died silently is noticed, and what happened meanwhile is shown when it is back', async () => {
    const page = await bench.open();
    // Longer than the pause after which a silent stream counts as lost: the host says that it is there.
    await page.waitForTimeout(4500);
    expect(await page.getByText(lostText).count()).toBe(0);
    relay.become('silent');
    await isLost(page);
    const id = await hold('while it was away');
    expect(await page.locator(`#held-${id}`).count()).toBe(0);
    relay.become('pass');
    await isFound(page);
    await page.locator(`#held-${id}`).waitFor();
    await bench.home.bench.host.approvals.deny(id, 'test');
    await page.context().close();
  }, 60_000);

  test('a proxy that answers for a host that is away does not sign anybody out', async () => {
    const page = await bench.open('packages');
    relay.become('bad-gateway');
    await isLost(page);
    await page.waitForTimeout(1500);
    expect(await page.getByText('toolwharf open').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Packages' }).count()).toBe(1);
    relay.become('pass');
    await isFound(page);
    await page.context().close();
    expect(bench.complaints.filter((it) => !/502|ERR_/.test(it))).toEqual([]);
  }, 60_000);

  test('what could not be read while the host was away is read when it is back, also if nothing changed', async () => {
    const page = await bench.open();
    relay.become('bad-gateway');
    await isLost(page);
    await page.getByRole('link', { name: 'Clients' }).click();
    await page.locator('main .loading').first().waitFor();
    // That the host does not answer is said once.
    expect(await page.getByRole('alert').count()).toBe(1);
    relay.become('pass');
    await isFound(page);
    await page.getByRole('heading', { name: 'Tokens and keys' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.context().close();
  }, 60_000);

  test('requests that never get an answer do not keep a page from reading again', async () => {
    const page = await bench.open();
    const path = '**/console/api/operations/*';
    let waiting = 0;
    await page.route(path, () => {
      waiting++;
    });
    await page.getByRole('link', { name: 'Clients' }).click();
    await expect.poll(() => waiting).toBeGreaterThanOrEqual(3);
    relay.become('silent');
    await isLost(page);
    await page.unroute(path);
    relay.become('pass');
    await isFound(page);
    await page.getByRole('heading', { name: 'Tokens and keys' }).waitFor();
    await page.context().close();
  }, 60_000);

  test('a link that meets a host that is away works as soon as the host is back', async () => {
    const page = await (await bench.browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${relay.port}/console/`);
    await page.getByText('toolwharf open').waitFor();
    const link = await bench.link();
    await page.route('**/console/api/sign-in', (route) => route.fulfill({ status: 502, body: '' }), {
      times: 2,
    });
    await page.goto('about:blank');
    await page.goto(link);
    await isLost(page);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await isFound(page);
    await page.context().close();
  }, 60_000);

  test('"Try now" connects at once, and however often it is pressed, there is one series of attempts', async () => {
    const page = await bench.open();
    relay.become('bad-gateway');
    await isLost(page);
    const again = page.getByRole('button', { name: 'Try now' });
    for (let at = 0; at < 15; at++) await again.click();
    await page.waitForTimeout(500);
    const before = relay.connections();
    await page.waitForTimeout(6000);
    // One attempt in about five seconds by now.
    expect(relay.connections() - before).toBeLessThanOrEqual(4);
    // Without timers, only the button can do it.
    await page.evaluate('window.setTimeout = () => 0');
    await page.waitForTimeout(5500);
    relay.become('pass');
    await page.waitForTimeout(1000);
    expect(await page.getByText(lostText).count()).toBeGreaterThan(0);
    await again.click();
    await isFound(page);
    await page.context().close();
  }, 60_000);

  test('a browser that cannot reach the host is not told that it was signed out', async () => {
    const page = await bench.open();
    relay.become('bad-gateway');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await isLost(page);
    expect(await page.getByText('You are signed out.').count()).toBe(0);
    relay.become('pass');
    await isFound(page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await page.context().close();
  }, 60_000);

  test('a used link opens the console where somebody is signed in, and a signed-out page goes on after a new one', async () => {
    const context = await bench.browser.newContext();
    const [one, two] = [await context.newPage(), await context.newPage()];
    const link = await bench.link();
    await one.goto(link);
    await one.getByRole('heading', { name: 'Inbox' }).waitFor();
    await two.goto(link);
    await two.getByRole('heading', { name: 'Inbox' }).waitFor();
    await context.clearCookies();
    for (const it of [one, two]) {
      await it.evaluate('dispatchEvent(new Event("online"))');
      await it.getByText('Your sign-in has expired.').waitFor();
    }
    await two.goto('about:blank');
    await two.goto(await bench.link());
    await two.getByRole('heading', { name: 'Inbox' }).waitFor();
    await one.evaluate('dispatchEvent(new Event("online"))');
    await one.getByRole('heading', { name: 'Inbox' }).waitFor();
    const id = await hold('for both tabs');
    for (const it of [one, two]) await it.locator(`#held-${id}`).waitFor();
    await context.close();
  });
});
