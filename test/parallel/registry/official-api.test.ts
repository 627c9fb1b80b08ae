// The API of the official MCP registry, as its clients read it: three GETs, from any origin.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { isObject, type Json, type JsonObject } from '../../../src/model/json.js';
import { writeBundleArchive } from '../../../src/registry/repository/bundle-archive.js';
import { ReleaseLaunch } from '../../../src/registry/server/release-launch.js';
import { serverListSchema, serverResponseSchema } from '../../support/official-registry-schema.js';
import { RegistryServerBench } from '../../support/registry-server.js';

const bench = new RegistryServerBench();
const ajv = new Ajv2020({ strict: false });
const isList = ajv.compile(serverListSchema);
const isServer = ajv.compile(serverResponseSchema);

const server = (name: string, version: string, more: JsonObject) => ({
  'toolwharf-mcp.json': JSON.stringify({ schema: 'toolwharf/mcp@1', name, version, ...more }),
});

beforeAll(async () => {
  await bench.open();
  for (const it of ['acme', 'draw_lots', 'remote-notes']) await bench.registry.approve(it);
  await bench.registry.publish('acme/weather', '1.0.0', {});
  await bench.registry.publish('acme/weather', '1.1.0', {});
  await bench.registry.publish('acme/weather', '1.2.0', {});
  await bench.registry.publish('draw_lots', '1.0.0', {});
  await bench.registry.yank('acme/weather', '1.2.0', 'it gives the wrong temperature');
  await bench.services.listing.refresh({ now: true });
});
afterAll(() => bench.close());

async function get(path: string): Promise<{ status: number; body: JsonObject }> {
  const answer = await bench.get(path);
  const body = (await answer.json()) as Json;
  return { status: answer.status, body: isObject(body) ? body : {} };
}

const servers = (body: JsonObject) =>
  (body.servers as JsonObject[]).map((it) => {
    const { name, version } = it.server as JsonObject;
    return `${String(name)}@${String(version)}`;
  });

describe('the list of servers', () => {
  test('validates against the schema, page by page, and names every version once', async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const { status, body } = await get(
        `/v0.1/servers?limit=2${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      expect([status, isList(body), isList.errors]).toEqual([200, true, null]);
      found.push(...servers(body));
      cursor = (body.metadata as { nextCursor?: string }).nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual([
      'acme/weather@1.0.0',
      'acme/weather@1.1.0',
      'acme/weather@1.2.0',
      'draw-lots/draw_lots@1.0.0',
    ]);
  });

  test('can be filtered by name, version and time', async () => {
    expect(servers((await get('/v0.1/servers?search=WEATHER&version=latest')).body)).toEqual([
      'acme/weather@1.1.0',
    ]);
    expect(servers((await get('/v0.1/servers?updated_since=2026-11-18T11:59:59Z')).body)).toHaveLength(4);
    expect(servers((await get('/v0.1/servers?updated_since=2027-01-01T00:00:00Z')).body)).toEqual([]);
    expect((await get('/v0.1/servers?limit=0')).status).toBe(400);
    expect((await get('/v0.1/servers?cursor=x')).status).toBe(400);
    expect((await get('/v0.1/servers?updated_since=yesterday')).status).toBe(400);
  });
});

describe('the versions of a server', () => {
  test('are all there, newest first, and say what is withdrawn', async () => {
    const { body } = await get('/v0.1/servers/acme%2Fweather/versions');
    expect([isList(body), isList.errors]).toEqual([true, null]);
    expect(servers(body)).toEqual(['acme/weather@1.2.0', 'acme/weather@1.1.0', 'acme/weather@1.0.0']);
    const official = (body.servers as JsonObject[]).map(
      (it) => (it._meta as JsonObject)['io.modelcontextprotocol.registry/official'] as JsonObject,
    );
    expect(official.map((it) => [it.status, it.isLatest])).toEqual([
      ['deprecated', false],
      ['active', true],
      ['active', false],
    ]);
  });

  test('latest is the highest that is not withdrawn', async () => {
    const { body } = await get('/v0.1/servers/acme%2Fweather/versions/latest');
    expect([isServer(body), isServer.errors]).toEqual([true, null]);
    expect((body.server as JsonObject).version).toBe('1.1.0');
    expect((await get('/v0.1/servers/draw-lots%2Fdraw_lots/versions/1.0.0')).status).toBe(200);
  });

  test('that do not exist are not found, with the error as text', async () => {
    for (const path of [
      'acme%2Fother/versions',
      'acme%2Fweather/versions/9.9.9',
      'acme%2Fweather',
      'acme/weather/versions',
      '%ff/versions',
    ]) {
      const { status, body } = await get(`/v0.1/servers/${path}`);
      expect([status, typeof body.error]).toEqual([404, 'string']);
    }
  });
});

test('pages of other origins may read it, and nothing can be changed there', async () => {
  const answer = await bench.get('/v0.1/servers', { origin: 'https://app.example' });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  const preflight = await fetch(`${bench.server.url}/v0.1/servers`, { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
  for (const method of ['POST', 'DELETE', 'PUT'])
    expect((await fetch(`${bench.server.url}/v0.1/servers/a%2Fb/versions/1`, { method })).status).toBe(401);
});

test('a server at a URL has it as a remote, and a card for clients that look on the domain', async () => {
  const token = bench.token('remote-notes');
  const files = server('remote-notes', '1.0.0', {
    description: 'Keeps notes.',
    url: 'https://notes.example.com/mcp',
  });
  expect(await bench.publish('remote-notes', '1.0.0', files, token)).toEqual({ status: 'published' });
  await expect
    .poll(async () => (await get('/v0.1/servers/remote-notes%2Fremote-notes/versions/latest')).status)
    .toBe(200);
  const { body } = await get('/v0.1/servers/remote-notes%2Fremote-notes/versions/latest');
  expect([isServer(body), isServer.errors]).toEqual([true, null]);
  expect((body.server as JsonObject).remotes).toEqual([
    { type: 'streamable-http', url: 'https://notes.example.com/mcp' },
  ]);
  const { entries } = (await get('/.well-known/mcp/catalog.json')).body as {
    entries: { url: string; type: string }[];
  };
  expect(entries.map((it) => it.type)).toEqual(['application/mcp-server-card+json']);
  const card = await fetch(entries[0]?.url ?? '');
  expect(await card.json()).toMatchObject({ name: 'remote-notes/remote-notes', version: '1.0.0' });
});

test('an archive that is gone or has other content adds nothing to the answers, and hides no others', async () => {
  const { listing } = bench.services;
  const [row] = await listing.store.releases({ name: 'remote-notes', version: 'latest', limit: 1 });
  const { folder } = bench.registry;
  const remotes = async () => {
    if (row === undefined) throw new Error('the release is not listed');
    return (await new ReleaseLaunch({ folder, listing, formats: builtInFormats }).factsOf(row)).remotes;
  };
  const honest = [{ type: 'streamable-http', url: 'https://notes.example.com/mcp' }];
  expect(await remotes()).toEqual(honest);
  const archive = readdirSync(join(folder, 'targets'), { recursive: true, encoding: 'utf8' }).find((it) =>
    /remote-notes.*\.tgz$/.test(it),
  );
  const path = join(folder, 'targets', archive ?? '');
  const bytes = readFileSync(path);
  const evil = server('remote-notes', '1.0.0', {
    description: 'Keeps notes.',
    url: 'https://evil.example/mcp',
  });
  const files = Object.entries(evil).map(([name, text]) => ({ path: name, bytes: Buffer.from(text) }));
  writeFileSync(path, await writeBundleArchive(files.map((it) => ({ ...it, executable: false }))));
  expect(await remotes()).toEqual([]);
  rmSync(path);
  expect(await remotes()).toEqual([]);
  writeFileSync(path, bytes);
  expect(await remotes()).toEqual(honest);
});

test('an answer has a validator, and a client that has it already gets no body', async () => {
  for (const path of [
    '/v0.1/servers',
    '/v0.1/servers/acme%2Fweather/versions/latest',
    '/api/v1/search?q=weather',
  ]) {
    const first = await bench.get(path);
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'public, no-cache']);
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await bench.get(path, { 'if-none-match': known });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
    expect((await bench.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
  }
  const etag = (await bench.get('/v0.1/servers')).headers.get('etag') ?? '';
  await bench.registry.publish('acme/weather', '1.3.0', {});
  await bench.services.listing.refresh({ now: true });
  expect((await bench.get('/v0.1/servers', { 'if-none-match': etag })).status).toBe(200);
});

test('the discovery file says where everything is, and is there without a token', async () => {
  const { status, body } = await get('/.well-known/toolwharf-registry.json');
  expect(status).toBe(200);
  const { url } = bench.server;
  expect(body).toEqual({
    schema: 'toolwharf/registry-server@1',
    ...{ url, search: `${url}/api/v1/search`, mcp_registry: `${url}/v0.1` },
    ...{ log: 'toolwharf/registry/test.example', root: { version: 1 }, publishing: true, reading: 'open' },
  });
});
