import type { IncomingMessage, ServerResponse } from 'node:http';
import { Stop } from '../../model/signal.js';
import { createFront, type Expose, type Front, type FrontParts, type Session2025 } from '../mcp/front.js';
import type { Deciding } from '../mcp/hold.js';
import { failure, type Parsed, parseMessages, type Reply, type Request } from '../mcp/message.js';
import { Answering, acceptedOf } from './answering.js';
import { readText } from './body.js';
import type { Caller } from './callers.js';
import { EventStream } from './event-stream.js';
import type { HttpLimits } from './limits.js';
import { eraOf, mismatch, statusOf } from './mcp-headers.js';
import { wrongParam } from './mcp-params.js';
import type { McpSession, McpSessions } from './mcp-sessions.js';
import { Refusal } from './refusal.js';
import { send } from './reply.js';
import type { Exchange } from './route.js';

export interface McpEndpointOptions {
  readonly approvals: Deciding;
  readonly parts: FrontParts;
  readonly expose: Expose;
  readonly limits: HttpLimits;
  readonly sessions: McpSessions;
}

const sessionHeader = 'mcp-session-id';

/** MCP over HTTP, both eras at one path. */
export class McpEndpoint {
  readonly #options: McpEndpointOptions;
  readonly #fronts = new Map<Caller, Promise<Front>>();
  /** Requests that only wait for news. */
  readonly #listening = new Set<Stop>();

  constructor(options: McpEndpointOptions) {
    this.#options = options;
  }

  /** One message, or several where the revision of the session has batches. */
  async post(exchange: Exchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { caller } = exchange;
    const { limits } = this.#options;
    const accepted = acceptedOf(request);
    const text = await readText(request, limits.bodyBytes);
    const secret = request.headers[sessionHeader];
    const session = typeof secret === 'string' ? this.#options.sessions.find(caller, secret) : undefined;
    const { batch, messages } = parseMessages(text, session?.session.batches ?? false);
    const answering = new Answering(response, accepted, limits);
    const [first] = messages;
    if (first !== undefined && 'error' in first && !batch) {
      answering.answer(400, [first.error.text], false);
      return;
    }
    if (!batch && first !== undefined && 'message' in first) {
      const era = eraOf(first.message, request.headers);
      if ('refused' in era) {
        answering.answer(400, [era.refused.text], false);
        return;
      }
      if (era.era === '2026') {
        // There is nothing that a client of this era would have to tell without asking.
        if ('notification' in era) answering.drop();
        else await this.#serve2026(era.request, exchange, request, answering, accepted.stream);
        return;
      }
    }
    if (secret !== undefined && session === undefined) {
      answering.answer(404, [failure(idOf(first), -32600, 'the session is not known').text], false);
      return;
    }
    const opens = first !== undefined && 'message' in first && isInitialize(first.message);
    if (opens && session !== undefined) {
      answering.answer(400, [failure(idOf(first), -32600, 'the session was begun already').text], false);
    } else if (opens) {
      await this.#begin(first.message as Request, exchange, answering);
    } else {
      await this.#serve2025(messages, batch, session, exchange, answering);
    }
  }

  /** The stream for what belongs to no request. A newer one takes the place of an older one. */
  async listen(
    { caller, signal }: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const session = this.#session(caller, request);
    if (!acceptedOf(request).stream) throw new Refusal(406, 'usage', 'the answer is text/event-stream');
    if (signal.aborted) return;
    const stream = new EventStream(response, this.#options.limits);
    session.stream?.end();
    session.stream = stream;
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      signal.addEventListener('abort', () => stream.end(), { once: true });
    });
    if (session.stream === stream) session.stream = undefined;
    session.usedAt = performance.now();
  }

  async end({ caller }: Exchange, request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#options.sessions.end(this.#session(caller, request));
    send(response, { status: 204 }, this.#options.limits.readMs);
  }

  /** Ends what would wait for ever. */
  hush(): void {
    for (const it of this.#options.sessions.all()) it.stream?.end();
    for (const it of this.#listening) it.abort();
  }

  async close(): Promise<void> {
    for (const front of this.#fronts.values()) (await front.catch(() => undefined))?.close();
    this.#fronts.clear();
  }

  async #serve2026(
    request: Request,
    { caller, signal }: Exchange,
    { headers }: IncomingMessage,
    answering: Answering,
    streams: boolean,
  ): Promise<void> {
    if (request.method === 'subscriptions/listen' && !streams)
      throw new Refusal(406, 'usage', 'the answer is text/event-stream');
    const front = await this.#front(caller);
    const { name, arguments: given } = request.params;
    if (request.method === 'tools/call' && typeof name === 'string') {
      const wrong = wrongParam(await front.inputOf(name), given, headers);
      if (wrong !== undefined) {
        answering.answer(400, [failure(request.id, mismatch, wrong).text], false);
        return;
      }
    }
    const stop = new Stop();
    signal.addEventListener('abort', () => stop.abort(), { once: true });
    if (signal.aborted) stop.abort();
    if (request.method === 'subscriptions/listen') this.#listening.add(stop);
    const reply = await front
      .request2026(request, {
        signal: stop,
        onNotification: (message) => void answering.tell(JSON.stringify(message)),
      })
      .finally(() => this.#listening.delete(stop));
    if (reply === undefined) answering.drop();
    else answering.answer(statusOf(reply), [reply.text], false);
  }

  async #begin(request: Request, { caller }: Exchange, answering: Answering): Promise<void> {
    const { sessions } = this.#options;
    const session = sessions.open(caller, await this.#front(caller));
    const reply = await session.session.receive({ kind: 'request', ...request });
    if (reply === undefined || reply.code !== undefined) {
      sessions.end(session);
      if (reply === undefined) answering.drop();
      else answering.answer(200, [reply.text], false);
      return;
    }
    answering.answer(200, [reply.text], false, { [sessionHeader]: session.secret });
  }

  async #serve2025(
    messages: readonly Parsed[],
    batch: boolean,
    known: McpSession | undefined,
    { caller, signal }: Exchange,
    answering: Answering,
  ): Promise<void> {
    // Whoever has no session is served all the same; it is never asked anything.
    const passing =
      known === undefined ? (await this.#front(caller)).session2025({ send: () => {} }) : undefined;
    const session = (known?.session ?? passing) as Session2025;
    const ids = messages.flatMap((it) =>
      'message' in it && it.message.kind === 'request' ? [it.message.id] : [],
    );
    // A request whose id is under way is refused by the session; its stream stays with the first.
    const mine = ids.filter((id) => known?.answering.has(id) === false);
    for (const id of mine) known?.answering.set(id, answering);
    // The answer could not be had later: there is nothing to come back to, so the call ends with the connection.
    const leave = () => {
      for (const requestId of known === undefined ? ids : mine) {
        const params = { requestId };
        session.receive({ kind: 'notification', method: 'notifications/cancelled', params }).catch(() => {});
      }
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      if (signal.aborted) return;
      const replies = await Promise.all(
        messages.map((it) => ('error' in it ? it.error : session.receive(it.message))),
      );
      const texts = replies.filter((it): it is Reply => it !== undefined).map((it) => it.text);
      if (texts.length === 0) answering.drop();
      else answering.answer(200, texts, batch);
    } finally {
      signal.removeEventListener('abort', leave);
      for (const id of mine) known?.answering.delete(id);
      if (known !== undefined) known.usedAt = performance.now();
      passing?.close();
    }
  }

  #session(caller: Caller, request: IncomingMessage): McpSession {
    const secret = request.headers[sessionHeader];
    if (typeof secret !== 'string')
      throw new Refusal(405, 'usage', 'without a session there is only POST', { headers: { allow: 'POST' } });
    const session = this.#options.sessions.find(caller, secret);
    if (session === undefined) throw new Refusal(404, 'not_found', 'the session is not known');
    return session;
  }

  /** One for all clients of a token: lists are written down once. */
  #front(caller: Caller): Promise<Front> {
    const known = this.#fronts.get(caller);
    if (known !== undefined) return known;
    const { approvals, parts, expose } = this.#options;
    const { principal, id: holder } = caller;
    const made = caller
      .session()
      .then((session) => createFront({ ...parts, session, approvals, principal, holder, expose }));
    this.#fronts.set(caller, made);
    made.catch(() => this.#fronts.delete(caller));
    caller.revoked.addEventListener('abort', () => this.#drop(caller), { once: true });
    return made;
  }

  #drop(caller: Caller): void {
    this.#fronts.get(caller)?.then(
      (front) => front.close(),
      () => {},
    );
    this.#fronts.delete(caller);
  }
}

function isInitialize(message: { readonly kind: string; readonly method?: string }): boolean {
  return message.kind === 'request' && message.method === 'initialize';
}

function idOf(parsed: Parsed | undefined): string | number | null {
  if (parsed === undefined || 'error' in parsed) return null;
  return parsed.message.kind === 'request' ? parsed.message.id : null;
}
