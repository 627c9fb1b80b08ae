import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Host, SessionOptions } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import type { Stop } from '../../model/signal.js';
import { type Expose, frontParts } from '../mcp/front.js';
import { drain, hasBody, readJson } from './body.js';
import { Callers, type StartToken } from './callers.js';
import { checkDoor, type DoorOptions, originOf } from './door.js';
import { defaultLimits, type HttpLimits } from './limits.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { McpSessions } from './mcp-sessions.js';
import { type Gauge, Metrics } from './metrics.js';
import type { Provider } from './oidc/provider.js';
import { Refusal } from './refusal.js';
import { errorReply, send } from './reply.js';
import { type Exchange, membersOf, RouteTable } from './route.js';
import { routesOf } from './routes.js';
import { Visits } from './visits.js';

export interface HttpOptions {
  /** 127.0.0.1 unless told. */
  readonly address?: string;
  /** 0 takes any that is free. */
  readonly port: number;
  /** Names under which a proxy of the operator's reaches us. */
  readonly names?: readonly string[];
  readonly startTokens: readonly StartToken[];
  /** Who else may say that somebody is known. */
  readonly provider?: Provider | undefined;
  /** What each caller's session is opened with. */
  readonly session: Omit<SessionOptions, 'principal'>;
  readonly expose?: Expose;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  /** Counts calls of all surfaces when the host tells it of them. */
  readonly metrics?: Metrics;
  readonly limits?: Partial<HttpLimits>;
}

export interface HttpServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Takes nobody in any more; calls under way get a moment, then they are ended. */
  close(): Promise<void>;
}

/** Serves MCP and the API over HTTP. */
export async function openHttp(host: Host, options: HttpOptions): Promise<HttpServer> {
  const limits = { ...defaultLimits, ...options.limits };
  const { now, onBug, version, session, startTokens, provider, metrics = new Metrics() } = options;
  const callers = new Callers(host, { session, startTokens, provider, limits, now });
  const sessions = new McpSessions({ limits, now });
  const endpoint = new McpEndpoint({
    approvals: host.approvals,
    parts: frontParts({ version, now, onBug }),
    expose: options.expose ?? 'auto',
    limits,
    sessions,
  });
  const connections = new Set<Socket>();
  const visits = new Visits();
  let closed = false;
  const gauges = (): readonly Gauge[] => [
    { name: 'toolwharf_http_connections', text: 'Open connections.', value: connections.size },
    { name: 'toolwharf_http_requests_running', text: 'Requests under way.', value: visits.size },
    { name: 'toolwharf_mcp_sessions', text: 'MCP sessions that are kept.', value: sessions.size },
    {
      name: 'process_resident_memory_bytes',
      text: 'Memory of the host itself.',
      value: process.memoryUsage.rss(),
    },
  ];
  const table = routesOf({
    ...{ host, endpoint, sessions, metrics, gauges, version, provider, now },
    directories: session.directories,
  });
  const routes = new RouteTable(table);
  const door: { port: number; names: readonly string[] } = {
    port: options.port,
    names: (options.names ?? []).map((it) => it.toLowerCase()),
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const visit = visits.begin();
    response.once('close', () => {
      metrics.requested(response.statusCode);
      // A response that was sent whole needs nobody to be told.
      if (!response.writableFinished) visit.abort();
    });
    try {
      await dispatch({ request, response, routes, door, callers, limits, closed, visit });
    } catch (error) {
      // Whoever left is told nothing.
      const left = error instanceof HostError && error.code === 'canceled' && request.destroyed;
      if (!left) send(response, errorReply(error, onBug), limits.readMs);
      if (response.headersSent && !response.writableEnded) response.socket?.destroy();
      drain(request);
    } finally {
      visits.over(visit);
    }
  };
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      requireHostHeader: false,
    },
    serve,
  );
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await listening(server, options);
  const { port } = server.address() as AddressInfo;
  door.port = port;
  const sweeping = setInterval(() => {
    sessions.sweep();
    callers.sweep().catch(onBug);
  }, limits.sweepMs);
  sweeping.unref();
  return {
    url: `http://${hostOf(options.address ?? loopback)}:${port}`,
    port,
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(sweeping);
      const gone = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      endpoint.hush();
      await Promise.race([visits.emptied(), sleep(limits.graceMs)]);
      visits.end();
      sessions.close();
      await endpoint.close();
      await Promise.race([visits.emptied(), sleep(1000)]);
      for (const socket of connections) socket.destroy();
      await gone;
      await callers.close();
    },
  };
}

interface Visit {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly routes: RouteTable;
  readonly door: DoorOptions;
  readonly callers: Callers;
  readonly limits: HttpLimits;
  readonly closed: boolean;
  /** Given up when the visitor leaves, its token is revoked, or the server ends. */
  readonly visit: Stop;
}

/** Door, token, route, role, body; in this order, so that a stranger learns nothing. */
async function dispatch(given: Visit): Promise<void> {
  const { request, response, routes, callers, limits, door, visit } = given;
  // Node begins what a client sends ahead, keeps its answer for as long as the one before it takes, and tells it of no end.
  if (response.socket === null)
    throw new Refusal(400, 'usage', 'the request came before the last one on this connection was answered', {
      hint: 'wait for the answer, or use another connection',
      headers: { connection: 'close' },
    });
  checkDoor(request, door);
  if (given.closed)
    throw new Refusal(503, 'host_unreachable', 'the host is ending', { headers: { connection: 'close' } });
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const method = request.method ?? '';
  const open = routes.open(method, path);
  if (open !== undefined) {
    send(response, open.open(originOf(request, door)), limits.readMs);
    return;
  }
  const caller = await callers.identify(request, door);
  const leave = callers.enter(caller, request.socket, visit);
  try {
    const { route, parts } = routes.find(method, path);
    if (route.role === 'operator' && caller.role !== 'operator')
      throw new Refusal(403, 'denied', 'this is for operators', {
        hint: 'use the token that "toolwharf serve" prints, or one of "toolwharf token create NAME --role operator"',
      });
    // Whoever left while its token was looked up may not be heard leaving any more.
    if (response.closed || request.socket.destroyed) visit.abort();
    const query = mark === -1 ? noQuery : new URLSearchParams(url.slice(mark + 1));
    const { headers } = request;
    const exchange: Exchange = { caller, parts, query, headers, body: undefined, signal: visit };
    if ('stream' in route) {
      await route.stream(exchange, request, response);
    } else if ('answer' in route) {
      const body = hasBody(request) ? await readJson(request, limits.bodyBytes) : undefined;
      if (body !== undefined && route.body === undefined) membersOf(body, []);
      send(response, await route.answer({ ...exchange, body }), limits.readMs);
    }
  } finally {
    leave();
  }
}

const loopback = '127.0.0.1';
const noQuery = new URLSearchParams();

function listening(server: Server, { address = loopback, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'it is taken' : String(error.code);
      reject(
        new HostError('usage', `cannot listen on port ${port} of ${address}: ${why}`, {
          cause: error,
          hint: 'name another with --port, 0 for any that is free',
        }),
      );
    });
    server.listen({ port, host: address, exclusive: true }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

/** An address as a URL spells it; one that stands for all of them is reached by this machine itself. */
function hostOf(address: string): string {
  if (address === '0.0.0.0') return loopback;
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
