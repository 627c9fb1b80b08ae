import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Host, ServedSessionOptions } from '../../host/host.js';
import type { Cancellation } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { ByteBudget } from '../../wire/byte-budget.js';
import { Turns } from '../../wire/turns.js';
import { createMcpServerParts, type ExposeMode } from '../mcp/server-options.js';
import { ActiveRequests } from './active-requests.js';
import { ApprovalPage } from './approval-page/approval-page.js';
import { Callers, type StartToken } from './callers.js';
import { ConnectionOrder } from './connection-order.js';
import type { ExemptionFile } from './console/console-exemptions.js';
import { ConsoleFiles } from './console/console-files.js';
import { ConsoleSite } from './console/console-site.js';
import { HttpError } from './http-error.js';
import { errorReply, sendReply } from './http-reply.js';
import { listening, urlHost } from './listening.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { McpSessions } from './mcp-sessions.js';
import { type Gauge, Metrics } from './metrics.js';
import type { IdentityProvider } from './oidc/identity-provider.js';
import { checkHost, checkOrigin, ownOrigin, type ServerNames } from './origin-check.js';
import { ProgressEvents, wantsProgress } from './progress-events.js';
import { drainRequest, hasBody, readBodyJson } from './request-body.js';
import { assertNoBody, type Exchange, RouteTable } from './route.js';
import { routesOf } from './routes.js';
import { defaultHttpServerLimits, type HttpServerLimits } from './server-limits.js';

export interface HttpServerOptions {
  /** Default: 127.0.0.1. */
  readonly address?: string;
  /** 0: any free port. */
  readonly port: number;
  /** Host names that a proxy in front of this server uses. */
  readonly names?: readonly string[];
  /** The origin under which people reach this server, through a proxy. Default: its own URL. */
  readonly publicUrl?: string | undefined;
  readonly startTokens: readonly StartToken[];
  /** Accepts tokens of an external identity provider as well. */
  readonly provider?: IdentityProvider | undefined;
  /** Options of each caller's session. */
  readonly session: Omit<ServedSessionOptions, 'principal'>;
  readonly expose?: ExposeMode;
  /** Folder with the built files of the console. Absent: no console. */
  readonly console?: string | undefined;
  /** Where the console writes exemptions from the scanner. */
  readonly exemptions?: ExemptionFile | undefined;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  /** Pass it to count the calls of all interfaces, not only those over HTTP. */
  readonly metrics?: Metrics;
  readonly limits?: Partial<HttpServerLimits>;
}

export interface HttpServer {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting requests. Running calls get `graceMs`, then they are aborted. */
  close(): Promise<void>;
}

/** Serves MCP and the API over HTTP. */
export async function openHttpServer(host: Host, options: HttpServerOptions): Promise<HttpServer> {
  const limits = { ...defaultHttpServerLimits, ...options.limits };
  const { now, onBug, version, session, startTokens, provider, metrics = new Metrics() } = options;
  const callers = new Callers(host, { session, startTokens, provider, limits, now });
  const sessions = new McpSessions({ limits, now });
  const endpoint = new McpEndpoint({
    approvals: host.approvals,
    tasks: host.tasks,
    parts: createMcpServerParts({ version, state: null, now, onBug }),
    expose: options.expose ?? 'auto',
    installRequests: options.session.policy?.installRequests,
    limits,
    sessions,
  });
  const connections = new Set<Socket>();
  const activeRequests = new ActiveRequests();
  const budget = new ByteBudget({ perOwner: limits.openBytesPerToken, total: limits.openBytes });
  const turns = new Turns();
  const order = new ConnectionOrder();
  let closed = false;
  const gauges = (): readonly Gauge[] => [
    { name: 'toolwharf_http_connections', help: 'Open connections.', value: connections.size },
    { name: 'toolwharf_http_requests_running', help: 'Requests in progress.', value: activeRequests.size },
    { name: 'toolwharf_http_body_bytes', help: 'Bytes of requests in progress.', value: budget.used },
    { name: 'toolwharf_mcp_sessions', help: 'Open MCP sessions.', value: sessions.size },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory of the host process.',
      value: process.memoryUsage.rss(),
    },
  ];
  const table = routesOf({
    ...{ host, endpoint, sessions, metrics, gauges, version, provider, now },
    directories: session.directories,
  });
  const routes = new RouteTable(table);
  const { publicUrl } = options;
  const serverNames = {
    port: options.port,
    names: [...(options.names ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).host])].map(
      (it) => it.toLowerCase(),
    ),
    publicUrl,
  };
  const page = new ApprovalPage(host, { now, readMs: limits.readMs });
  const files = options.console === undefined ? undefined : ConsoleFiles.read(options.console);
  const site =
    files &&
    new ConsoleSite(host, {
      ...{ files, session, version, now, onBug, limits },
      exemptions: options.exemptions,
    });

  const context: DispatchContext = {
    ...{ routes, serverNames, callers, limits, budget, turns, order, page, site, now, onBug },
    isClosed: () => closed,
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const cancellation = activeRequests.begin();
    response.once('close', () => {
      metrics.countRequest(response.statusCode);
      // After a complete response there is nothing to cancel.
      if (!response.writableFinished) cancellation.abort();
    });
    try {
      await dispatch(context, { request, response, cancellation });
    } catch (error) {
      // A client that has disconnected gets no answer.
      const isGone = error instanceof HostError && error.code === 'canceled' && request.destroyed;
      if (!isGone) sendReply(response, errorReply(error, onBug), limits.readMs);
      if (response.headersSent && !response.writableEnded) response.socket?.destroy();
      drainRequest(request);
    } finally {
      activeRequests.finish(cancellation);
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
  serverNames.port = port;
  const url = `http://${urlHost(options.address)}:${port}`;
  const endLinks = host.approvals.links.serveAt(publicUrl ?? url);
  const endSite = site && host.consoleAccess.serveWith(async () => publicUrl ?? url);
  callers.resume().catch(onBug);
  const sweeping = setInterval(() => {
    sessions.sweep();
    callers.sweep().catch(onBug);
  }, limits.sweepMs);
  sweeping.unref();
  return {
    url,
    port,
    async close() {
      if (closed) return;
      closed = true;
      endLinks();
      endSite?.();
      clearInterval(sweeping);
      const stopped = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      endpoint.endStreams();
      await site?.close();
      await Promise.race([activeRequests.whenIdle(), sleep(limits.graceMs)]);
      activeRequests.abortAll();
      sessions.close();
      await endpoint.close();
      await Promise.race([activeRequests.whenIdle(), sleep(1000)]);
      for (const socket of connections) socket.destroy();
      await stopped;
      await callers.close();
    },
  };
}

interface DispatchContext {
  readonly routes: RouteTable;
  readonly serverNames: ServerNames;
  readonly callers: Callers;
  readonly limits: HttpServerLimits;
  readonly isClosed: () => boolean;
  readonly budget: ByteBudget;
  readonly turns: Turns;
  readonly order: ConnectionOrder;
  readonly page: ApprovalPage;
  readonly site: ConsoleSite | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

interface IncomingRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client disconnects, its token is revoked, or the server stops. */
  readonly cancellation: Cancellation;
}

/** Checks origin, token, route, role and body in this order, so that a client without a token learns nothing. */
async function dispatch(
  context: DispatchContext,
  { request, response, cancellation }: IncomingRequest,
): Promise<void> {
  const { routes, callers, limits, serverNames } = context;
  const order = context.order.enter(request, response);
  if (order !== undefined) await order;
  checkHost(request, serverNames);
  if (context.isClosed())
    throw new HttpError(503, 'host_unreachable', 'the host is shutting down', {
      headers: { connection: 'close' },
    });
  const url = request.url ?? '';
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (ApprovalPage.owns(path)) {
    await context.page.serve(request, response, ownOrigin(request, serverNames));
    return;
  }
  if (context.site !== undefined && ConsoleSite.owns(path)) {
    const origin = ownOrigin(request, serverNames);
    return context.site.serve({ request, response, origin, cancellation });
  }
  checkOrigin(request, serverNames);
  const method = request.method ?? '';
  const publicRoute = routes.findPublic(method, path);
  if (publicRoute !== undefined) {
    sendReply(response, publicRoute.respond(ownOrigin(request, serverNames)), limits.readMs);
    return;
  }
  const caller = callers.known(request) ?? (await callers.identify(request, serverNames));
  const leave = callers.enter(caller, request.socket, cancellation);
  const share = context.budget.open(caller.id);
  try {
    const { route, pathParams } = routes.find(method, path);
    if (route.role === 'operator' && caller.role !== 'operator')
      throw new HttpError(403, 'denied', 'this path requires an operator token', {
        hint: 'use the operator token that "toolwharf serve" printed, or create one: toolwharf token create NAME --role operator',
      });
    // If the client disconnected during the token check, the close event is already over.
    if (response.closed || request.socket.destroyed) cancellation.abort();
    const query = mark === -1 ? noQuery : new URLSearchParams(url.slice(mark + 1));
    const { headers } = request;
    const room = { maxBytes: limits.bodyBytes, share, turns: context.turns };
    const signal = cancellation;
    const exchange: Exchange = { caller, pathParams, query, headers, room, body: undefined, signal };
    if ('stream' in route) {
      await route.stream(exchange, request, response);
    } else if ('handle' in route) {
      const body = hasBody(request) ? await readBodyJson(request, room) : undefined;
      if (body !== undefined && route.body === undefined) assertNoBody(body);
      const complete = { ...exchange, body };
      if (route.progress !== true || !wantsProgress(headers))
        return sendReply(response, await route.handle(complete), limits.readMs);
      const events = new ProgressEvents(response, { ...limits, now: context.now });
      const reply = await route
        .handle({ ...complete, onProgress: events.send })
        .catch((error: unknown) => errorReply(error, context.onBug));
      events.finish(reply);
    }
  } finally {
    share.close();
    leave();
  }
}

const noQuery = new URLSearchParams();

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
