import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { TokenRole } from '../../host/host.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import type { Caller } from './callers.js';
import { Refusal } from './refusal.js';
import type { Reply } from './reply.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One request that was let in. */
export interface Exchange {
  readonly caller: Caller;
  /** Decoded parts of the path, by their names. */
  readonly parts: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Undefined where none came. */
  readonly body: Json | undefined;
  /** Aborted when the visitor leaves, its token is revoked, or the server ends. */
  readonly signal: Signal;
}

interface RouteBase {
  readonly method: Method;
  /** With `{name}` for a part that varies. */
  readonly path: string;
  readonly summary: string;
  /** JSON Schema of the body; a route without one takes none. */
  readonly body?: JsonObject;
  readonly query?: Readonly<Record<string, string>>;
  /** What each status means, besides those that every route has. */
  readonly answers: Readonly<Record<string, Answered>>;
}

export interface Answered {
  readonly text: string;
  /** JSON unless told. */
  readonly type?: string;
  readonly schema?: JsonObject;
}

/** The one table of these drives dispatch and the description at /openapi.json. */
export type Route =
  /** For anybody; tells nothing. */
  | (RouteBase & { readonly role: 'anybody'; readonly open: (origin: string) => Reply })
  | (RouteBase & { readonly role: TokenRole; readonly answer: (exchange: Exchange) => Promise<Reply> })
  /** Reads and answers by itself, because it may stream. */
  | (RouteBase & {
      readonly role: TokenRole;
      readonly stream: (
        exchange: Exchange,
        request: IncomingMessage,
        response: ServerResponse,
      ) => Promise<void>;
    });

export interface Found {
  readonly route: Route;
  readonly parts: Readonly<Record<string, string>>;
}

const noParts: Readonly<Record<string, string>> = {};

/** Routes by what they are asked for. Paths without parts, which are nearly all that is asked, are found at once. */
export class RouteTable {
  readonly #routes: readonly Route[];
  readonly #plain: ReadonlyMap<string, Route>;

  constructor(routes: readonly Route[]) {
    this.#routes = routes;
    this.#plain = new Map(
      routes.filter((it) => !it.path.includes('{')).map((it) => [`${it.method} ${it.path}`, it]),
    );
  }

  /** The route of a request; 404 where no route has the path, 405 where none has the method. */
  find(method: string, path: string): Found {
    const plain = this.#plain.get(`${method} ${path}`);
    return plain === undefined ? search(this.#routes, method, path) : { route: plain, parts: noParts };
  }

  /** Undefined unless anybody may ask. */
  open(method: string, path: string): Extract<Route, { role: 'anybody' }> | undefined {
    const found = this.#plain.get(`${method} ${path}`);
    return found?.role === 'anybody' ? found : undefined;
  }
}

function search(routes: readonly Route[], method: string, path: string): Found {
  const matches = routes.flatMap((route) => {
    const parts = matchPath(route.path, path);
    return parts === undefined ? [] : [{ route, parts }];
  });
  const found = matches.find((it) => it.route.method === method);
  if (found !== undefined) return found;
  if (matches.length === 0)
    throw new Refusal(404, 'not_found', 'there is nothing at this path', {
      hint: '/openapi.json lists what there is',
    });
  const allow = matches.map((it) => it.route.method).join(', ');
  throw new Refusal(405, 'usage', `this path takes ${allow}`, { headers: { allow } });
}

function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, word] of wanted.entries()) {
    const name = /^\{(\w+)\}$/.exec(word)?.[1];
    const text = given[index] as string;
    if (name === undefined) {
      if (word !== text) return undefined;
      continue;
    }
    const decoded = decode(text);
    if (decoded === undefined || decoded === '') return undefined;
    parts[name] = decoded;
  }
  return parts;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The body as an object with none but the known members. */
export function membersOf(body: Json | undefined, known: readonly string[]): JsonObject {
  if (!isObject(body)) throw new Refusal(400, 'usage', 'the body must be a JSON object');
  const strange = Object.keys(body).find((it) => !known.includes(it));
  if (strange !== undefined)
    throw new Refusal(
      400,
      'usage',
      `the body has an unknown member ${JSON.stringify(strange.slice(0, 80))}`,
      {
        hint: known.length === 0 ? 'this path takes none' : `known are ${known.join(', ')}`,
      },
    );
  return body;
}

export function textMember(body: JsonObject, name: string): string {
  const value = body[name];
  if (typeof value !== 'string' || value === '')
    throw new Refusal(400, 'usage', `the body needs ${name}, a text that is not empty`);
  return value;
}

/** Schemas of what many routes answer with. */
export const anyObject: JsonObject = { type: 'object' };
export function documentOf(schema: string, properties: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    required: ['schema', ...Object.keys(properties)],
    properties: { schema: { const: schema }, ...properties },
  };
}
