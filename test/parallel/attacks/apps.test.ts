// MCP Apps: clients get only pages that somebody accepted, and tools that are for apps alone do not exist for a model.
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../scripts/bundle.mjs';
import type { Session } from '../../../src/index.js';
import { upstreams } from '../../support/mcp-upstream.js';
import { type Era, frontFor, officialClient } from '../../support/mcp-wire.js';
import { scriptPackage } from '../../support/server-package.js';
import { temporaryFolder, until } from '../../support/toolwharf.js';
import { type Workbench, workbench } from '../../support/workbench.js';

const bundle = temporaryFolder();
const script = join(bundle.path, 'server.mjs');
const extension = 'io.modelcontextprotocol/ui';
const mimeType = 'text/html;profile=mcp-app';
const showing = { capabilities: { extensions: { [extension]: { mimeTypes: [mimeType] } } } };
const first = '<!doctype html><p>first\u200b</p>';
const address = 'ui://desk/server/desk/page';

let bench: Workbench;
let folder: string;
let session: Session;

beforeAll(() => bundleModule(`import './app-server.mjs';`, upstreams, script));
afterAll(() => bundle.remove());

function write(page: string, csp: object = { connectDomains: ['https://api.example.com'] }): void {
  writeFileSync(join(folder, 'page.html'), page);
  writeFileSync(join(folder, 'csp.html'), JSON.stringify(csp));
}

async function start(era: Era): Promise<void> {
  bench = await workbench({});
  folder = join(bench.root, 'pages');
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  appendFileSync(join(folder, 'log'), '');
  chmodSync(join(folder, 'log'), 0o666);
  write(first);
  for (const id of ['desk', 'bank']) {
    const files = scriptPackage(id, script, [era, folder]);
    const manifest = JSON.parse(files[`${id}/toolspace.json`] as string);
    manifest.scopes = [
      { resource: 'fs.local', actions: ['read', 'write'], rationale: 'Its pages are there.' },
    ];
    bench.write({ ...files, [`${id}/toolspace.json`]: JSON.stringify(manifest) });
  }
  session = await bench.session();
  await session.tools();
}

const log = () => readFileSync(join(folder, 'log'), 'utf8');
const open = (era: Era, options: object = showing, expose: 'all' | 'search' = 'all') =>
  officialClient(frontFor({ host: bench.host, session, expose }), era, options);

async function stopServer(): Promise<void> {
  await session.call({ tool: 'desk/leave', arguments: {} });
  await until(async () => {
    const { packages } = await session.packages();
    return packages.find((it) => it.id === 'desk')?.programs?.some((it) => it.state === 'running') !== true;
  });
}

describe.each<Era>(['2025', '2026'])('%s', (era) => {
  beforeAll(() => start(era));
  afterAll(() => bench.close());

  test('an accepted app is served with its metadata, at an address of its package', async () => {
    const client = await open(era);
    expect(client.getServerCapabilities()?.extensions?.[extension]).toEqual({ mimeTypes: [mimeType] });
    const { tools } = await client.listTools();
    const metaOf = (name: string) => tools.find((it) => it.name === `desk_${name}`)?._meta ?? {};
    expect(metaOf('show').ui).toEqual({ resourceUri: address });
    expect(metaOf('old')['ui/resourceUri']).toBe(address);
    const { resources } = await client.listResources();
    const entry = resources.find((it) => it.uri === address);
    expect(entry).toMatchObject({ mimeType, _meta: { ui: { prefersBorder: true } } });
    const { contents } = await client.readResource({ uri: address });
    // Not even invisible characters are removed: it is the page that was accepted.
    expect(contents).toEqual([
      {
        uri: address,
        mimeType,
        text: first,
        _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] } } },
      },
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map((it) => it.uriTemplate)).toContain('ui://desk/server/desk/part/{id}');
    await client.close();
  });

  test('a page that changes while the server runs is not served, and waits for a review', async () => {
    write('<p>steals</p>');
    const client = await open(era);
    await expect(client.readResource({ uri: address })).rejects.toThrow(/changed since you accepted it/);
    write(first);
    // The accepted page is back.
    expect(await client.readResource({ uri: address })).toMatchObject({ contents: [{ text: first }] });
    await client.close();
  });

  test('other permissions of the same page are a change', async () => {
    write(first, { connectDomains: ['https://evil.example'] });
    const client = await open(era);
    await expect(client.readResource({ uri: address })).rejects.toThrow(/changed since you accepted it/);
    expect((await session.review('desk'))?.widened).toContainEqual(
      'server: the app "ui://desk/page" now connects to "https://evil.example"',
    );
    write(first);
    await client.readResource({ uri: address });
    await client.close();
  });

  test('a tool cannot name the app of another package, a web page, or a page that nobody could read', async () => {
    const client = await open(era);
    const { tools } = await client.listTools();
    // Control: the address works for the package that it belongs to.
    expect(await client.readResource({ uri: 'ui://bank/server/desk/page' })).toMatchObject({
      contents: [{}],
    });
    for (const name of ['foreign', 'missing', 'plain'])
      expect(tools.find((it) => it.name === `desk_${name}`)?._meta?.ui, name).toEqual({});
    for (const uri of ['ui://desk/server/desk/none', 'ui://desk/server/desk/part/1'])
      await expect(client.readResource({ uri })).rejects.toThrow(/never accepted/);
    writeFileSync(join(folder, 'none.html'), 'now it can be read');
    await expect(client.readResource({ uri: 'ui://desk/server/desk/none' })).rejects.toThrow(
      /never accepted/,
    );
    await client.close();
  });

  test('a page in a result is passed on only if it is the accepted one', async () => {
    const client = await open(era);
    const { content } = await client.callTool({ name: 'desk_embed', arguments: {} });
    expect(content).toMatchObject([
      { type: 'resource', resource: { uri: address, text: first.replace('\u200b', '') } },
      { type: 'text', text: expect.stringContaining('nobody accepted the page') },
      { type: 'resource_link', uri: address },
    ]);
    await client.close();
  });

  test('a tool for apps alone exists only for clients that show apps, and every check applies to it', async () => {
    const client = await open(era);
    const { tools } = await client.listTools();
    expect(tools.find((it) => it.name === 'desk_refresh')?._meta?.ui).toMatchObject({ visibility: ['app'] });
    expect(await client.callTool({ name: 'desk_refresh', arguments: {} })).toMatchObject({
      content: [{ text: 'refresh' }],
    });
    const held = await client.callTool({ name: 'desk_wipe', arguments: {} });
    expect(held._meta?.['toolwharf/status']).toBe('confirmation_required');
    expect(log()).not.toContain('call wipe');
    await client.close();

    const plain = await open(era, {});
    expect(plain.getServerCapabilities()?.extensions?.[extension]).toBeUndefined();
    const listed = (await plain.listTools()).tools.map((it) => it.name);
    expect(listed).toContain('desk_show');
    expect(listed.filter((it) => /refresh|wipe/.test(it))).toEqual([]);
    const before = log();
    for (const name of ['desk_refresh', 'desk/refresh'])
      await expect(plain.callTool({ name, arguments: {} })).rejects.toMatchObject({ code: -32602 });
    expect(log()).toBe(before);
    await plain.close();
  });

  test('a model cannot find or call a tool for apps alone with the meta-tools', async () => {
    const client = await open(era, showing, 'search');
    const listed = (await client.listTools()).tools.map((it) => it.name);
    // The client needs the entries of tools with apps, to show the apps.
    expect(listed).toEqual(expect.arrayContaining(['find_tools', 'desk_show', 'desk_refresh']));
    expect(listed).not.toContain('desk_embed');
    const before = log();
    const text = async (name: string, args: object) => {
      const { content } = await client.callTool({ name, arguments: { ...args } });
      return (content as { text: string }[])[0]?.text ?? '';
    };
    expect(await text('find_tools', { query: 'shows the board' })).toContain('desk_show');
    expect(await text('find_tools', { query: 'refreshes the board' })).not.toContain('refresh');
    expect(await text('describe_tool', { name: 'desk_refresh' })).toContain('there is no tool');
    expect(await text('call_tool', { name: 'desk_refresh' })).toContain('no tool named');
    expect(log()).toBe(before);
    // Control: the same client calls it by its name, as an app does.
    await client.callTool({ name: 'desk_refresh', arguments: {} });
    expect(log()).toBe(`${before}call refresh\n`);
    await client.close();
  });

  test('a page that changed while the server was down is not served before a review', async () => {
    await stopServer();
    write('<p>steals</p>');
    const client = await open(era);
    const failure = () => client.readResource({ uri: address }).catch((error: Error) => error.message);
    // It is restarted after a delay.
    await until(async () => !/not running/.test(String(await failure())));
    expect(await failure()).toMatch(/changed since you accepted it/);
    // The tool works without its app, and names it no longer.
    const { tools } = await client.listTools();
    expect(tools.find((it) => it.name === 'desk_show')?._meta?.ui).toEqual({});
    expect((await client.callTool({ name: 'desk_show', arguments: {} })).isError).toBeUndefined();
    // Accepted, it is served.
    const { widened, to } = await session.review('desk');
    expect(widened).toContain('server: the app "ui://desk/page" has another page: 28 → 13 characters');
    await session.accept('desk', to);
    expect(await client.readResource({ uri: address })).toMatchObject({
      contents: [{ text: '<p>steals</p>' }],
    });
    await client.close();
  });
});
