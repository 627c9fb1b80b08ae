// A server of a registry that sends too much, too slowly, something else, or different things to different clients.
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { guardedClient } from '../../../src/net/http-client.js';
import type { RegistryClient } from '../../../src/registry/client/registry-client.js';
import { metadataLimits } from '../../../src/registry/metadata/metadata-check.js';
import { targetFile } from '../../../src/registry/names/package-name.js';
import { folderTransport } from '../../../src/registry/transport/folder-transport.js';
import { httpTransport, type TransportTimes } from '../../../src/registry/transport/http-transport.js';
import { consumerOf, versionsSeen } from '../../support/registry-consumer.js';
import { RegistryWorkbench } from '../../support/registry-workbench.js';
import { loopbackServer } from '../../support/toolwharf.js';

const open: { close(): void | Promise<void> }[] = [];
afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it.close();
});

type Answer = (path: string, response: ServerResponse, file: () => Buffer | undefined) => boolean;

const times: TransportTimes = { idleMs: 300, fileMs: 900, bundleMs: 900 };

/** A registry on a web server that answers as the attack says; false: like an honest server. */
async function scene(attack: Answer = () => false) {
  const bench = new RegistryWorkbench();
  open.push(bench);
  await bench.create();
  await bench.approve('acme');
  await bench.publish('acme/weather', '1.0.0');
  const state = { attack, sent: 0 };
  const server = await loopbackServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://x').pathname.replace('/registry/', '');
    const place = join(bench.folder, path);
    const file = () => (existsSync(place) ? readFileSync(place) : undefined);
    if (state.attack(path, response, file)) return;
    const bytes = file();
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
  });
  open.push(server);
  const transport = httpTransport({
    url: `http://127.0.0.1:${server.port}/registry`,
    http: guardedClient(),
    granted: [{ host: '127.0.0.1', port: server.port }],
    signal: new AbortController().signal,
    times,
  });
  return { bench, server, state, client: consumerOf(bench, { transport }) };
}

test('an honest server is accepted, and asked for nothing but files of the registry', async () => {
  const { client, server, bench } = await scene();
  expect(await versionsSeen(client, 'acme')).toEqual(['acme/weather@1.0.0']);
  const state = await client.update();
  const [found] = (await client.namespace(state, 'acme')) ?? [];
  if (found === undefined) throw new Error('not found');
  await client.fetch(state, found.release, join(bench.base, 'bundle'));
  for (const { url } of server.requests)
    expect(url).toMatch(/^\/registry\/(metadata|targets|log|proofs)\/[\w./+-]+$/);
});

const chunk = Buffer.alloc(64 * 1024, 0x20);

/** Sends until the client hangs up. Counts what was taken. */
function endless(response: ServerResponse, taken: { bytes: number }): void {
  response.writeHead(200);
  const more = () => {
    while (!response.destroyed) {
      taken.bytes += chunk.length;
      if (!response.write(chunk)) {
        response.once('drain', more);
        return;
      }
    }
  };
  more();
}

describe('endless data', () => {
  test.each([
    ['metadata/timestamp.json', metadataLimits.timestamp],
    ['metadata/2.root.json', metadataLimits.root],
    // The timestamp says how long it is.
    ['.snapshot.json', 10_000],
  ])('in %s is cut off', async (name, limit) => {
    const taken = { bytes: 0 };
    const { client } = await scene((path, response) => {
      if (!path.endsWith(name)) return false;
      endless(response, taken);
      return true;
    });
    await expect(client.update()).rejects.toThrow(/is larger than/);
    // The rest is what the sockets of both sides hold.
    expect(taken.bytes).toBeLessThan(limit + 8 * 1024 * 1024);
    expect(client.head).toBeUndefined();
  });

  test('in a bundle is cut off at its length, and nothing is left', async () => {
    const taken = { bytes: 0 };
    const { client, bench } = await scene((path, response) => {
      if (!path.endsWith('.tgz')) return false;
      endless(response, taken);
      return true;
    });
    await expect(fetchFirst(client, join(bench.base, 'bundle'))).rejects.toThrow(/has more than/);
    expect(taken.bytes).toBeLessThan(8 * 1024 * 1024);
  });
});

async function fetchFirst(client: RegistryClient, target: string): Promise<void> {
  const state = await client.update();
  const [found] = (await client.namespace(state, 'acme')) ?? [];
  if (found === undefined) throw new Error('not found');
  await client.fetch(state, found.release, target);
}

test.each([
  ['shorter', (bytes: Buffer) => bytes.subarray(0, -1), /instead of/],
  ['longer', (bytes: Buffer) => Buffer.concat([bytes, Buffer.from(' ')]), /is larger than/],
  ['empty', () => Buffer.alloc(0), /instead of/],
])('a snapshot that is %s than the timestamp says is rejected', async (_, change, message) => {
  const { client } = await scene((path, response, file) => {
    if (!path.endsWith('.snapshot.json')) return false;
    response.writeHead(200).end(change(file() as Buffer));
    return true;
  });
  await expect(client.update()).rejects.toThrow(message);
});

test('a bundle with other bytes of the same length is rejected', async () => {
  const { client, bench } = await scene((path, response, file) => {
    if (!path.endsWith('.tgz')) return false;
    const bytes = Buffer.from(file() as Buffer);
    bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
    response.writeHead(200).end(bytes);
    return true;
  });
  await expect(fetchFirst(client, join(bench.base, 'bundle'))).rejects.toThrow(/its hash is/);
});

test('a slow drip is cut off by the time for a file, and silence earlier', async () => {
  const timers: NodeJS.Timeout[] = [];
  const { client, state } = await scene((path, response) => {
    if (path !== 'metadata/timestamp.json') return false;
    response.writeHead(200);
    timers.push(setInterval(() => response.write(' '), 50));
    return true;
  });
  const start = performance.now();
  await expect(client.update()).rejects.toMatchObject({ code: 'timeout' });
  expect(performance.now() - start).toBeLessThan(10_000);
  for (const it of timers) clearInterval(it);
  state.attack = (path, response) => {
    if (path !== 'metadata/timestamp.json') return false;
    response.writeHead(200);
    response.write('{');
    return true;
  };
  await expect(client.update()).rejects.toThrow(/sent nothing for 0.3 s/);
});

test('a redirect is not followed', async () => {
  const { client, server } = await scene((path, response) => {
    if (path !== 'metadata/timestamp.json') return false;
    response.writeHead(302, { location: 'http://127.0.0.1:1/metadata/timestamp.json' }).end();
    return true;
  });
  await expect(client.update()).rejects.toMatchObject({ code: 'network_denied' });
  expect(server.requests.some((it) => it.url.includes(':1/'))).toBe(false);
});

describe('a registry in a folder', () => {
  test('with a link instead of a file is not read through the link', async () => {
    const { bench } = await scene();
    const client = consumerOf(bench);
    const state = await client.update();
    const [found] = (await client.namespace(state, 'acme')) ?? [];
    if (found === undefined) throw new Error('not found');
    const { path, bundle } = found.release;
    const file = join(bench.folder, targetFile(path, bundle.sha256));
    cpSync(file, join(bench.base, 'elsewhere'));
    rmSync(file);
    symlinkSync(join(bench.base, 'elsewhere'), file);
    await expect(client.fetch(state, found.release, join(bench.base, 'x'))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  test.each([
    '../x',
    'a/../../x',
    '/etc/passwd',
    'a//b',
    'a/./b',
    'a\\b',
    'a%2fb',
    'metadata/..json',
    'a\0b',
    '',
  ])('is never asked for the path %j', async (path) => {
    await expect(folderTransport('/tmp').read(path, 10)).rejects.toThrow(/not a path inside/);
  });
});

describe('a server that shows different logs', () => {
  /** Two registries with the same keys and the same beginning: what an operator with all online keys can show. */
  async function split() {
    const { bench } = await scene();
    const client = consumerOf(bench);
    await client.update();
    const other = join(bench.base, 'other');
    cpSync(bench.folder, other, { recursive: true });
    await bench.publish('acme/weather', '1.1.0', { 'a.txt': 'for everybody' });
    const shown = join(bench.base, 'shown');
    cpSync(bench.folder, shown, { recursive: true });
    rmSync(bench.folder, { recursive: true });
    cpSync(other, bench.folder, { recursive: true });
    await bench.publish('acme/weather', '1.1.0', { 'a.txt': 'for one victim' });
    await bench.publish('acme/weather', '1.2.0');
    return { bench, client, shown };
  }

  test('is refused by a client that saw one of them, with both heads', async () => {
    const { bench, client, shown } = await split();
    const memory = consumerOf(bench, { transport: folderTransport(shown), memory: 'one' });
    const before = (await memory.update()).view.head;
    const later = consumerOf(bench, { memory: 'one' });
    const error = await later.update().catch((it: Error) => it);
    expect(String(error)).toMatch(/contradicts what it said before/);
    expect(String(error)).toContain(before.root.toString('base64'));
    expect(String(error)).toContain((await bench.view()).head.root.toString('base64'));
    // The control: a client that saw only the common beginning cannot notice.
    expect(await versionsSeen(client, 'acme')).toHaveLength(3);
  });

  test('is noticed by two people who compare their heads, in both directions', async () => {
    const { bench, client, shown } = await split();
    const victim = consumerOf(bench, { transport: folderTransport(shown) });
    const [mine, theirs] = [await client.update(), await victim.update()];
    await expect(client.compareHead(mine, theirs.view.head.note)).rejects.toThrow(/contradicts/);
    await expect(victim.compareHead(theirs, mine.view.head.note)).rejects.toThrow(/contradicts/);
    const honest = consumerOf(bench);
    expect((await client.compareHead(mine, (await honest.update()).view.head.note)).size).toBe(
      mine.view.head.size,
    );
  });
});
