import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { TokenRole } from '../../host/host.js';
import type { OnProgress } from '../../host/operations/operation-input.js';
import { exactly, object, type Shape } from '../../host/operations/shape.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { HttpCaller } from './callers.js';
import { HttpError } from './http-error.js';
import type { HttpReply } from './http-reply.js';
import type { BodyRoom } from './request-body.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One authenticated request. */
export interface Exchange {
  readonly caller: HttpCaller;
  /** Decoded path parameters, by name. */
  readonly pathParams: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** For a route that reads the body itself. */
  readonly room: BodyRoom;
  /** Undefined if the request has no body. */
  readonly body: Json | undefined;
  /** Aborted when the client disconnects, its token is revoked, or the server stops. */
  readonly signal: CancelSignal;
  /** Undefined: the client did not ask for it. */
  readonly onProgress?: OnProgress | undefined;
}

interface RouteBase {
  readonly method: Method;
  /** May contain path parameters: `{name}`. */
  readonly path: string;
  readonly summary: string;
  /** JSON Schema of the body. Absent: the route has no body. */
  readonly body?: JsonObject;
  /** The body may be absent. Default: false. */
  readonly optionalBody?: boolean;
  /** A client that accepts events is told about the progress. Default: false. */
  readonly progress?: boolean;
  readonly query?: Readonly<Record<string, string>>;
  /** Responses by status, besides the errors that every route has. */
  readonly responses: Readonly<Record<string, ResponseSpec>>;
}

export interface ResponseSpec {
  readonly description: string;
  /** Content type. Default: application/json. */
  readonly type?: string;
  readonly schema?: JsonObject;
}

/** One table of routes drives dispatch, role checks and /openapi.json. */
export type Route =
  /** Needs no token, so it must not reveal anything. */
  | (RouteBase & { readonly role: 'public'; readonly respond: (origin: string) => HttpReply })
  | (RouteBase & { readonly role: TokenRole; readonly handle: (exchange: Exchange) => Promise<HttpReply> })
  /** Reads the request and writes the response itself, because it may stream. */
  | (RouteBase & {
      readonly role: TokenRole;
      readonly stream: (
        exchange: Exchange,
        request: IncomingMessage,
        response: ServerResponse,
      ) => Promise<void>;
    });

export interface RouteMatch {
  readonly route: Route;
  readonly pathParams: Readonly<Record<string, string>>;
}

const noParams: Readonly<Record<string, string>> = {};

/** Finds the route of a request. Paths without parameters, the usual case, are found in a map. */
export class RouteTable {
  readonly #routes: readonly Route[];
  readonly #plain: ReadonlyMap<string, Route>;

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
    this.#plain = new Map(
      routes.filter((it) => !it.path.includes('{')).map((it) => [`${it.method} ${it.path}`, it]),
    );
  }

  /** Throws 404 for an unknown path and 405 for a wrong method. */
  find(method: string, path: string): RouteMatch {
    const plain = this.#plain.get(`${method} ${path}`);
    return plain === undefined ? search(this.#routes, method, path) : { route: plain, pathParams: noParams };
  }

  /** Undefined if there is no such public route. */
  findPublic(method: string, path: string): Extract<Route, { role: 'public' }> | undefined {
    const found = this.#plain.get(`${method} ${path}`);
    return found?.role === 'public' ? found : undefined;
  }
}

function search(routes: readonly Route[], method: string, path: string): RouteMatch {
  const matches = routes.flatMap((route) => {
    const pathParams = matchPath(route.path, path);
    return pathParams === undefined ? [] : [{ route, pathParams }];
  });
  const found = matches.find((it) => it.route.method === method);
  if (found !== undefined) return found;
  if (matches.length === 0)
    throw new HttpError(404, 'not_found', 'unknown path', {
      hint: 'GET /openapi.json lists all paths',
    });
  const allow = matches.map((it) => it.route.method).join(', ');
  throw new HttpError(405, 'usage', `this path allows only ${allow}`, { headers: { allow } });
}

function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const expected = pattern.split('/');
  const actual = path.split('/');
  if (expected.length !== actual.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of expected.entries()) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    const text = actual[index] as string;
    if (name === undefined) {
      if (segment !== text) return undefined;
      continue;
    }
    const decoded = decode(text);
    if (decoded === undefined || decoded === '') return undefined;
    params[name] = decoded;
  }
  return params;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The body, checked by the shape that the description shows. */
export function bodyOf<T>(shape: Shape<T>, body: Json | undefined): T {
  if (!isObject(body)) throw new HttpError(400, 'usage', 'the body must be a JSON object');
  const problem = shape.problem(body, '');
  if (problem !== undefined) throw new HttpError(400, 'usage', `the body is not valid: ${problem}`);
  return body as T;
}

/** Throws if a request has a body although its path takes none. */
export function assertNoBody(body: Json): void {
  if (!isObject(body)) throw new HttpError(400, 'usage', 'the body must be a JSON object');
  const [unknown] = Object.keys(body);
  if (unknown !== undefined)
    throw new HttpError(
      400,
      'usage',
      `the body has an unknown member ${JSON.stringify(unknown.slice(0, 80))}`,
      {
        hint: 'this path takes no body',
      },
    );
}

/** The schema of a document: an object with the member `schema`, which names it. */
export function documentSchema(
  schema: string,
  members: Readonly<Record<string, Shape<unknown>>> = {},
): JsonObject {
  return object({ schema: exactly(schema), ...members }).schema;
}
