// The static page of a package, in Chromium: it is shown, and it reaches nothing but its own files.
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ConsoleBench, consoleBench, hasChromium, picture } from '../../support/console-bench.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import { findagent } from '../../support/workbench.js';

/** Tries what a page must not reach, and its own files, and writes what happened. */
const script = (outside: string) => `
const found = {};
const attempt = (name, work) => {
  try { found[name] = String(work() ?? 'blocked'); } catch { found[name] = 'blocked'; }
};
const reach = (name, url) => fetch(url).then(() => { found[name] = 'reached'; }, () => { found[name] = 'blocked'; });
attempt('console', () => parent.document.querySelector('h1').textContent);
attempt('cookie', () => document.cookie === '' ? 'none' : 'some');
attempt('storage', () => (localStorage.length, 'reached'));
attempt('popup', () => window.open('about:blank') && 'opened');
Promise.all([
  reach('api', '/console/api/state'),
  reach('outside', ${JSON.stringify(outside)}),
  fetch('data.json').then((it) => it.json()).then((it) => { found.own = it.tide; }, () => { found.own = 'blocked'; }),
]).then(() => { document.getElementById('found').textContent = JSON.stringify(found); });
`;
const html = `<!doctype html>
<title>Tides</title>
<link rel="stylesheet" href="look/style.css">
<h1>High water at 12:40</h1>
<img id="dot" src="look/dot.svg" alt="">
<p id="found"></p>
<script src="app.js"></script>
`;
const code = 'export async function handler() { return "high"; }\n';
const pageAgent = (name: string) =>
  findagent(name, {
    kind: 'code-bundle',
    entrypoint: { path: 'src/agent.js' },
    runtime: { kind: 'node' },
    ui: { path: 'web' },
  });
const dot = '<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><rect width="7" height="7"/></svg>';

describe.skipIf(!hasChromium)('the page of a package (needs chromium)', () => {
  let bench: ConsoleBench;
  let outside: LoopbackServer;
  let requests = 0;

  beforeAll(async () => {
    outside = await loopbackServer((_, response) => {
      requests++;
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end('here');
    });
    bench = await consoleBench({
      'tides/findagent.json': pageAgent('Tides'),
      'tides/src/agent.js': code,
      'tides/web/index.html': html,
      'tides/web/app.js': script(`http://127.0.0.1:${outside.port}/`),
      'tides/web/data.json': '{"tide": "high"}',
      'tides/web/look/style.css': 'h1 { color: rgb(1, 2, 3); }',
      'tides/web/look/dot.svg': dot,
    });
  });
  afterAll(async () => {
    await bench?.close();
    await outside?.close();
  });
  beforeEach(() => {
    bench.complaints.splice(0);
    requests = 0;
  });

  /** Otherwise Chromium itself asks before a page reaches another server of this machine. */
  const mayReachLoopback = (page: Page) => page.context().grantPermissions(['local-network-access']);
  const frameOf = async (page: Page): Promise<Frame> => {
    await page.locator('iframe').waitFor();
    await expect.poll(() => page.frames().length).toBe(2);
    return page.frames()[1] as Frame;
  };
  const found = async (page: Page) => {
    const text = (await frameOf(page)).locator('#found');
    await expect.poll(() => text.textContent()).toContain('{');
    return JSON.parse((await text.textContent()) ?? '{}');
  };

  test('it shows its own files, and reaches neither the console nor a network', async () => {
    const page = await bench.open('packages/tides');
    await mayReachLoopback(page);
    await page.getByRole('link', { name: 'Open its page' }).click();
    await page.getByRole('heading', { name: 'The page of tides' }).waitFor();
    expect(await found(page)).toEqual({
      ...{ console: 'blocked', cookie: 'blocked', storage: 'blocked', popup: 'blocked' },
      ...{ api: 'blocked', outside: 'blocked', own: 'high' },
    });
    const frame = await frameOf(page);
    expect(await frame.evaluate('getComputedStyle(document.querySelector("h1")).color')).toBe('rgb(1, 2, 3)');
    expect(await frame.evaluate('document.getElementById("dot").naturalWidth')).toBe(7);
    // It leads neither the console nor its own frame elsewhere.
    await frame.evaluate("try { top.location.href = 'about:blank'; } catch {}");
    await frame.evaluate(`void setTimeout(() => { location.href = 'http://127.0.0.1:${outside.port}/'; })`);
    await page.waitForTimeout(500);
    expect(requests).toBe(0);
    await page.reload();
    await found(page);
    await picture(page, 'package-page');
    // Only this page may have a frame.
    const policy = (path: string) =>
      page.evaluate(
        `fetch(${JSON.stringify(path)}).then((it) => it.headers.get('content-security-policy'))`,
      ) as Promise<string>;
    expect(await policy('/console/packages/tides/page')).toMatch(/frame-src http:\S+\/package-page\/$/);
    for (const path of ['/console/', '/console/packages/tides', '/console/packages/tides/page/more'])
      expect(await policy(path)).not.toContain('frame-src');
    await page.getByRole('link', { name: 'tides', exact: true }).click();
    await page.getByRole('heading', { name: 'tides', exact: true }).waitFor();
    expect(await page.evaluate('performance.getEntriesByType("navigation")[0].name')).toMatch(
      /\/packages\/tides$/,
    );
    await page.context().close();
  });

  test('control: without the frame and its policy, the same script reads the console and the network', async () => {
    const page = await bench.open();
    await mayReachLoopback(page);
    await page.route('**/package-page/**', async (route) => {
      const response = await route.fetch();
      const { 'content-security-policy': _, ...headers } = response.headers();
      await route.fulfill({ response, headers });
    });
    await page.goto(`${bench.home.server.url}/console/packages/tides/page`);
    await found(page);
    await page.evaluate(`{
      const frame = document.querySelector('iframe');
      frame.removeAttribute('sandbox');
      frame.src = frame.src;
    }`);
    await expect
      .poll(async () => (await found(page).catch(() => ({}))).console, { timeout: 10_000 })
      .toContain('The page of tides');
    expect(await found(page)).toMatchObject({ storage: 'reached', popup: 'opened', api: 'reached' });
    expect((await found(page)).outside).toBe('reached');
    await page.context().close();
  });

  test('its files need the secret of the frame, and a package that is not accepted has no page', async () => {
    const page = await bench.open('packages/tides/page');
    await found(page);
    const src = new URL((await page.locator('iframe').getAttribute('src')) ?? '', bench.home.server.url);
    const status = async (path: string) => (await bench.home.request(path, { token: undefined })).status;
    expect(await status(src.pathname)).toBe(200);
    expect(await status(src.pathname.replace('index.html', 'app.js'))).toBe(200);
    expect(await status(src.pathname.replace('index.html', '..%2fsrc%2fagent.js'))).toBe(404);
    expect(await status(src.pathname.replace('index.html', '../src/agent.js'))).toBe(404);
    const secret = src.pathname.split('/')[2] as string;
    const other = `${secret.slice(0, -2)}${secret.endsWith('AA') ? 'BB' : 'AA'}`;
    expect(await status(src.pathname.replace(secret, other))).toBe(404);
    bench.home.bench.write({
      'later/findagent.json': pageAgent('Later'),
      'later/src/agent.js': code,
      'later/web/index.html': html,
    });
    await page.goto(`${bench.home.server.url}/console/packages`);
    await page.getByRole('link', { name: 'later', exact: true }).waitFor();
    await page.goto(`${bench.home.server.url}/console/packages/later/page`);
    await page.getByRole('alert').getByText('The page of later is not shown').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    await page.context().close();
  });
});
