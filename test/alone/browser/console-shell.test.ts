// The console as a whole: untrusted text, lost connections, restarts, several pages, and the size of what is loaded.
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleBench, consoleBench, hasChromium, picture } from '../../support/console-bench.js';
import { main, patchTool, temporaryFolder } from '../../support/toolwharf.js';
import { talos } from '../../support/workbench.js';

/** Each would run something if it became more than text. */
const attacks = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(2)>',
  '"><svg onload=alert(3)>',
  "javascript:alert(4)//'",
  '<iframe srcdoc="<script>parent.alert(5)</script>"></iframe>',
  '{{constructor.constructor("alert(6)")()}}',
  '<a href="javascript:alert(7)">x</a>',
  '<style>@import "http://127.0.0.1:9/x"</style>',
  '</title></textarea></script><script>alert(8)</script>',
  '\u202e<b onmouseover=alert(9)>\u2066',
];
const corpus = attacks.join(' ');
/** A manifest with hidden characters is rejected anyway. */
const visibleCorpus = attacks.slice(0, -1).join(' ');

test('all scripts of the console have at most 90 kB, compressed', () => {
  const folder = join(import.meta.dirname, '../../../dist/console/assets');
  const scripts = readdirSync(folder).filter((it) => it.endsWith('.js'));
  const bytes = scripts.reduce((sum, it) => sum + gzipSync(readFileSync(join(folder, it))).length, 0);
  expect(scripts.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(90 * 1000);
});

describe.skipIf(!hasChromium)('the console (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench({
      ...talos({
        id: 'evil',
        code: 'export const handlers = { look() { return "ok"; } };\n',
        functions: ['look'],
        rest: {
          description: visibleCorpus,
          credentials: [{ name: 'evil_key', label: visibleCorpus, required: true }],
        },
      }),
      'evil_note.py': patchTool({ name: 'evil_note', humanConfirm: true }).replace(
        'Do something with a text.',
        JSON.stringify(visibleCorpus),
      ),
    });
  });
  afterAll(() => bench?.close());

  /** Everything that the page shows was read. */
  const isRead = (page: Page) => page.locator('main .loading').first().waitFor({ state: 'detached' });

  test('what packages, callers and agents write is only ever text', async () => {
    bench.complaints.splice(0);
    const text = corpus;
    await bench.home.request('/api/v1/call', { body: { tool: 'evil_note', arguments: { text } } });
    await bench.home.request('/api/v1/operations/session.requestInstall', {
      body: { source: 'npm:left@1', reason: corpus },
    });
    const page = await bench.open();
    await page.locator('.held').waitFor();
    await page.locator('blockquote').waitFor();
    expect(await page.locator('.held').textContent()).toContain('<script>alert(1)</script>');
    await page.locator('.held').getByRole('button', { name: 'Change…' }).click();
    await page.keyboard.press('Escape');
    for (const path of [
      'packages',
      'packages/evil',
      'packages/evil_note',
      `packages/${encodeURIComponent(corpus)}`,
    ]) {
      await page.goto(`${bench.home.server.url}/console/${path}`);
      await page.locator('.page').waitFor();
      await isRead(page);
      expect(await page.locator('main img, main script, main iframe, main style, main svg').count()).toBe(0);
      expect(await page.locator('a[href^="javascript"]').count()).toBe(0);
    }
    await page.context().close();
    expect(bench.complaints).toEqual([]);
  });

  test('two pages agree: what one decides, the other shows', async () => {
    const [one, two] = [await bench.open(), await bench.open('', { viewport: { width: 390, height: 844 } })];
    const body = { tool: 'send_note', arguments: { text: 'for both' } };
    const id = (await bench.home.request('/api/v1/call', { body })).json.confirmation.token as string;
    for (const it of [one, two]) await it.locator(`#held-${id}`).waitFor();
    await two.locator(`#held-${id}`).getByRole('button', { name: /Deny/ }).click();
    for (const it of [one, two]) await it.locator(`#held-${id}`).waitFor({ state: 'detached' });
    for (const it of [one, two]) await it.context().close();
  });

  test('a browser without a sign-in learns nothing but how to get one; a used link says so', async () => {
    const context = await bench.browser.newContext();
    const page = await context.newPage();
    const link = await bench.link();
    await page.goto(`${bench.home.server.url}/console/inbox`);
    await page.getByText('toolwharf open').waitFor();
    await picture(page, 'sign-in');
    await page.goto(link);
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    // The code does not stay in the address.
    expect(page.url()).not.toContain('code');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    await page.goto('about:blank');
    await page.goto(link);
    await page.getByText('This link was used before or has expired.').waitFor();
    await context.close();
  });

  test('the page does not grow while changes arrive', async () => {
    const page = await bench.open();
    const client = await page.context().newCDPSession(page);
    const heap = async () => {
      await client.send('HeapProfiler.collectGarbage');
      const { usedSize } = (await client.send('Runtime.getHeapUsage')) as { usedSize: number };
      return usedSize;
    };
    const burst = async () => {
      for (let at = 0; at < 60; at++) {
        await bench.home.request('/api/v1/call', {
          body: { tool: 'word_count', arguments: { text: `a ${at}` } },
        });
      }
      await page.waitForTimeout(300);
    };
    await burst();
    const before = await heap();
    await burst();
    await burst();
    expect((await heap()) - before).toBeLessThan(600_000);
    await page.context().close();
    // It measures memory: on a busy machine its 180 sandboxed calls take long.
  }, 120_000);
});

describe.skipIf(!hasChromium)('a host that stops and starts again (needs chromium)', () => {
  let browser: Browser;
  const folder = temporaryFolder({ 'tools/word_count.py': patchTool({ name: 'word_count' }) });
  const running: { kill(): Promise<void> }[] = [];

  /** `toolwharf serve`. Resolves with the link to its console. Port 0: any that is free. */
  async function serve(port: string): Promise<string> {
    const args = [main, 'serve', join(folder.path, 'tools'), '--json', '--port', port];
    const child = spawn(process.execPath, [...args, '--state', join(folder.path, 'state')], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const over = new Promise<void>((resolve) => child.once('close', () => resolve()));
    running.push({
      async kill() {
        child.kill('SIGKILL');
        await over;
      },
    });
    return new Promise((resolve, reject) => {
      void over.then(() => reject(new Error('serve ended')));
      let text = '';
      child.stdout.on('data', (chunk) => {
        text += chunk;
        if (text.includes('\n')) resolve(JSON.parse(text.split('\n', 1)[0] as string).console as string);
      });
    });
  }

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    for (const it of running) await it.kill();
    folder.remove();
  });

  test('the page says that the host does not answer, and goes on by itself when it is back', async () => {
    const page: Page = await (await browser.newContext()).newPage();
    const link = await serve('0');
    await page.goto(link);
    await page.getByText('Connected').first().waitFor();
    await running[0]?.kill();
    await page.getByText('The host does not answer.').first().waitFor();
    await picture(page, 'lost-connection');
    await serve(new URL(link).port);
    await page.getByText('The host does not answer.').first().waitFor({ state: 'detached' });
    await page.getByText('Connected').first().waitFor();
    await page.getByRole('link', { name: 'Packages' }).click();
    await page.getByRole('link', { name: 'word_count' }).waitFor();
  });
});
