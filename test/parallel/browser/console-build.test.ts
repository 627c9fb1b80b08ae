// The page that makes packages, in Chromium: the form, the source and the files of a manifest agree.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ConsoleBench,
  consoleBench,
  hasChromium,
  holdRequests,
  picture,
} from '../../support/console-bench.js';
import { scriptText } from '../../support/script-texts.js';
import { temporaryFolder } from '../../support/toolwharf.js';
import { tryPackages } from '../../support/try-packages.js';

const formats = ['Patch', 'Talos', 'Toolspace', 'FindAgent', 'Nexo', 'MCP server'] as const;

describe.skipIf(!hasChromium)('building packages (needs chromium)', () => {
  let bench: ConsoleBench;

  beforeAll(async () => {
    bench = await consoleBench(tryPackages);
  });
  afterAll(() => bench?.close());
  beforeEach(() => void bench.complaints.splice(0));

  const open = async (format?: (typeof formats)[number]) => {
    const page = await bench.open('build');
    page.setDefaultTimeout(10_000);
    if (format === undefined) return page;
    await page.getByRole('radio', { name: new RegExp(`^${format}`) }).check();
    await page.getByLabel('Name', { exact: false }).last().fill('word-tools');
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByText('What it means').waitFor();
    return page;
  };
  const close = async (page: Page) => {
    await page.context().close();
    expect(bench.complaints.filter((it) => !it.startsWith('dialog: '))).toEqual([]);
  };
  const show = (page: Page, name: string) =>
    page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
  const source = async (page: Page) => {
    await show(page, 'Source');
    return page.getByRole('textbox', { name: /^Source of/ });
  };

  test.each(formats)('a new %s package is valid, and its form and source show the same', async (format) => {
    const page = await open(format);
    await page.getByText(/^valid/).waitFor();
    const text = await (await source(page)).inputValue();
    expect(text.length).toBeGreaterThan(100);
    await show(page, 'Form');
    const description = page.getByLabel(/^(description|summary)/).first();
    await description.fill('Changed in the form.');
    await page.getByText(/^valid/).waitFor();
    const area = await source(page);
    await expect.poll(() => area.inputValue()).toContain('Changed in the form.');
    const changed = (await area.inputValue()).split('\n').filter((it) => !text.split('\n').includes(it));
    expect(changed).toHaveLength(1);
    await area.fill((await area.inputValue()).replace('Changed in the form.', 'Changed in the source.'));
    await show(page, 'Form');
    await expect.poll(() => description.inputValue()).toBe('Changed in the source.');
    if (format === 'FindAgent') await picture(page, 'build-form');
    await close(page);
  });

  test('the start offers every format and the packages of this host', async () => {
    const page = await open();
    expect(await page.getByRole('radio').count()).toBe(formats.length);
    await picture(page, 'build');
    await page.getByLabel('Package', { exact: true }).selectOption('lab');
    await page.getByRole('button', { name: 'Open a copy' }).click();
    await page.getByRole('heading', { name: 'lab' }).waitFor();
    await show(page, 'Other files');
    expect(await page.getByLabel('Text of index.mjs').inputValue()).toContain('handlers');
    await picture(page, 'build-files');
    await close(page);
  });

  test('a finding is at its field and at its line, and goes away when it is fixed', async () => {
    const page = await open('Patch');
    const name = page.getByLabel(/^name/).first();
    await name.fill('Not a Name');
    const field = page.locator('.field', { has: name });
    await field.locator('.problem').first().waitFor();
    await page.getByText('has errors').waitFor();
    expect(await name.getAttribute('aria-invalid')).toBe('true');
    await picture(page, 'build-finding');
    await page.locator('.diagnostics').getByRole('button', { name: /:2:/ }).first().click();
    const area = page.getByRole('textbox', { name: /^Source of/ });
    const selected = `(() => { const it = document.activeElement; return it.value.slice(it.selectionStart, it.selectionEnd); })()`;
    await expect.poll(() => page.evaluate(selected)).toBe('Not a Name');
    await picture(page, 'build-source');
    await area.fill((await area.inputValue()).replace('Not a Name', 'word_tools'));
    await page.getByText(/^valid/).waitFor();
    await close(page);
  });

  test('a source that no form can show stays, says why, and comes back to the form when it is fixed', async () => {
    const page = await open('Nexo');
    const area = await source(page);
    const text = await area.inputValue();
    await area.fill(`${text}\n[broken`);
    await page.getByText('has errors').waitFor();
    await show(page, 'Form');
    await page.getByText('The form cannot show this manifest').waitFor();
    expect(await (await source(page)).inputValue()).toBe(`${text}\n[broken`);
    await area.fill(`# a comment\n${text}`);
    await show(page, 'Form');
    await page.getByLabel(/^name/).first().waitFor();
    // A change that would lose the comment is not made.
    const servers = page.getByRole('group', { name: /^capabilities/ });
    await servers.waitFor();
    await close(page);
  });

  test('lists of the form can be added to, and what is typed stays while other pages are open', async () => {
    const page = await open('FindAgent');
    const prompts = page.getByRole('group', { name: /^example_prompts/ });
    await prompts.getByRole('button', { name: 'Add' }).click();
    // The new field gets the focus when it is there.
    const added = page.getByLabel('example_prompts 2', { exact: false }).first();
    await expect.poll(() => added.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.type('Another prompt that is long enough.');
    await page.getByText(/^valid/).waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.getByRole('link', { name: 'Build' }).click();
    expect(await page.getByLabel('example_prompts 2', { exact: false }).first().inputValue()).toContain(
      'Another prompt',
    );
    // Leaving the console asks first.
    await page.evaluate('void setTimeout(() => location.reload())');
    await expect.poll(() => bench.complaints).toContain('dialog: ');
    expect(await page.getByRole('heading', { name: 'Inbox' }).count()).toBe(0);
    await page.context().close();
  });

  test('the parameters of a tool are a list, and what else its schema says stays', async () => {
    const page = await open('FindAgent');
    const input = page.getByRole('group', { name: /^input_schema/ });
    await input.getByRole('textbox', { name: 'Name of notes' }).fill('text');
    await input.getByRole('textbox', { name: 'Name of notes' }).press('Tab');
    await input.getByRole('button', { name: 'Add a parameter' }).click();
    await input.getByRole('textbox', { name: 'Name of parameter_3' }).fill('count');
    await input.getByRole('textbox', { name: 'Name of parameter_3' }).press('Tab');
    await input.getByLabel('Type of count').selectOption('integer');
    await input.getByLabel('Description of count').fill('How many.');
    await picture(page, 'build-parameters');
    const area = await source(page);
    await expect
      .poll(async () => JSON.parse(await area.inputValue()).tools[0].input_schema)
      .toEqual({
        type: 'object',
        properties: {
          text: { type: 'string', description: 'What the message must say.' },
          tone: { type: 'string', enum: ['friendly', 'formal', 'brief'], default: 'friendly' },
          count: { type: 'integer', description: 'How many.' },
        },
        required: ['text'],
        additionalProperties: false,
      });
    await close(page);
  });

  test('the downloads have every file, as ZIP and as tgz', async () => {
    const page = await open('Talos');
    const folder = temporaryFolder();
    const save = async (name: string, file: string) => {
      const waiting = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      const path = join(folder.path, file);
      await (await waiting).saveAs(path);
      return path;
    };
    const zip = await save('Download ZIP', 'a.zip');
    const names = execFileSync(
      'python3',
      [
        '-c',
        'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print("\\n".join(z.namelist()))',
        zip,
      ],
      { encoding: 'utf8' },
    );
    expect(names.trim().split('\n').sort()).toEqual(
      ['README.md', 'index.ts', 'manifest.json'].map((it) => `word-tools/${it}`),
    );
    const tgz = await save('.tgz', 'a.tgz');
    writeFileSync(join(folder.path, 'a.tar'), gunzipSync(readFileSync(tgz)));
    const listed = execFileSync('tar', ['tf', join(folder.path, 'a.tar')], { encoding: 'utf8' });
    expect(listed.trim().split('\n').sort()).toEqual(names.trim().split('\n').sort());
    folder.remove();
    await close(page);
  });

  test('a download waits for a change of the form that is on its way to the source', async () => {
    const page = await open('FindAgent');
    const write = await holdRequests(page, 'manifests.write');
    await page
      .getByLabel(/^description/)
      .first()
      .fill('Changed just now.');
    await write.arrived;
    const waiting = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Manifest only' }).click();
    write.letGo();
    expect(readFileSync(await (await waiting).path(), 'utf8')).toContain('Changed just now.');
    await close(page);
  });

  test('file names and texts of a package are only ever text', async () => {
    const page = await open('Talos');
    await show(page, 'Other files');
    await page.getByLabel('Path of a file').fill(scriptText.replaceAll('/', '|'));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('textbox', { name: /^Text of/ }).fill(scriptText);
    await show(page, 'Form');
    await page
      .getByLabel(/^description/)
      .first()
      .fill(scriptText);
    await page.getByLabel(/^name/).first().fill(scriptText);
    await page
      .getByText(/finding/)
      .first()
      .waitFor();
    await show(page, 'Other files');
    await page.waitForTimeout(500);
    expect(await page.locator('main script, main iframe, main svg, main style, main img').count()).toBe(0);
    await close(page);
  });
});
