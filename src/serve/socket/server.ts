import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { assertPrivateFolder } from '../../files/private-folder.js';
import type { Host, Session, SessionOptions } from '../../host/host.js';
import { asHostError, HostError } from '../../model/host-error.js';
import { requestLimits, tryParseBounded } from '../../model/json-bounds.js';
import { readFirstLine } from '../../wire/lines.js';
import { reviewLines } from '../mcp/review-note.js';
import { createMcpServer } from '../mcp/server.js';
import { createMcpServerParts, type McpServerParts } from '../mcp/server-options.js';
import { inactiveNotes } from '../print/waivers.js';
import {
  type HandoverAnswer,
  type HandoverRequest,
  type HandoverRule,
  isHandoverRequest,
} from './handover.js';
import { type Hello, helloLimit, type Welcome } from './hello.js';
import { readHello } from './hello-reading.js';
import { serveHostRequests, socketOperator } from './host-protocol.js';
import { identifyMcpClient, type McpClientIdentity, unknownClientKey } from './mcp-client.js';
import { OpenConnections } from './open-connections.js';

export interface SocketServer {
  /** Keeps the host from being idle until the returned function is called. */
  hold(): () => void;
  /** Accepts no more connections and waits until the open ones are closed. */
  drain(): Promise<void>;
  /** Tells MCP clients without a running call to connect to the next host, or to start one. */
  handOver(): Promise<void>;
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
  /** What to do when another process asks for the place of this host. Default: the host stays. */
  readonly handover?: HandoverRule;
  readonly onBug: (error: unknown) => void;
}

const helloTimeoutMs = 10_000;

/** Accepts connections of this user: MCP clients through the shim, and our own commands. */
export async function openSocketServer(host: Host, options: SocketServerOptions): Promise<SocketServer> {
  const connections = new OpenConnections();
  const { version, state, now, onBug } = options;
  const parts = createMcpServerParts({ version, state, now, onBug });
  let idle: NodeJS.Timeout | undefined;
  let holds = 0;
  const restartIdleTimer = () => {
    clearTimeout(idle);
    if (connections.size === 0 && holds === 0 && options.idleMs !== undefined)
      idle = setTimeout(() => options.onIdle?.(), options.idleMs);
  };
  const stopListening = () => {
    rmSync(options.path, { force: true });
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  const answerHandover = (socket: Socket, request: HandoverRequest) => {
    connections.remove(socket);
    const rule = options.handover ?? { kind: 'foreground', describe: () => 'a program uses it' };
    const answer = handoverAnswer(host, connections, { rule, version }, request);
    socket.end(`${JSON.stringify(answer)}\n`);
    if (answer.toolwharf !== 'handing-over' || rule.kind !== 'background') return;
    clearTimeout(idle);
    void stopListening();
    void connections.handOver(request.process).then(rule.onHandover);
  };
  const server = createServer((socket) => {
    connections.add(socket);
    restartIdleTimer();
    socket.on('error', () => {});
    socket.once('close', () => {
      connections.remove(socket);
      restartIdleTimer();
    });
    admit(host, socket, options, { parts, connections, answerHandover }).catch((error) => {
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
    hold() {
      holds++;
      restartIdleTimer();
      let isHeld = true;
      return () => {
        if (isHeld) holds--;
        isHeld = false;
        restartIdleTimer();
      };
    },
    async drain() {
      await stopListening();
    },
    async handOver() {
      clearTimeout(idle);
      void stopListening();
      await connections.handOver(null);
    },
    async close() {
      clearTimeout(idle);
      const closed = stopListening();
      connections.destroyAll();
      await closed;
    },
  };
}

/** Decides at one moment, so that no call can start in between. */
function handoverAnswer(
  host: Host,
  connections: OpenConnections,
  { rule, version }: { readonly rule: HandoverRule; readonly version: string },
  request: HandoverRequest,
): HandoverAnswer {
  const own = process.pid;
  if (rule.kind === 'foreground') return { toolwharf: 'kept', process: own, reason: rule.describe() };
  const clients = connections.clients();
  if (request.version !== version && clients.length > 0)
    return {
      toolwharf: 'kept',
      process: own,
      reason: `it is version ${version} and clients of that version are connected: ${listed(clients)}`,
    };
  const busy =
    connections.busyReason() ??
    (host.activeCalls() > 0 ? `${host.activeCalls()} of its calls are running` : undefined);
  if (busy !== undefined) return { toolwharf: 'busy', process: own, reason: busy };
  return { toolwharf: 'handing-over', process: own, clients: clients.length };
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].sort().join(', ');
}

interface Admission {
  readonly parts: McpServerParts;
  readonly connections: OpenConnections;
  readonly answerHandover: (socket: Socket, request: HandoverRequest) => void;
}

async function admit(
  host: Host,
  socket: Socket,
  options: SocketServerOptions,
  { parts, connections, answerHandover }: Admission,
): Promise<void> {
  const answer = (welcome: Welcome) => socket.write(`${JSON.stringify(welcome)}\n`);
  const timer = setTimeout(() => socket.destroy(), helloTimeoutMs);
  const connectionId = randomUUID();
  let hello: Hello;
  let session: Session;
  let mcpClient: McpClientIdentity | undefined;
  let notes: readonly string[] = [];
  try {
    const first = tryParseBounded(await readFirstLine(socket, helloLimit), requestLimits);
    if (isHandoverRequest(first)) return answerHandover(socket, first);
    const { clientKey, ...sent } = readHello(first, options.version);
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
  let isDetached = false;
  const connection = {
    input: socket,
    write: (line: string) => isDetached || socket.write(line),
    onDrain: (resume: () => void) => void socket.on('drain', resume),
    close: () => void socket.end(),
  };
  if (mcpClient !== undefined) {
    const { principal, approver } = mcpClient;
    const { approvals, tasks } = host;
    const { expose = 'auto' } = hello;
    const identity = { principal, approver, holder: connectionId };
    const { installRequests } = hello.policy ?? {};
    const mcp = createMcpServer({
      ...parts,
      ...identity,
      session,
      approvals,
      tasks,
      expose,
      installRequests,
    });
    const activity = { calls: 0 };
    const detach = () => {
      isDetached = true;
      // What the client sends now is not read, and the client sends it again to the next host.
      socket.removeAllListeners('data');
      socket.resume();
    };
    connections.admit(socket, { principal, mcp: { activity, detach } });
    await mcp.lines(connection, activity);
    mcp.close();
    await session.close();
  } else {
    const { principal } = hello;
    connections.admit(socket, { principal });
    serveHostRequests(host, session, connection, {
      budget: parts.lineBudget,
      principal,
      now: options.now,
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
