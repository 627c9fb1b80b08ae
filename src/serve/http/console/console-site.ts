import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConsoleVisit, Host, ServedSessionOptions } from '../../../host/host.js';
import type { NamedOperation } from '../../../host/operations/operation.js';
import { assertInput, inputOf } from '../../../host/operations/operation-input.js';
import { findOperation } from '../../../host/operations/operations.js';
import { performOperation } from '../../../host/operations/perform.js';
import type { Cancellation } from '../../../model/cancel-signal.js';
import { framePath, showsFrame } from '../../../model/console-path.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { ByteBudget } from '../../../wire/byte-budget.js';
import { Turns } from '../../../wire/turns.js';
import { HttpError } from '../http-error.js';
import { errorReply, type HttpReply, sendReply } from '../http-reply.js';
import { ProgressEvents, wantsProgress } from '../progress-events.js';
import { type BodyRoom, drainRequest, hasBody, readBodyJson } from '../request-body.js';
import type { HttpServerLimits } from '../server-limits.js';
import { ChangeFeed } from './change-feed.js';
import { streamCall } from './console-call.js';
import { cookieFor, cookieValue } from './console-cookie.js';
import { ConsoleExemptions, type ExemptionFile } from './console-exemptions.js';
import type { ConsoleFiles } from './console-files.js';
import { ConsoleOperators } from './console-operator.js';
import { ConsoleSession } from './console-session.js';
import { EventFeed } from './event-feed.js';
import { PackageFrames } from './package-frames.js';

export interface ConsoleOptions {
  readonly files: ConsoleFiles;
  /** What the pages show and call. */
  readonly session: Omit<ServedSessionOptions, 'principal'>;
  /** Where exemptions from the scanner are written. Absent: the page says how to add them by hand. */
  readonly exemptions?: ExemptionFile | undefined;
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits: HttpServerLimits;
  readonly onBug: (error: unknown) => void;
  /** Called with the number of open pages. */
  readonly onPages?: (count: number) => void;
}

/** One request for the console. */
export interface ConsoleExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The origin of this server, as the browser sees it. */
  readonly origin: string;
  /** Aborted when the client disconnects or the server stops. */
  readonly cancellation: Cancellation;
}

interface RoomyExchange extends ConsoleExchange {
  readonly room: BodyRoom;
}

/** What a signed-in page knows about itself. */
export interface ConsoleState {
  readonly version: string;
  readonly csrf: string;
  readonly pinSet: boolean;
  /** Until when no PIN is needed; null if it is needed. Milliseconds since 1970. */
  readonly verifiedUntil: number | null;
  readonly expiresAt: number;
}

const csrfHeader = 'toolwharf-csrf';

/**
 * The console: its files, the sign-in by a link, and every operation of the table for signed-in browsers. Tokens open nothing
 * here, whatever their role: an agent may have one.
 */
export class ConsoleSite {
  readonly #host: Host;
  readonly #options: ConsoleOptions;
  readonly #operators: ConsoleOperators;
  readonly #events: EventFeed;
  readonly #budget: ByteBudget;
  readonly #turns = new Turns();
  readonly #session: ConsoleSession;
  readonly #exemptions: ConsoleExemptions;
  readonly #frames: PackageFrames;

  constructor(host: Host, options: ConsoleOptions) {
    this.#host = host;
    this.#options = options;
    this.#operators = new ConsoleOperators(host, options.now);
    this.#events = new EventFeed(new ChangeFeed(host.changes), {
      onPages: () => {},
      ...options.limits,
      ...options,
    });
    this.#session = new ConsoleSession(host, options.session);
    this.#frames = new PackageFrames(options.now);
    this.#exemptions = new ConsoleExemptions({
      host,
      file: options.exemptions,
      operatorOf: ({ id }) => this.#operators.operatorOf(id),
      reopen: (exempt) => this.#session.reopen(exempt),
    });
    const { openBytesPerToken, openBytes } = options.limits;
    this.#budget = new ByteBudget({ perOwner: openBytesPerToken, total: openBytes });
  }

  /** Whether a path belongs to the console. */
  static owns(path: string): boolean {
    return path === '/console' || path.startsWith('/console/') || PackageFrames.owns(path);
  }

  /** Answers one request. The Host header was checked before. */
  async serve(exchange: ConsoleExchange): Promise<void> {
    const { limits, onBug } = this.#options;
    const share = this.#budget.open('console');
    try {
      const room = { maxBytes: limits.bodyBytes, share, turns: this.#turns };
      await this.#answer({ ...exchange, room });
    } catch (error) {
      sendReply(exchange.response, consoleError(error, onBug), limits.readMs);
      drainRequest(exchange.request);
    } finally {
      share.close();
    }
  }

  async #answer(exchange: RoomyExchange): Promise<void> {
    const { request, response } = exchange;
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const { readMs } = this.#options.limits;
    if (request.headers.authorization !== undefined)
      throw new HttpError(403, 'denied', 'tokens do not open the console', {
        hint: 'get a link for a browser: toolwharf open',
      });
    if (!pathname.startsWith('/console/api/'))
      return sendReply(response, this.#file(exchange, pathname), readMs);
    checkSite(exchange);
    const path = pathname.slice('/console/api/'.length);
    if (path === 'sign-in') return sendReply(response, await this.#signIn(exchange), readMs);
    const cookie = cookieValue(request.headers.cookie, cookieFor(exchange.origin).name) ?? '';
    const visit = await this.#host.consoleAccess.check(cookie);
    if (visit === null)
      throw new HttpError(401, 'auth_required', 'this browser is not signed in', {
        hint: 'get a new link: toolwharf open',
      });
    if (request.method === 'GET' && path === 'events') {
      const lifetimeMs = visit.expiresAt - this.#options.now();
      return this.#events.serve(response, searchParams.get('after'), {
        signal: exchange.cancellation,
        lifetimeMs,
      });
    }
    if (request.method === 'GET' && path === 'state')
      return sendReply(response, await this.#state(exchange, visit, cookie), readMs);
    if (request.method !== 'POST') throw new HttpError(404, 'not_found', 'unknown path');
    if (request.headers[csrfHeader] !== visit.csrf)
      throw new HttpError(403, 'denied', 'the request does not come from a page of the console');
    await this.#perform(exchange, path, visit, cookie);
  }

  /** A page that waits for changes keeps the host from stopping; this ends them. */
  async close(): Promise<void> {
    this.#events.close();
    await this.#session.close();
  }

  /** A file of the console, or of the page of a package. */
  #file({ request, origin }: ConsoleExchange, pathname: string): HttpReply {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new HttpError(405, 'usage', 'this path allows only GET', { headers: { allow: 'GET, HEAD' } });
    const { files } = this.#options;
    const isAsset = pathname.startsWith('/console/assets/');
    if (!isAsset && !PackageFrames.owns(pathname))
      return files.page(showsFrame(pathname) ? `${origin}${framePath}` : undefined);
    const found = isAsset
      ? files.asset(pathname.slice('/console/assets/'.length))
      : this.#frames.file(pathname, origin);
    if (found === undefined) throw new HttpError(404, 'not_found', 'unknown file');
    return found;
  }

  /** Uses up the code of a link. */
  async #signIn(exchange: RoomyExchange): Promise<HttpReply> {
    if (exchange.request.method !== 'POST') throw new HttpError(405, 'usage', 'this path allows only POST');
    const { code } = await bodyOf(exchange);
    const cookie = typeof code === 'string' ? await this.#host.consoleAccess.redeem(code) : null;
    if (cookie === null)
      throw new HttpError(401, 'auth_required', 'this link was used before or has expired', {
        hint: 'get a new one: toolwharf open',
      });
    return { body: { ok: true }, headers: cookieHeader(exchange, cookie) };
  }

  async #state(exchange: ConsoleExchange, visit: ConsoleVisit, cookie: string): Promise<HttpReply> {
    const { set } = await this.#host.operator.pin();
    const renewed = await this.#host.consoleAccess.renew(cookie);
    const body: ConsoleState = {
      version: this.#options.version,
      csrf: visit.csrf,
      pinSet: set,
      verifiedUntil: this.#operators.verifiedUntil(visit.id),
      expiresAt: visit.expiresAt,
    };
    return { body, ...(renewed === null ? {} : { headers: cookieHeader(exchange, renewed) }) };
  }

  async #perform(exchange: RoomyExchange, path: string, visit: ConsoleVisit, cookie: string): Promise<void> {
    const { response } = exchange;
    const { readMs } = this.#options.limits;
    if (path === 'pin') {
      const { pin } = await bodyOf(exchange);
      const verifiedUntil = await this.#operators.enterPin(visit.id, typeof pin === 'string' ? pin : '');
      return sendReply(response, { body: { verifiedUntil } }, readMs);
    }
    if (path === 'sign-out') {
      await this.#operators.leave(visit.id);
      await this.#host.consoleAccess.signOut(cookie);
      return sendReply(response, { body: { ok: true }, headers: cookieHeader(exchange, '') }, readMs);
    }
    if (path === 'frame') {
      const { package: id } = await bodyOf(exchange);
      const page = await (await this.#session.get()).page(String(id));
      return sendReply(response, { body: { result: this.#frames.open(page) } }, readMs);
    }
    if (path.startsWith('exemptions/')) {
      const name = path.slice('exemptions/'.length);
      const result = await this.#exemptions.perform(name, await bodyOf(exchange), visit);
      return sendReply(response, { body: { result } }, readMs);
    }
    const name = path.startsWith('operations/') ? path.slice('operations/'.length) : '';
    const operation = findOperation(name);
    if (operation === undefined) throw new HttpError(404, 'not_found', 'unknown operation');
    const input = inputOfCall(operation, (await bodyOf(exchange)).args);
    const by = await this.#operators.actorFor(visit.id, name, input);
    const target = operation.scope === 'session' ? await this.#session.get() : this.#host;
    const signal = exchange.cancellation;
    if (name === 'session.call' && wantsProgress(exchange.request.headers)) {
      assertInput(operation, { input, by });
      const { limits, now, onBug } = this.#options;
      const failed = (error: unknown) => consoleError(error, onBug);
      return streamCall(await this.#session.get(), input, response, { ...limits, signal, now, failed });
    }
    const run = async (onProgress?: ProgressEvents['send']): Promise<HttpReply> => {
      const result = await performOperation(target, operation, input, { by, signal, onProgress });
      return { body: { result: (result ?? null) as Json } };
    };
    if (operation.progress !== true || !wantsProgress(exchange.request.headers))
      return sendReply(response, await run(), readMs);
    const events = new ProgressEvents(response, { ...this.#options.limits, now: this.#options.now });
    events.finish(await run(events.send).catch((error: unknown) => consoleError(error, this.#options.onBug)));
  }
}

/** The reply for anything thrown. Hints name commands: the page shows them as they are. */
function consoleError(error: unknown, onBug: (error: unknown) => void): HttpReply {
  const reply = errorReply(error, onBug);
  if (!(error instanceof HostError) || error.hint === undefined) return reply;
  return { ...reply, body: { error: { code: error.code, message: error.message, hint: error.hint } } };
}

/** Only a page of this server may send requests; what changes something must say so. */
function checkSite({ request, origin }: ConsoleExchange): void {
  const { origin: sent, 'sec-fetch-site': site } = request.headers;
  const isForeign =
    (site !== undefined && site !== 'same-origin') || (sent !== undefined && sent.toLowerCase() !== origin);
  if (isForeign || (request.method !== 'GET' && sent === undefined))
    throw new HttpError(403, 'denied', 'the request comes from another site');
}

/** The arguments of the method, in their order; null: absent. Who performs it is never taken from them. */
function inputOfCall(operation: NamedOperation, args: Json | undefined): JsonObject {
  if (!Array.isArray(args) || args.length > operation.params.length)
    throw new HttpError(400, 'usage', 'args must be the list of arguments');
  const isWrong = operation.params.some(
    ({ kind }, index) => kind === 'members' && (args[index] ?? null) !== null && !isObject(args[index]),
  );
  if (isWrong) throw new HttpError(400, 'usage', `${operation.name}: the argument must be an object`);
  return inputOf(
    operation,
    args.map((it) => it ?? undefined),
  ).input;
}

async function bodyOf({ request, room }: RoomyExchange): Promise<JsonObject> {
  const body = hasBody(request) ? await readBodyJson(request, room) : {};
  if (!isObject(body)) throw new HttpError(400, 'usage', 'the body must be a JSON object');
  return body;
}

/** An empty value deletes the cookie. */
function cookieHeader({ origin }: ConsoleExchange, value: string): Readonly<Record<string, string>> {
  const { name, attributes } = cookieFor(origin);
  const written = value === '' ? attributes.replace(/Max-Age=\d+/, 'Max-Age=0') : attributes;
  return { 'set-cookie': `${name}=${value}; ${written}` };
}
