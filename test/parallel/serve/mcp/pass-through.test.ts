// A client sees through the host what it sees directly, for each pair of protocol eras.
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { bundleModule } from '../../../../scripts/bundle.mjs';
import { isObject, type Json } from '../../../../src/model/json.js';
import { upstreams } from '../../../support/mcp-upstream.js';
import { type Era, frontFor, officialClient } from '../../../support/mcp-wire.js';
import { features, type Side } from '../../../support/pass-through-features.js';
import { scriptPackage } from '../../../support/server-package.js';
import { temporaryFolder } from '../../../support/toolwharf.js';
import { type Workbench, workbench } from '../../../support/workbench.js';

const eras: readonly Era[] = ['2025', '2026'];
const folder = temporaryFolder();
const script = join(folder.path, 'server.mjs');
const clients: Client[] = [];
let bench: Workbench;
let session: Awaited<ReturnType<Workbench['session']>>;

beforeAll(async () => {
  await bundleModule(`import './feature-server.mjs';`, upstreams, script);
  const files = Object.assign({}, ...eras.map((era) => scriptPackage(`desk-${era}`, script, [era])));
  bench = await workbench(files);
  session = await bench.session({ policy: { serverRequests: ['sampling', 'roots'] } });
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

afterAll(async () => {
  await bench?.close();
  folder.remove();
});

function kept(client: Client): Client {
  clients.push(client);
  return client;
}

/** The server without a host. It supports both eras, as a client of one era cannot use a server of the other. */
function direct(era: Era, serverEra: Era): Side {
  return {
    era,
    serverEra,
    name: (own) => own,
    uri: (own) => own,
    folder: folder.path,
    client: async (capabilities = {}) => {
      const mode = era === '2025' ? 'legacy' : { pin: '2026-07-28' };
      const client = new Client(
        { name: 'test', version: '1' },
        { capabilities, versionNegotiation: { mode } },
      );
      await client.connect(new StdioClientTransport({ command: process.execPath, args: [script, 'both'] }));
      return kept(client);
    },
  };
}

function throughHost(era: Era, server: Era): Side {
  return {
    era,
    serverEra: server,
    name: (own) => `desk-${server}_${own}`,
    uri: (own) => `upstream://desk-${server}/server/${own}`,
    folder: bench.root,
    client: async (capabilities = {}) =>
      kept(await officialClient(frontFor({ host: bench.host, session }), era, { capabilities })),
  };
}

/** Without what the host adds on purpose: names of packages, and metadata of its own. */
function comparable(value: unknown): Json {
  const text = JSON.stringify(value ?? null)
    .replaceAll(/upstream:\/\/desk-\d+\/server\//g, '')
    .replaceAll(/ui:\/\/desk-\d+\/server\//g, 'ui://')
    .replaceAll(/desk-\d+_/g, '');
  return withoutHostMeta(JSON.parse(text) as Json);
}

function withoutHostMeta(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutHostMeta);
  if (!isObject(value)) return value;
  const members = Object.entries(value).flatMap(([key, it]) => {
    if (/^(?:toolwharf|io\.modelcontextprotocol)\//.test(key)) return [];
    // The host copies the trace context of a request into its result.
    if (key === 'traceparent') return [];
    // How long a client may cache something is the host's own decision.
    if (key === 'ttlMs' || key === 'cacheScope') return [];
    const inner = withoutHostMeta(it);
    return key === '_meta' && Object.keys(inner as object).length === 0 ? [] : [[key, inner] as const];
  });
  return Object.fromEntries(members);
}

const pairs = eras.flatMap((client) => eras.map((server) => ({ client, server })));

describe.each(pairs)('a client of $client and a server of $server', ({ client, server }) => {
  test.each(Object.keys(features))('%s', async (name) => {
    const observe = features[name] as (side: Side) => Promise<unknown>;
    const [wanted, found] = await Promise.all(
      [direct(client, server), throughHost(client, server)].map(async (side) => {
        try {
          return comparable(await observe(side));
        } catch (error) {
          return `error: ${(error as Error).message}`;
        }
      }),
    );
    expect(JSON.stringify(wanted)).not.toContain('error: ');
    expect(found).toEqual(wanted);
  });
});
