import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Host, Session } from '../../host/host.js';
import { asHostError, HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { readFirstLine } from '../../wire/lines.js';
import { createFront, type FrontParts, frontParts } from '../mcp/front.js';
import { type Hello, helloLimit, type Welcome } from './hello.js';
import { serveHost } from './host-surface.js';
import { assertPrivate } from './private-folder.js';

export interface SocketServer {
  /** Lets nobody else in, and waits until those who are in have left. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface SocketServerOptions {
  readonly path: string;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds without a connection after which `onIdle` is called; undefined never. */
  readonly idleMs?: number | undefined;
  readonly onIdle?: () => void;
  readonly onBug: (error: unknown) => void;
}

const helloPatienceMs = 10_000;

/** Lets the programs of this user in: MCP clients through the shim, and our own commands. */
export async function listen(host: Host, options: SocketServerOptions): Promise<SocketServer> {
  const connections = new Set<Socket>();
  const parts = frontParts({ version: options.version, now: options.now, onBug: options.onBug });
  let idle: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(idle);
    if (connections.size === 0 && options.idleMs !== undefined)
      idle = setTimeout(() => options.onIdle?.(), options.idleMs);
  };
  const server = createServer((socket) => {
    connections.add(socket);
    watch();
    socket.on('error', () => {});
    socket.once('close', () => {
      connections.delete(socket);
      watch();
    });
    admit(host, socket, options, parts).catch((error) => {
      options.onBug(error);
      socket.destroy();
    });
  });
  mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
  assertPrivate(options.path);
  // Only the holder of the state lock comes here, so a socket that is there already is a dead one.
  rmSync(options.path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new HostError('state_unusable', `cannot listen on ${options.path}`, { cause: error })),
    );
    const before = process.umask(0o177);
    server.listen(options.path, resolve);
    process.umask(before);
  });
  chmodSync(options.path, 0o600);
  watch();
  return {
    async drain() {
      rmSync(options.path, { force: true });
      const left = new Promise<void>((resolve) => server.close(() => resolve()));
      await left;
    },
    async close() {
      clearTimeout(idle);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of connections) socket.destroy();
      await closed;
      rmSync(options.path, { force: true });
    },
  };
}

async function admit(
  host: Host,
  socket: Socket,
  options: SocketServerOptions,
  parts: FrontParts,
): Promise<void> {
  const answer = (welcome: Welcome) => socket.write(`${JSON.stringify(welcome)}\n`);
  const timer = setTimeout(() => socket.destroy(), helloPatienceMs);
  let hello: Hello;
  let session: Session;
  try {
    hello = readHello(await readFirstLine(socket, helloLimit), options.version);
    session = await host.session(hello);
  } catch (error) {
    const { code, message, hint } = asHostError(error);
    // One that went before it said anything is no mistake of anybody.
    const isGone = socket.destroyed || socket.readableEnded;
    if (!(error instanceof HostError) && !isGone) options.onBug(error);
    answer({ toolwharf: 'refused', error: { code, message, ...(hint === undefined ? {} : { hint }) } });
    socket.end();
    return;
  } finally {
    clearTimeout(timer);
  }
  answer({ toolwharf: 'welcome', version: options.version });
  const carrier = {
    input: socket,
    write: (line: string) => socket.write(line),
    onDrain: (resume: () => void) => void socket.on('drain', resume),
    close: () => void socket.end(),
  };
  if (hello.surface === 'mcp') {
    const { principal, expose = 'auto' } = hello;
    const { approvals } = host;
    const front = createFront({ ...parts, session, approvals, principal, holder: randomUUID(), expose });
    await front.lines(carrier);
    front.close();
    await session.close();
  } else serveHost(host, session, carrier, options.onBug);
}

function readHello(line: string, version: string): Hello {
  const value: Json = JSON.parse(line);
  const texts = (it: Json | undefined): it is readonly string[] =>
    Array.isArray(it) && it.every((text) => typeof text === 'string');
  if (!isObject(value) || value.toolwharf !== 'hello' || typeof value.version !== 'string')
    throw new HostError('usage', 'the first line is not a greeting');
  // Before anything else: another version may greet in another way.
  if (value.version !== version) {
    throw new HostError(
      'host_version',
      `the running host is version ${version}, this program is ${value.version}`,
      {
        hint: `end the host (process ${process.pid}); the next command starts the right one`,
      },
    );
  }
  const sound =
    (value.surface === 'mcp' || value.surface === 'host') &&
    typeof value.principal === 'string' &&
    [undefined, 'all', 'search', 'auto'].includes(value.expose as string | undefined) &&
    typeof value.root === 'string' &&
    texts(value.directories) &&
    (value.named === undefined || texts(value.named)) &&
    [undefined, true, false].includes(value.looking as boolean | undefined) &&
    texts(value.allow) &&
    isObject(value.environment) &&
    texts(Object.values(value.environment)) &&
    isObject(value.policy);
  if (!sound) throw new HostError('usage', 'the first line is not a greeting');
  return value as unknown as Hello;
}
