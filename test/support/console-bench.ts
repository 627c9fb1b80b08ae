// The console of a real host in Chromium. Everything that the browser complains about is kept.
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { SessionPolicy } from '../../src/host/host.js';
import { exemptionFile } from '../../src/serve/cli/config/exemption-file.js';
import type { HttpServerLimits } from '../../src/serve/http/server-limits.js';
import { version } from '../../src/version.js';
import { type HttpBench, httpBench } from './http-bench.js';
import { temporaryFolder } from './toolwharf.js';
import type { Files, WorkbenchOptions } from './workbench.js';

const executablePath = '/usr/bin/chromium';
export const hasChromium = existsSync(executablePath);
/** The built files. */
const consoleFolder = join(import.meta.dirname, '../../dist/console');
/** Screenshots, for people to look at. */
const pictures = process.env.TOOLWHARF_PICTURES ?? join(tmpdir(), 'toolwharf-console');

export interface ConsoleBench {
  readonly home: HttpBench;
  readonly browser: Browser;
  /** What browsers complained about: errors, console messages, and violations of the policy. */
  readonly complaints: string[];
  /** The configuration that the console may change. */
  readonly configFile: string;
  /** A link that works once. */
  link(): Promise<string>;
  /** A signed-in page. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

/** How the console is served. */
export interface ConsoleServing {
  readonly limits?: Partial<HttpServerLimits>;
  /** The origin of a proxy in front of it. */
  readonly publicUrl?: string;
}

/** A host with the console, and a browser. `more`: files of further packages. */
export async function consoleBench(
  more: Files = {},
  options: WorkbenchOptions = {},
  policy: SessionPolicy = {},
  { limits = {}, publicUrl }: ConsoleServing = {},
): Promise<ConsoleBench> {
  mkdirSync(pictures, { recursive: true });
  const settings = temporaryFolder();
  const configFile = join(settings.path, 'config.toml');
  const exemptions = exemptionFile({ path: configFile, home: settings.path });
  const served = { console: consoleFolder, exemptions, version, publicUrl };
  const home = await httpBench(limits, served, more, { watch: true, ...options }, policy);
  // As root, Chromium has no sandbox of its own. It opens only pages of this test.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const complaints: string[] = [];
  const link = async () => (await home.bench.host.consoleAccess.linkFor({ directories: [] })).url;
  return {
    home,
    browser,
    complaints,
    configFile,
    link,
    async open(path = '', options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const page = await context.newPage();
      listenTo(page, complaints);
      const signIn = await link();
      await page.goto(signIn);
      await page.getByText('Connected', { exact: false }).first().waitFor();
      if (path !== '') await page.goto(new URL(`/console/${path}`, signIn).href);
      await page.locator('h1').first().waitFor();
      return page;
    },
    async close() {
      await browser.close();
      await home.close();
      settings.remove();
    },
  };
}

function listenTo(page: Page, complaints: string[]): void {
  page.on('console', (it) => complaints.push(it.text()));
  page.on('pageerror', (it) => complaints.push(String(it)));
  page.on('dialog', (it) => {
    complaints.push(`dialog: ${it.message()}`);
    void it.dismiss();
  });
}

export interface HeldRequests {
  /** Resolves when the page has sent the first one. */
  readonly arrived: Promise<void>;
  /** Lets them go on. */
  letGo(): void;
}

/** Holds the requests of a page for an operation back, so that a test decides which answer comes first. */
export async function holdRequests(
  page: Page,
  operation: string,
  isMeant: (args: readonly unknown[]) => boolean = () => true,
): Promise<HeldRequests> {
  let arrive: () => void = () => {};
  let letGo: () => void = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(`**/console/api/operations/${operation}`, async (route) => {
    if (isMeant(route.request().postDataJSON().args)) {
      arrive();
      await isLetGo;
    }
    await route.continue();
  });
  return { arrived, letGo };
}

/** Pictures of a page at 390 and 1280 pixels, light and dark. Nothing may be wider than the screen. */
export async function picture(page: Page, name: string): Promise<void> {
  for (const width of [390, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(pictures, `${name}-${width}-${colorScheme}.png`) });
      // What is further down, for people to look at too.
      if (colorScheme === 'light')
        await page.screenshot({ path: join(pictures, `${name}-${width}-whole.png`), fullPage: true });
      expect([name, width, await tooWide(page)]).toEqual([name, width, []]);
      await expectAccessible(page, `${name} ${width} ${colorScheme}`);
    }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}

/** Controls and parts that are not inside the screen, and whether the page scrolls sideways. */
function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    const found = document.documentElement.scrollWidth > width ? ['the page scrolls sideways'] : [];
    for (const it of document.querySelectorAll('main *, nav *, dialog[open] *')) {
      const box = it.getBoundingClientRect();
      if (box.width > 0 && box.right > width + 1 && it.closest('.table.windowed') === null)
        found.push(it.tagName.toLowerCase() + '.' + it.className);
    }
    return found;
  })()`);
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** No finding of axe-core. It is given to the page by the browser's protocol, so that the policy of the page stays. */
async function expectAccessible(page: Page, where: string): Promise<void> {
  const { source } = (await import('axe-core')).default;
  const isLoaded = await page.evaluate('"axe" in window');
  if (!isLoaded) await page.evaluate(source);
  const result = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResult;
  const found = result.violations.map(
    (it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`,
  );
  expect([where, ...found]).toEqual([where]);
}
