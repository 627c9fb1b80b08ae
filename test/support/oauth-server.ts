// A small OAuth 2.1 authorization server on loopback, and an MCP server that accepts only its tokens.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { JsonObject } from '../../src/index.js';
import { httpSampleServer } from './http-sample-server.js';

interface Grant {
  readonly client: string;
  readonly resource: string;
  readonly scope: string;
  /** All tokens of one sign-in. */
  readonly family: string;
}

interface Code extends Grant {
  readonly redirectUri: string;
  readonly challenge: string;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: Readonly<Record<string, string>>;
  readonly json: JsonObject;
}

export interface OAuthServer {
  readonly issuer: string;
  readonly port: number;
  readonly seen: SeenRequest[];
  /** Every token and secret that it ever issued. */
  readonly issued: string[];
  /** Replaces members of its metadata; undefined removes one. */
  metadata: Record<string, unknown>;
  /** Where its metadata is. */
  metadataPath: string;
  /** Seconds; undefined: not said. */
  tokenSeconds: number | undefined;
  issuesRefreshTokens: boolean;
  /** Registered clients get a secret. */
  confidential: boolean;
  /** Answers a request instead of the server. */
  intercept: (path: string, response: ServerResponse) => boolean;
  /** Parameters of the redirect that are replaced; undefined removes one. */
  redirect: Record<string, string | undefined>;
  /** Does what a browser and a person do, and returns the address that the browser is sent to. */
  approve(url: string): Promise<string>;
  /** Whether it issued the token for this resource and did not end it. */
  accepts(token: string, resource: string): boolean;
  scopesOf(token: string): readonly string[];
  /** Ends all access tokens, as if they had expired. */
  expire(): void;
  /** Ends everything, as a person does in their account. */
  revokeAll(): void;
  count(path: string): number;
  close(): Promise<void>;
}

export async function oauthServer(path = ''): Promise<OAuthServer> {
  const clients = new Map<string, { redirectUris: readonly string[]; secret?: string }>();
  const codes = new Map<string, Code>();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const used = new Map<string, string>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const issuer = `${origin}${path}`;
  const make = (prefix: string) => {
    const text = `${prefix}-${randomBytes(24).toString('base64url')}`;
    made.issued.push(text);
    return text;
  };

  const metadata = (): JsonObject => {
    const all = {
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: made.confidential ? ['client_secret_basic'] : ['none'],
      authorization_response_iss_parameter_supported: true,
      ...made.metadata,
    };
    return JSON.parse(JSON.stringify(all)) as JsonObject;
  };

  const issue = (grant: Grant): JsonObject => {
    const token = make('access');
    access.set(token, grant);
    const next = made.issuesRefreshTokens ? make('refresh') : undefined;
    if (next !== undefined) refresh.set(next, grant);
    return {
      access_token: token,
      token_type: 'Bearer',
      scope: grant.scope,
      ...(made.tokenSeconds === undefined ? {} : { expires_in: made.tokenSeconds }),
      ...(next === undefined ? {} : { refresh_token: next }),
    };
  };
  const endFamily = (family: string) => {
    for (const tokens of [access, refresh])
      for (const [token, grant] of tokens) if (grant.family === family) tokens.delete(token);
  };

  /** The client of a request to the token or revocation endpoint; undefined if it does not prove who it is. */
  const clientOf = ({ headers, form }: SeenRequest): string | undefined => {
    const basic = /^Basic (.*)$/.exec(headers.authorization ?? '')?.[1];
    const pair = basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':');
    const [id = form.client_id ?? '', secret = form.client_secret] = pair.map(decodeURIComponent);
    const known = clients.get(id);
    return known !== undefined && known.secret === secret ? id : undefined;
  };

  const token = (request: SeenRequest): [number, JsonObject] => {
    const client = clientOf(request);
    const { form } = request;
    if (client === undefined) return [401, { error: 'invalid_client' }];
    if (form.grant_type === 'authorization_code') {
      const code = codes.get(form.code ?? '');
      codes.delete(form.code ?? '');
      const proof = createHash('sha256')
        .update(form.code_verifier ?? '')
        .digest('base64url');
      const isRight =
        code?.client === client && code.redirectUri === form.redirect_uri && code.challenge === proof;
      if (code === undefined || !isRight)
        return [400, { error: 'invalid_grant', error_description: `no code ${form.code}` }];
      return code.resource === form.resource ? [200, issue(code)] : [400, { error: 'invalid_target' }];
    }
    const given = form.refresh_token ?? '';
    const grant = refresh.get(given);
    if (grant === undefined) {
      // A refresh token that is used twice was stolen: the whole sign-in ends.
      endFamily(used.get(given) ?? '');
      return [400, { error: 'invalid_grant', error_description: `no token ${given}` }];
    }
    refresh.delete(given);
    used.set(given, grant.family);
    return [200, issue(grant)];
  };

  const authorize = (url: URL): string | undefined => {
    const get = (name: string) => url.searchParams.get(name) ?? '';
    const redirectUri = get('redirect_uri');
    const isKnown = clients.get(get('client_id'))?.redirectUris.includes(redirectUri) === true;
    const isValid = get('response_type') === 'code' && get('code_challenge_method') === 'S256';
    if (!isKnown || !isValid || get('state') === '') return undefined;
    const code = make('code');
    const [resource, scope, challenge] = [get('resource'), get('scope'), get('code_challenge')];
    codes.set(code, {
      ...{ client: get('client_id'), resource, scope, challenge, redirectUri },
      family: make('family'),
    });
    const back = new URL(redirectUri);
    const parameters = { code, state: get('state'), iss: issuer, ...made.redirect };
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) back.searchParams.set(name, value);
    return back.href;
  };

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const url = new URL(incoming.url ?? '/', origin);
    const isJson = incoming.headers['content-type'] === 'application/json';
    const request: SeenRequest = {
      method: incoming.method ?? '',
      path: url.pathname,
      headers: incoming.headers,
      form: isJson ? {} : Object.fromEntries(new URLSearchParams(text)),
      json: isJson ? (JSON.parse(text) as JsonObject) : {},
    };
    made.seen.push(request);
    if (made.intercept(url.pathname, response)) return;
    const send = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    switch (url.pathname) {
      case made.metadataPath:
        return send(200, metadata());
      case '/register': {
        const id = `client-${clients.size + 1}`;
        const secret = made.confidential ? make('secret') : undefined;
        const redirectUris = request.json.redirect_uris as readonly string[];
        clients.set(id, { redirectUris, ...(secret === undefined ? {} : { secret }) });
        const method = request.json.token_endpoint_auth_method;
        return send(201, {
          client_id: id,
          token_endpoint_auth_method: method,
          ...(secret === undefined ? {} : { client_secret: secret }),
        });
      }
      case '/authorize': {
        const location = authorize(url);
        response.writeHead(location === undefined ? 400 : 302, location === undefined ? {} : { location });
        return void response.end();
      }
      case '/token':
        return send(...token(request));
      case '/revoke': {
        if (clientOf(request) === undefined) return send(401, { error: 'invalid_client' });
        const given = request.form.token ?? '';
        const family = (refresh.get(given) ?? access.get(given))?.family;
        if (family !== undefined) endFamily(family);
        return send(200, {});
      }
      default:
        return send(404, {});
    }
  }

  const made: OAuthServer = {
    ...{ issuer, port, seen: [], issued: [], metadata: {}, redirect: {}, confidential: false },
    ...{ tokenSeconds: 3600, issuesRefreshTokens: true, intercept: () => false },
    metadataPath: `/.well-known/oauth-authorization-server${path}`,
    async approve(address) {
      const given = await fetch(address, { redirect: 'manual' });
      const location = given.headers.get('location');
      if (location === null) throw new Error(`the authorization server answered ${given.status}`);
      return location;
    },
    accepts: (given, resource) => access.get(given)?.resource === resource,
    scopesOf: (given) => (access.get(given)?.scope ?? '').split(' '),
    expire: () => access.clear(),
    revokeAll: () => {
      access.clear();
      refresh.clear();
    },
    count: (at) => made.seen.filter((it) => it.path === at).length,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return made;
}

/** Registers a client by hand: returns what the registration of the server would. */
export interface ProtectedServer {
  readonly url: string;
  /** The authorization headers that it got. */
  readonly authorizations: (string | null)[];
  /** Replaces members of its metadata. */
  metadata: Record<string, unknown>;
  /** The `WWW-Authenticate` header of its 401; undefined: none. */
  challenge: string | undefined;
  /** Which scope a call of a tool needs. */
  callScope: string | undefined;
  /** What its tokens are for; undefined: its own address. */
  resource: string | undefined;
}

/** The sample server behind the authorization server. */
export async function protectedServer(
  authority: OAuthServer,
  speaks: '2025' | '2026' | 'both' = 'both',
): Promise<ProtectedServer> {
  const made = {
    authorizations: [] as (string | null)[],
    metadata: {} as Record<string, unknown>,
    challenge: 'Bearer scope="files:read"' as string | undefined,
    callScope: undefined as string | undefined,
    resource: undefined as string | undefined,
  };
  const url = await httpSampleServer(speaks, (request) => {
    const { pathname, origin } = new URL(request.url);
    if (pathname === '/.well-known/oauth-protected-resource/mcp')
      return Response.json({
        resource: `${origin}/mcp`,
        authorization_servers: [authority.issuer],
        ...made.metadata,
      });
    if (pathname !== '/mcp') return new Response('', { status: 404 });
    const header = request.headers.get('authorization');
    made.authorizations.push(header);
    const token = header?.replace(/^Bearer /, '') ?? '';
    if (!authority.accepts(token, made.resource ?? `${origin}/mcp`)) {
      const headers = made.challenge === undefined ? {} : { 'www-authenticate': made.challenge };
      return new Response('', { status: 401, headers });
    }
    const isCall = request.headers.get('mcp-method') === 'tools/call';
    const { callScope } = made;
    if (isCall && callScope !== undefined && !authority.scopesOf(token).includes(callScope))
      return new Response('', {
        status: 403,
        headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${callScope}"` },
      });
    return undefined;
  });
  return Object.assign(made, { url });
}

/** A server and its authorization server at one origin, without RFC 9728, as in the revision 2025-03-26. */
export interface EarlierServer {
  readonly url: string;
  readonly origin: string;
  /** Whether it publishes the metadata of its authorization server. */
  hasMetadata: boolean;
  /** Replaces members of that metadata. */
  metadata: Record<string, unknown>;
  close(): Promise<void>;
}

export async function earlierServer(authority: OAuthServer): Promise<EarlierServer> {
  const inner = await protectedServer(authority);
  const made = { hasMetadata: true, metadata: {} as Record<string, unknown> };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  inner.resource = `${origin}/mcp`;
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = request.url ?? '/';
    if (path === '/.well-known/oauth-authorization-server' && made.hasMetadata) {
      const paths = { authorization_endpoint: '/authorize', token_endpoint: '/token' };
      const more = { registration_endpoint: '/register', revocation_endpoint: '/revoke' };
      const endpoints = Object.entries({ ...paths, ...more }).map(([name, at]) => [name, `${origin}${at}`]);
      const S256 = { code_challenge_methods_supported: ['S256'] };
      response.end(
        JSON.stringify({ issuer: `${origin}/`, ...Object.fromEntries(endpoints), ...S256, ...made.metadata }),
      );
      return;
    }
    const isOAuth = /^\/(?:authorize|token|register|revoke)\b/.test(path);
    if (!isOAuth && path !== '/mcp') {
      response.writeHead(404).end();
      return;
    }
    const target = isOAuth ? authority.issuer : new URL(inner.url).origin;
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers;
    const given = await fetch(`${target}${path}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      redirect: 'manual',
      ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
    });
    const {
      'content-encoding': ____,
      'transfer-encoding': _____,
      ...rest
    } = Object.fromEntries(given.headers);
    response.writeHead(given.status, rest);
    const body = Readable.fromWeb((given.body ?? new Blob([]).stream()) as ReadableStream<Uint8Array>);
    body.on('error', () => response.destroy());
    body.pipe(response);
    response.once('close', () => body.destroy());
  }
  return Object.assign(made, {
    url: `${origin}/mcp`,
    origin,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
