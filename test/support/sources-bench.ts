// A content store, a sandbox and a TLS server on loopback, for tests that acquire packages.
import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '../../src/environment/file-tree.js';
import type { PackageSources } from '../../src/environment/package-need.js';
import { HostError } from '../../src/model/host-error.js';
import { openEgress } from '../../src/net/egress.js';
import { guardedClient } from '../../src/net/http-client.js';
import { bubblewrap } from '../../src/sandbox/bubblewrap/bubblewrap.js';
import type { Sandbox } from '../../src/sandbox/sandbox.js';
import { type ContentStore, contentStore } from '../../src/sources/content-store.js';
import type { SourceServices } from '../../src/sources/source.js';
import { type LoopbackTls, loopbackTls } from './loopback-tls.js';

let tls: LoopbackTls | undefined;
let sandbox: Sandbox | undefined;

export interface SourcesBench {
  readonly base: string;
  readonly store: ContentStore;
  readonly services: SourceServices;
  /** With other indexes, grants or timeouts. */
  with(changes: Partial<SourceServices>): SourceServices;
  /** `https://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly requests: string[];
  handler: RequestListener;
  /** Everything in the store and in the build folder. */
  listing(): readonly string[];
  /** From now on connections are refused. */
  stopServer(): Promise<void>;
  close(): Promise<void>;
}

export async function sourcesBench(
  indexes: (origin: string) => PackageSources = () => ({}),
): Promise<SourcesBench> {
  tls ??= loopbackTls();
  sandbox ??= bubblewrap();
  const { ca, key, cert } = tls;
  const base = mkdtempSync(join(tmpdir(), 'sources-'));
  chmodSync(base, 0o755);
  const requests: string[] = [];
  const server: Server = createServer({ key, cert }, (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.method} ${request.url}`);
    bench.handler(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const origin = `https://127.0.0.1:${port}`;
  const newName = () => randomUUID().slice(0, 8);
  const store = contentStore({ folder: join(base, 'store'), newName });
  const services: SourceServices = {
    store,
    http: guardedClient(),
    granted: [{ host: '127.0.0.1', port }],
    denied: [],
    ca,
    sandbox,
    openEgress,
    indexes: indexes(origin),
    buildFolder: join(base, 'building'),
    newName,
    node: { path: process.execPath, version: process.versions.node },
    home: '/nonexistent',
    pythons: new Map(),
  };
  const bench: SourcesBench = {
    base,
    store,
    services,
    with: (changes) => ({ ...services, ...changes }),
    origin,
    requests,
    handler: (_, response) => response.writeHead(404).end(),
    listing() {
      return ['store', 'building'].flatMap((it) =>
        existsSync(join(base, it))
          ? readdirSync(join(base, it), { recursive: true, encoding: 'utf8' }).map((name) => join(it, name))
          : [],
      );
    },
    async stopServer() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
    async close() {
      await bench.stopServer();
      await removeTree(base);
    },
  };
  return bench;
}

/** The files of a stored tree with their texts. */
export function filesIn(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const it of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (it.isFile()) {
      const path = join(it.parentPath, it.name);
      files[path.slice(folder.length + 1)] = readFileSync(path, 'utf8');
    }
  return files;
}

/** The error of work that must fail with a code. */
export async function hostErrorOf(work: Promise<unknown>): Promise<HostError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof HostError) return error;
    throw error;
  }
  throw new Error('it should have failed');
}
