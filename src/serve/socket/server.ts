import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { assertPrivateFolder } from '../../files/private-folder.js';
import type { Host, Session, SessionOptions } from '../../host/host.js';
import { asHostError, HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { requestLimits, tryParseBounded } from '../../model/json-bounds.js';
import { readFirstLine } from '../../wire/lines.js';
import { reviewLines } from '../mcp/review-note.js';
import { createMcpServer } from '../mcp/server.js';
import { createMcpServerParts, type McpServerParts } from '../mcp/server-options.js';
import { inactiveNotes } from '../print/waivers.js';
import { type Hello, helloLimit, type Welcome } from './hello.js';
import { serveHostRequests, socketOperator } from './host-protocol.js';
import { identifyMcpClient, type McpClientIdentity, unknownClientKey } from './mcp-client.js';

export interface SocketServer {
  /** Accepts no more connections and waits until the open ones are closed. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface SocketServerOptions {
  readonly path: string;
  readonly version: string;
  /** The state directory, for commands that people copy. */
  readonly state: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Time without a connection after which `onIdle` is called. Undefined: never. */
  readonly idleMs?: number | undefined;
  readonly onIdle?: () => void;
  readonly onBug: (error: unknown) => void;
}

const helloTimeoutMs = 10_000;

/** Accepts connections of this user: MCP clients through the shim, and our own commands. */
export async function openSocketServer(host: Host, options: SocketServerOptions): Promise<SocketServer> {
  const connections = new Set<Socket>();
  const { version, state, now, onBug } = options;
  const parts = createMcpServerParts({ version, state, now, onBug });
  let idle: NodeJS.Timeout | undefined;
  const restartIdleTimer = () => {
    clearTimeout(idle);
    if (connections.size === 0 && options.idleMs !== undefined)
      idle = setTimeout(() => options.onIdle?.(), options.idleMs);
  };
  const server = createServer((socket) => {
    connections.add(socket);
    restartIdleTimer();
    socket.on('error', () => {});
    socket.once('close', () => {
      connections.delete(socket);
      restartIdleTimer();
    });
    admit(host, socket, options, parts).catch((error) => {
      options.onBug(error);
      socket.destroy();
    });
  });
  mkdirSync(dirname(options.path), { recursive: true, mode: 0o700 });
  assertPrivateFolder(dirname(options.path));
  // The caller holds the state lock, so an existing socket is stale.
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
  restartIdleTimer();
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
  parts: McpServerParts,
): Promise<void> {
  const answer = (welcome: Welcome) => socket.write(`${JSON.stringify(welcome)}\n`);
  const timer = setTimeout(() => socket.destroy(), helloTimeoutMs);
  const connectionId = randomUUID();
  let hello: Hello;
  let session: Session;
  let mcpClient: McpClientIdentity | undefined;
  let notes: readonly string[] = [];
  try {
    const { clientKey, ...sent } = readHello(await readFirstLine(socket, helloLimit), options.version);
    hello = sent;
    if (hello.protocol === 'mcp')
      mcpClient = await admitMcpClient(host, socket, hello.principal, clientKey, connectionId);
    const wanted = mcpClient === undefined ? hello : sessionOf(hello, mcpClient);
    session = await host.session(
      hello.operator === undefined ? wanted : { ...wanted, operator: socketOperator(hello.operator) },
    );
    if (hello.protocol === 'mcp') notes = await notesFor(session, options.state);
  } catch (error) {
    const { code, message, hint } = asHostError(error);
    // A client that disconnected before the hello line is not a bug.
    const isDisconnected = socket.destroyed || socket.readableEnded;
    if (!(error instanceof HostError) && !isDisconnected) options.onBug(error);
    answer({ toolwharf: 'rejected', error: { code, message, ...(hint === undefined ? {} : { hint }) } });
    socket.end();
    return;
  } finally {
    clearTimeout(timer);
  }
  answer({ toolwharf: 'welcome', version: options.version, ...(notes.length === 0 ? {} : { notes }) });
  const connection = {
    input: socket,
    write: (line: string) => socket.write(line),
    onDrain: (resume: () => void) => void socket.on('drain', resume),
    close: () => void socket.end(),
  };
  if (mcpClient !== undefined) {
    const { principal, approver } = mcpClient;
    const { approvals } = host;
    const { expose = 'auto' } = hello;
    const identity = { principal, approver, holder: connectionId };
    const mcp = createMcpServer({ ...parts, ...identity, session, approvals, expose });
    await mcp.lines(connection);
    mcp.close();
    await session.close();
  } else {
    const { principal } = hello;
    serveHostRequests(host, session, connection, {
      budget: parts.lineBudget,
      principal,
      onBug: options.onBug,
    });
  }
}

/** Lines for the person who starts an MCP client: what needs review, and which settings have no effect. */
async function notesFor(session: Session, state: string): Promise<readonly string[]> {
  const { packages } = await session.packages();
  return [
    ...reviewLines(packages, state).map((it) => `needs review: ${it}`),
    ...inactiveNotes(await session.waivers()),
  ];
}

/** Identifies an MCP client. Its connection ends when its key is revoked. */
async function admitMcpClient(
  host: Host,
  socket: Socket,
  principal: string,
  clientKey: string | undefined,
  connectionId: string,
): Promise<McpClientIdentity> {
  const revokedBefore = new Set<string>();
  let key: string | null | undefined;
  const stop = host.tokens.onRevoke((id) => {
    if (key === undefined) revokedBefore.add(id);
    else if (id === key) socket.destroy();
  });
  socket.once('close', stop);
  const identity = await identifyMcpClient(host.tokens, { principal, clientKey, connectionId });
  key = identity.key;
  if (key !== null && revokedBefore.has(key)) throw unknownClientKey();
  return identity;
}

function sessionOf({ client: _, ...hello }: Hello, { principal, client }: McpClientIdentity): SessionOptions {
  return { ...hello, principal, ...(client === undefined ? {} : { client }) };
}

function isAcceptance(value: Json | undefined): boolean {
  return (
    isObject(value) &&
    Array.isArray(value.in) &&
    value.in.every((it) => typeof it === 'string') &&
    (typeof value.by === 'string' || isObject(value.by))
  );
}

function readHello(line: string, version: string): Hello {
  const value = tryParseBounded(line, requestLimits);
  const texts = (it: Json | undefined): it is readonly string[] =>
    Array.isArray(it) && it.every((text) => typeof text === 'string');
  if (!isObject(value) || value.toolwharf !== 'hello' || typeof value.version !== 'string')
    throw new HostError('usage', 'the first line is not a valid hello');
  // Checked first, because the hello of another version may be different.
  if (value.version !== version) {
    throw new HostError(
      'host_version',
      `the running host is version ${version}, this program is ${value.version}`,
      {
        hint: `stop the host (process ${process.pid}); the next command starts the new version`,
      },
    );
  }
  const isValid =
    (value.protocol === 'mcp' || value.protocol === 'host') &&
    typeof value.principal === 'string' &&
    ['undefined', 'string'].includes(typeof value.clientKey) &&
    ['undefined', 'string'].includes(typeof value.client) &&
    [undefined, 'all', 'search', 'auto'].includes(value.expose as string | undefined) &&
    typeof value.root === 'string' &&
    texts(value.directories) &&
    ['look', 'review', 'use'].includes(value.intent as string) &&
    (value.accept === null || isAcceptance(value.accept)) &&
    // A repository that somebody cloned can make a client start this, so it must not accept anything.
    (value.protocol === 'host' || (value.accept === null && value.intent === 'use')) &&
    texts(value.allow) &&
    isObject(value.environment) &&
    texts(Object.values(value.environment)) &&
    isObject(value.policy);
  if (!isValid) throw new HostError('usage', 'the first line is not a valid hello');
  const hello = value as unknown as Hello;
  const { accept } = hello;
  return accept === null ? hello : { ...hello, accept: { in: accept.in, by: socketOperator(accept.by) } };
}
