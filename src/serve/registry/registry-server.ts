// A registry over HTTP: its files, a search, the read-only API of the official MCP registry, and publishing.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { JsonObject } from '../../model/json.js';
import type { FollowedListing } from '../../registry/listing/followed-listing.js';
import type { ReleaseRow } from '../../registry/listing/listing-store.js';
import type { PublisherTokens, RegistryToken } from '../../registry/server/publisher-tokens.js';
import { RequestRate, type RequestRateOptions } from '../../registry/server/request-rate.js';
import type { LaunchFacts } from '../../registry/server/server-projection.js';
import { ByteBudget } from '../../wire/byte-budget.js';
import { Turns } from '../../wire/turns.js';
import { HttpError } from '../http/http-error.js';
import { listening, urlHost } from '../http/listening.js';
import { drainRequest, readBodyJson } from '../http/request-body.js';
import { isOfficialPath, officialAnswer } from './official-api.js';
import { type PublishApiOptions, publishReply } from './publish-api.js';
import { cardPrefix, cardReply, catalogReply, discoveryReply, healthReply } from './registry-discovery.js';
import { errorReplyOf, type JsonReply, sendJson, sendKnownJson } from './registry-reply.js';
import { registryFilePath, sendFile } from './static-file.js';

export interface RegistryServerLimits {
  readonly reads: RequestRateOptions;
  readonly writes: RequestRateOptions;
  /** Of a JSON body. */
  readonly bodyBytes: number;
  readonly connections: number;
  readonly headersMs: number;
  /** For a whole request, also an upload. */
  readonly requestMs: number;
  readonly idleMs: number;
  readonly graceMs: number;
}

export const defaultRegistryServerLimits: RegistryServerLimits = {
  reads: { perMinute: 1200, burst: 600 },
  writes: { perMinute: 120, burst: 60 },
  bodyBytes: 16 * 1024 * 1024,
  connections: 1024,
  headersMs: 10_000,
  requestMs: 15 * 60_000,
  idleMs: 30_000,
  graceMs: 5_000,
};

export interface RegistryServerOptions {
  readonly folder: string;
  readonly address?: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** Where others reach this server. Default: its own URL. */
  readonly publicUrl?: string | undefined;
  readonly listing: FollowedListing;
  readonly tokens: PublisherTokens;
  /** Undefined: nothing can be published over HTTP. */
  readonly publishing: Omit<PublishApiOptions, 'readBody'> | undefined;
  readonly launchFacts: (row: ReleaseRow) => Promise<LaunchFacts>;
  /** Whether reading needs a token. */
  readonly isPrivate: boolean;
  readonly limits?: Partial<RegistryServerLimits> | undefined;
  readonly onBug: (error: unknown) => void;
}

export interface RegistryServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const maxQuestion = 400;
const searchLimits = { default: 20, most: 100 };

export async function openRegistryServer(options: RegistryServerOptions): Promise<RegistryServer> {
  const limits = { ...defaultRegistryServerLimits, ...options.limits };
  const now = () => performance.now();
  const context: ServerContext = {
    ...options,
    limits,
    reads: new RequestRate(limits.reads, now),
    writes: new RequestRate(limits.writes, now),
    budget: new ByteBudget({ perOwner: 4 * limits.bodyBytes, total: 8 * limits.bodyBytes }),
    turns: new Turns(),
    origin: () => options.publicUrl ?? url,
  };
  const sockets = new Set<Socket>();
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      maxHeaderSize: 16 * 1024,
    },
    async (request, response) => {
      try {
        await answer(request, response, context);
      } catch (error) {
        if (response.headersSent) response.destroy();
        else sendJson(request, response, errorReplyOf(error, isOfficialPath(pathOf(request)), options.onBug));
        drainRequest(request);
      }
    },
  );
  server.maxConnections = limits.connections;
  server.on('connection', (socket) => {
    sockets.add(socket);
    // A client that neither sends nor reads is disconnected.
    socket.setTimeout(limits.idleMs, () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  await listening(server, {
    ...(options.address === undefined ? {} : { address: options.address }),
    port: options.port,
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://${urlHost(options.address)}:${port}`;
  return {
    url,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const late = setTimeout(() => {
        for (const it of sockets) it.destroy();
      }, limits.graceMs);
      await closed;
      clearTimeout(late);
    },
  };
}

interface ServerContext extends RegistryServerOptions {
  readonly limits: RegistryServerLimits;
  readonly reads: RequestRate;
  readonly writes: RequestRate;
  readonly budget: ByteBudget;
  readonly turns: Turns;
  readonly origin: () => string;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const method = request.method ?? '';
  const path = pathOf(request);
  const isRead = method === 'GET' || method === 'HEAD';
  if (method === 'OPTIONS') return preflight(request, response);
  if (isRead && path === '/health') return sendJson(request, response, await healthReply(context));
  const token = tokenOf(request, context);
  const caller = token === undefined ? (request.socket.remoteAddress ?? '') : `token ${token.id}`;
  assertWithin(isRead ? context.reads : context.writes, caller);
  if (!isRead) return sendJson(request, response, await writeReply(path, request, token, context));
  if (path === '/.well-known/toolwharf-registry.json')
    return sendJson(request, response, await discoveryReply(context));
  if (context.isPrivate && token === undefined) throw unauthorized('reading this registry needs a token');
  const file = registryFilePath(path);
  if (file !== undefined) return sendFile(request, response, { ...context, path: file });
  await context.listing.refresh();
  sendKnownJson(request, response, await readReply(path, request, context), context.isPrivate);
}

async function readReply(path: string, request: IncomingMessage, context: ServerContext): Promise<JsonReply> {
  const { listing, launchFacts } = context;
  const query = queryOf(request);
  if (isOfficialPath(path))
    return { status: 200, body: await officialAnswer(path, query, { store: listing.store, launchFacts }) };
  if (path === '/api/v1/search') return { status: 200, body: await searchAnswer(query, context) };
  if (path === '/.well-known/mcp/catalog.json') return catalogReply(context);
  if (path.startsWith(cardPrefix)) return cardReply(path, context);
  throw new HttpError(404, 'not_found', `this registry has nothing at ${path}`);
}

async function writeReply(
  path: string,
  request: IncomingMessage,
  token: RegistryToken | undefined,
  context: ServerContext,
): Promise<JsonReply> {
  const { publishing, budget, turns, limits } = context;
  if (publishing === undefined)
    throw new HttpError(405, 'not_supported', 'nothing can be published at this server', {
      hint: 'its operator publishes in the folder of the registry',
    });
  if (token === undefined) throw unauthorized('publishing needs a token');
  const share = budget.open(token.id);
  try {
    const readBody = (it: IncomingMessage) => readBodyJson(it, { maxBytes: limits.bodyBytes, share, turns });
    const reply = await publishReply(path, request, token, { ...publishing, readBody });
    if (reply !== undefined) {
      // What was published is found by the next search.
      if (path === '/api/v1/publish') await context.listing.refresh({ now: true });
      return reply;
    }
    throw new HttpError(404, 'not_found', `nothing can be sent to ${path}`);
  } finally {
    share.close();
  }
}

async function searchAnswer(query: URLSearchParams, { listing }: ServerContext): Promise<JsonObject> {
  const words = query.get('q') ?? '';
  if (words.length > maxQuestion)
    throw new HttpError(400, 'usage', `a search has up to ${maxQuestion} characters`);
  const limit = Number(query.get('limit') ?? searchLimits.default);
  if (!Number.isInteger(limit) || limit < 1)
    throw new HttpError(400, 'usage', 'limit must be a whole number from 1');
  const found = await listing.store.search(words, Math.min(limit, searchLimits.most));
  return {
    schema: 'toolwharf/registry-search@1',
    packages: found.map(({ summary, latest }) => ({
      name: summary.name,
      version: latest,
      title: summary.title,
      description: summary.description,
      format: summary.format,
      tags: summary.tags,
      tools: summary.tools,
    })),
  };
}

function preflight(request: IncomingMessage, response: ServerResponse): void {
  sendJson(request, response, {
    status: 200,
    body: {},
    headers: {
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'authorization, content-type, range, if-none-match',
      'access-control-max-age': '600',
    },
  });
}

function tokenOf(request: IncomingMessage, { tokens }: ServerContext): RegistryToken | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  const token = /^Bearer ([\w-]{1,200})$/i.exec(authorization)?.[1];
  const found = token === undefined ? undefined : tokens.find(token);
  if (found === undefined) throw unauthorized('the token is unknown, revoked or expired');
  return found;
}

function unauthorized(message: string): HttpError {
  return new HttpError(401, 'auth_required', message, {
    hint: 'ask the operator of the registry for a token',
  });
}

function assertWithin(limit: RequestRate, caller: string): void {
  const seconds = limit.take(caller);
  if (seconds > 0)
    throw new HttpError(429, 'rate_limited', 'too many requests', {
      hint: `try again in ${seconds} s`,
      headers: { 'retry-after': String(seconds) },
    });
}

function pathOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** What a client sends is not always a URL, so only the part that is needed is read. */
function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
}
