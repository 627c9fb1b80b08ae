import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tasks } from '../../host/host.js';
import { Cancellation } from '../../model/cancel-signal.js';
import { isObject, type Json } from '../../model/json.js';
import { sessionNameKey } from '../../model/reserved-meta.js';
import type { ApprovalDecider } from '../mcp/approval-question.js';
import {
  type ParsedMessage,
  parseMessages,
  type RpcReply,
  type RpcRequest,
  rpcErrorReply,
} from '../mcp/json-rpc.js';
import { createMcpServer, type McpServer, type Session2025 } from '../mcp/server.js';
import type { ExposeMode, McpServerParts } from '../mcp/server-options.js';
import type { HttpCaller } from './callers.js';
import { EventStream } from './event-stream.js';
import { HttpError } from './http-error.js';
import { sendReply } from './http-reply.js';
import { headerMismatch, httpStatusOf, messageEra } from './mcp-headers.js';
import { paramHeaderProblem } from './mcp-param-headers.js';
import { acceptedTypes, McpResponse } from './mcp-response.js';
import type { McpSession, McpSessions } from './mcp-sessions.js';
import { readBodyText } from './request-body.js';
import type { Exchange } from './route.js';
import type { HttpServerLimits } from './server-limits.js';

export interface McpEndpointOptions {
  readonly approvals: ApprovalDecider;
  readonly tasks: Tasks;
  readonly parts: McpServerParts;
  readonly expose: ExposeMode;
  readonly installRequests: boolean | undefined;
  readonly limits: HttpServerLimits;
  readonly sessions: McpSessions;
}

const sessionHeader = 'mcp-session-id';

/** MCP over HTTP. Both protocol eras share one path. */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #servers = new Map<HttpCaller, Promise<McpServer>>();
  /** Open `subscriptions/listen` requests. */
  readonly #subscriptions = new Set<Cancellation>();

  constructor(options: McpEndpointOptions) {
    this.#options = options;
  }

  /** Handles one message, or a batch if the session's protocol revision has batches. */
  async post(exchange: Exchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { caller, room } = exchange;
    const { limits } = this.#options;
    const accepted = acceptedTypes(request);
    const text = await readBodyText(request, room);
    const secret = request.headers[sessionHeader];
    const session = typeof secret === 'string' ? this.#options.sessions.find(caller, secret) : undefined;
    const { batch, messages } = parseMessages(text, session?.session.batches ?? false);
    const mcpResponse = new McpResponse(response, accepted, limits);
    const [first] = messages;
    if (first !== undefined && 'error' in first && !batch) {
      mcpResponse.finish(400, [first.error.text], false);
      return;
    }
    if (!batch && first !== undefined && 'message' in first) {
      const era = messageEra(first.message, request.headers);
      if ('rejected' in era) {
        mcpResponse.finish(400, [era.rejected.text], false);
        return;
      }
      if (era.era === '2026') {
        // This era has no client notification that the server acts on.
        if ('notification' in era) mcpResponse.finishEmpty();
        else await this.#serve2026(era.request, exchange, request, mcpResponse, accepted.stream);
        return;
      }
    }
    if (secret !== undefined && session === undefined) {
      mcpResponse.finish(404, [rpcErrorReply(idOf(first), -32600, 'unknown session').text], false);
      return;
    }
    const opens = first !== undefined && 'message' in first && isInitialize(first.message);
    if (opens && session !== undefined) {
      mcpResponse.finish(
        400,
        [rpcErrorReply(idOf(first), -32600, 'the session is already initialized').text],
        false,
      );
    } else if (opens) {
      await this.#begin(first.message as RpcRequest, exchange, mcpResponse);
    } else {
      await this.#serve2025(messages, batch, session, exchange, mcpResponse);
    }
  }

  /**
   * Opens the stream for messages that belong to no request, or continues the stream of the event that the client names. A
   * new connection replaces the old one.
   */
  async listen(
    { caller, signal }: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const session = this.#session(caller, request);
    if (!acceptedTypes(request).stream)
      throw new HttpError(406, 'usage', 'the Accept header must allow text/event-stream');
    if (signal.aborted) return;
    const lastEventId = request.headers['last-event-id'];
    const connection = session.streams.connect(
      () => new EventStream(response, this.#options.limits),
      typeof lastEventId === 'string' ? lastEventId : undefined,
    );
    if (connection === undefined)
      throw new HttpError(400, 'usage', 'this stream cannot be continued: it is over, or too old');
    await new Promise<void>((resolve) => {
      connection.onClose(resolve);
      signal.addEventListener('abort', () => connection.end(), { once: true });
    });
    session.usedAt = performance.now();
  }

  async end({ caller }: Exchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#options.sessions.end(this.#session(caller, request));
    sendReply(response, { status: 204 }, this.#options.limits.readMs);
  }

  /** Ends all streams that would stay open forever. */
  endStreams(): void {
    for (const it of this.#options.sessions.all()) it.streams.general?.close();
    for (const it of this.#subscriptions) it.abort();
  }

  async close(): Promise<void> {
    for (const server of this.#servers.values()) (await server.catch(() => undefined))?.close();
    this.#servers.clear();
  }

  async #serve2026(
    request: RpcRequest,
    { caller, signal }: Exchange,
    { headers }: IncomingMessage,
    mcpResponse: McpResponse,
    streams: boolean,
  ): Promise<void> {
    if (request.method === 'subscriptions/listen' && !streams)
      throw new HttpError(406, 'usage', 'the Accept header must allow text/event-stream');
    const server = await this.#server(caller);
    const { name, arguments: args } = request.params;
    if (request.method === 'tools/call' && typeof name === 'string') {
      const problem = paramHeaderProblem(await server.inputSchemaOf(name), args, headers);
      if (problem !== undefined) {
        mcpResponse.finish(400, [rpcErrorReply(request.id, headerMismatch, problem).text], false);
        return;
      }
    }
    const cancellation = new Cancellation();
    signal.addEventListener('abort', () => cancellation.abort(), { once: true });
    if (signal.aborted) cancellation.abort();
    if (request.method === 'subscriptions/listen') this.#subscriptions.add(cancellation);
    const reply = await server
      .request2026(request, {
        signal: cancellation,
        sessionName: sessionNameIn(request.params._meta),
        onNotification: (message) => void mcpResponse.sendEarly(JSON.stringify(message)),
      })
      .finally(() => this.#subscriptions.delete(cancellation));
    if (reply === undefined) mcpResponse.finishEmpty();
    else mcpResponse.finish(httpStatusOf(reply), [reply.text], false);
  }

  async #begin(request: RpcRequest, { caller }: Exchange, mcpResponse: McpResponse): Promise<void> {
    const { sessions } = this.#options;
    const session = sessions.open(caller, await this.#server(caller));
    const reply = await session.session.receive({ kind: 'request', ...request });
    if (reply === undefined || reply.code !== undefined) {
      sessions.end(session);
      if (reply === undefined) mcpResponse.finishEmpty();
      else mcpResponse.finish(200, [reply.text], false);
      return;
    }
    mcpResponse.finish(200, [reply.text], false, { [sessionHeader]: session.secret });
  }

  async #serve2025(
    messages: readonly ParsedMessage[],
    batch: boolean,
    known: McpSession | undefined,
    { caller, signal }: Exchange,
    mcpResponse: McpResponse,
  ): Promise<void> {
    // A client without a session is served too, but the server never sends it a request.
    const temporary = known === undefined ? (await this.#server(caller)).session2025({}) : undefined;
    const session = (known?.session ?? temporary) as Session2025;
    const ids = messages.flatMap((it) =>
      'message' in it && it.message.kind === 'request' ? [it.message.id] : [],
    );
    // The session rejects a request whose id is already in use; the stream stays with the first request.
    const ownIds = ids.filter((id) => known?.pendingResponses.has(id) === false);
    for (const id of ownIds) known?.pendingResponses.set(id, mcpResponse);
    let isRunning = true;
    const cancel = () => {
      if (!isRunning) return;
      for (const requestId of known === undefined ? ids : ownIds) {
        const params = { requestId };
        session.receive({ kind: 'notification', method: 'notifications/cancelled', params }).catch(() => {});
      }
    };
    const replay = ownIds.length > 0 && mcpResponse.acceptsStream ? known?.streams.open(cancel) : undefined;
    if (replay !== undefined) mcpResponse.keepIn(replay);
    // A client that can fetch the answer later keeps its call. Without a session, or an id to come back to, it cannot.
    const leave = () => {
      if (replay?.isResumable !== true) cancel();
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      if (signal.aborted) return;
      const replies = await Promise.all(
        messages.map((it) => ('error' in it ? it.error : session.receive(it.message))),
      );
      const texts = replies.filter((it): it is RpcReply => it !== undefined).map((it) => it.text);
      if (texts.length === 0) mcpResponse.finishEmpty();
      else mcpResponse.finish(200, texts, batch);
    } finally {
      isRunning = false;
      if (replay?.isEnded === false) replay.close();
      signal.removeEventListener('abort', leave);
      for (const id of ownIds) known?.pendingResponses.delete(id);
      if (known !== undefined) known.usedAt = performance.now();
      temporary?.close();
    }
  }

  #session(caller: HttpCaller, request: IncomingMessage): McpSession {
    const secret = request.headers[sessionHeader];
    if (typeof secret !== 'string')
      throw new HttpError(405, 'usage', 'without Mcp-Session-Id only POST is allowed', {
        headers: { allow: 'POST' },
      });
    const session = this.#options.sessions.find(caller, secret);
    if (session === undefined) throw new HttpError(404, 'not_found', 'unknown session');
    return session;
  }

  /** One MCP server for all clients of a token, so that lists are serialized once. */
  #server(caller: HttpCaller): Promise<McpServer> {
    const known = this.#servers.get(caller);
    if (known !== undefined) return known;
    const { approvals, tasks, parts, expose, installRequests } = this.#options;
    const { principal, id: holder, mayApprove } = caller;
    const approver = mayApprove ? holder : null;
    const created = caller.session().then((session) =>
      createMcpServer({
        ...parts,
        ...{ session, approvals, tasks, principal, holder, expose, installRequests, approver },
      }),
    );
    this.#servers.set(caller, created);
    created.catch(() => this.#servers.delete(caller));
    caller.revoked.addEventListener('abort', () => this.#drop(caller), { once: true });
    return created;
  }

  #drop(caller: HttpCaller): void {
    this.#servers.get(caller)?.then(
      (server) => server.close(),
      () => {},
    );
    this.#servers.delete(caller);
  }
}

/** Characters of a session name that a client chose. */
const maxSessionName = 200;

/** A client that names its conversations keeps what they have seen apart. Without a name, the token is one session. */
function sessionNameIn(meta: Json | undefined): string | undefined {
  const name = isObject(meta) ? meta[sessionNameKey] : undefined;
  if (name === undefined) return undefined;
  if (typeof name !== 'string' || name === '' || name.length > maxSessionName)
    throw new HttpError(
      400,
      'usage',
      `"${sessionNameKey}" must be a text of at most ${maxSessionName} characters`,
    );
  return `named ${name}`;
}

function isInitialize(message: { readonly kind: string; readonly method?: string }): boolean {
  return message.kind === 'request' && message.method === 'initialize';
}

function idOf(parsed: ParsedMessage | undefined): string | number | null {
  if (parsed === undefined || 'error' in parsed) return null;
  return parsed.message.kind === 'request' ? parsed.message.id : null;
}
