// Signing in to MCP servers by URL, with a real authorization server and both eras of MCP on loopback.
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ServerSignIn, Session, SessionPolicy, SignInBegin } from '../../../src/index.js';
import { guardedClient } from '../../../src/net/http-client.js';
import { fetchAuthorizationServer } from '../../../src/run/oauth/authorization-server.js';
import { closeUpstreams } from '../../support/mcp-upstream.js';
import {
  type OAuthServer,
  oauthServer,
  type ProtectedServer,
  protectedServer,
} from '../../support/oauth-server.js';
import {
  failureOf,
  findagent,
  inputOf,
  resultOf,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const redirectUri = 'http://127.0.0.1:45901/callback';
const by = 'operator';
const sayAction = {
  name: 'say',
  invocation: { kind: 'mcp-tool', tool_name: 'say' },
  input: inputOf({ text: { type: 'string' } }),
  output: { format: 'text' },
};
const say = { tool: 'desk/say', arguments: { text: 'hello' } };

let bench: Workbench;
let authority: OAuthServer;
let server: ProtectedServer;
let clock = 0;

async function setUp(path = ''): Promise<void> {
  clock = 0;
  authority = await oauthServer(path);
  bench = await workbench({}, { now: () => Date.now() + clock });
}
async function tearDown(): Promise<void> {
  await bench.close();
  await authority.close();
  expect(bench.bugs).toEqual([]);
}
afterAll(closeUpstreams);

/** Each test of the group has a host of its own. */
function withOwnHost(): void {
  beforeEach(() => setUp());
  afterEach(tearDown);
}

/** The tests of the group share one host and its session, and change only what the servers answer. */
function withSharedHost(): { readonly session: Session } {
  const shared = {} as { session: Session };
  beforeAll(async () => {
    await setUp();
    shared.session = await open();
  });
  beforeEach(() => {
    clock = 0;
    Object.assign(authority, { metadata: {}, redirect: {}, intercept: () => false });
    Object.assign(server, { metadata: {}, challenge: 'Bearer scope="files:read"' });
    authority.seen.length = 0;
  });
  afterAll(tearDown);
  return shared;
}

/** A package of each format with a server by URL. */
const manifests = {
  findagent: (url: string) => ({
    'desk/findagent.json': findagent('Desk', { tools: [], delivery: { mcp: { remote: { url } } } }),
  }),
  mcp: (url: string) => ({
    'desk/toolwharf-mcp.json': JSON.stringify({ schema: 'toolwharf/mcp@1', name: 'desk', url }),
  }),
  toolspace: (endpoint: string) => ({
    'desk/toolspace.json': toolspace({ id: 'desk', endpoint, actions: [sayAction] }),
  }),
};

async function open(format: keyof typeof manifests = 'mcp', speaks: '2025' | '2026' | 'both' = 'both') {
  server = await protectedServer(authority, speaks);
  bench.write(manifests[format](server.url));
  return session();
}
const allow = () => [`net:127.0.0.1:${new URL(server.url).port}`, `net:127.0.0.1:${authority.port}`];
const session = (more = {}) => bench.session({ allow: allow(), ...more });

const begin = (use: Session, more: Partial<SignInBegin> = {}) =>
  use.signIns.begin({ package: 'desk', issuer: authority.issuer, redirectUri, by, ...more });

async function signIn(use: Session, more: Partial<SignInBegin> = {}): Promise<ServerSignIn> {
  const { id, url } = await begin(use, more);
  return use.signIns.finish({ id, callback: await authority.approve(url) });
}
const stateOf = async (use: Session) => (await use.packages()).packages.find((it) => it.id === 'desk');

describe.each([
  ['findagent', '2025'],
  ['mcp', '2026'],
  ['toolspace', 'both'],
] as const)('a %s package with a server of %s', (format, speaks) => {
  withOwnHost();

  test('needs a sign-in, gets one, and its tools can be called', async () => {
    const use = await open(format, speaks);
    const before = await stateOf(use);
    expect(before).toMatchObject({ state: 'needs-setup' });
    expect(before?.reasons[0]).toMatch(/asks for a sign-in\. Sign in: toolwharf sign-in desk --dir /);
    expect((await failureOf(use.call(say))).message).toContain('toolwharf sign-in desk');
    // Another session that only looks knows it too.
    expect(await stateOf(await session({ intent: 'look' }))).toMatchObject({ state: 'needs-setup' });

    const offer = await use.signIns.check({ package: 'desk' });
    expect(offer).toMatchObject({ issuers: [authority.issuer], scopes: ['files:read'], url: server.url });
    expect(authority.seen).toEqual([]);
    const entry = await signIn(use);
    expect(entry).toMatchObject({ package: 'desk', scopes: ['files:read'], isRenewed: true });
    expect(JSON.stringify(await resultOf(use.call(say)))).toContain('hello');
    expect(await stateOf(use)).toMatchObject({ state: 'ready' });

    const token = authority.seen.find((it) => it.path === '/token');
    expect(token?.form).toMatchObject({ resource: server.url, grant_type: 'authorization_code' });
    const registration = authority.seen.find((it) => it.path === '/register')?.json;
    expect(registration).toMatchObject({ application_type: 'native', redirect_uris: [redirectUri] });
  });
});

const lastToken = () => server.authorizations.at(-1)?.replace('Bearer ', '') ?? '';
const callWorks = async (use: Session) => (await use.call(say)).status === 'ok';

describe('tokens', () => {
  withOwnHost();

  test('are in no answer, error, list or audit entry, and the scanner removes them', async () => {
    authority.confidential = true;
    const use = await open();
    const entry = await signIn(use);
    await resultOf(use.call(say));
    const echoed = await use.call({ ...say, arguments: { text: `it is ${lastToken()}` } });
    expect(JSON.stringify(echoed)).toContain('[redacted:@sign-in/server]');
    // What is no secret of a sign-in stays.
    const known = `${entry.issuer} ${server.url} none`;
    expect(await resultOf(use.call({ ...say, arguments: { text: known } }))).toBe(known);
    authority.intercept = (path, response) => {
      if (path !== '/token') return false;
      response.writeHead(500).end(authority.issued.join(' '));
      return true;
    };
    authority.expire();
    const failed = await use.call(say);
    expect(failed.status).toBe('error');
    const shown = [
      ...[entry, echoed, failed, await use.signIns.list(), await use.packages()],
      ...[await bench.host.secrets.list(), await bench.host.auditTail(200)],
    ];
    const secrets = authority.issued.filter((it) => /^(access|refresh|secret|code)-/.test(it));
    expect(secrets.length).toBeGreaterThan(3);
    for (const it of secrets) expect(JSON.stringify(shown)).not.toContain(it);
    // The control: the server did get the token, and the client secret is in use.
    expect(secrets).toContain(lastToken());
    expect(authority.seen.some((it) => it.headers.authorization?.startsWith('Basic '))).toBe(true);
  });

  test('are refreshed before they expire, and the new refresh token is stored first', async () => {
    authority.tokenSeconds = 600;
    const use = await open();
    await signIn(use);
    expect(await callWorks(use)).toBe(true);
    const first = lastToken();
    clock = 9.5 * 60_000;
    expect(await callWorks(use)).toBe(true);
    expect(lastToken()).not.toBe(first);
    expect(authority.seen.filter((it) => it.form.grant_type === 'refresh_token')).toHaveLength(1);
    // The rotated one is used next; the old one would end the sign-in.
    clock = 19.5 * 60_000;
    expect(await callWorks(use)).toBe(true);
    expect(authority.seen.filter((it) => it.form.grant_type === 'refresh_token')).toHaveLength(2);
  });

  test('are refreshed once by 20 calls at the same time', async () => {
    const use = await open();
    await signIn(use);
    expect(await callWorks(use)).toBe(true);
    authority.expire();
    const done = await Promise.all(Array.from({ length: 20 }, () => callWorks(use)));
    expect(done.every(Boolean)).toBe(true);
    const refreshed = authority.seen.filter((it) => it.form.grant_type === 'refresh_token');
    expect(refreshed).toHaveLength(1);
    expect(refreshed[0]?.form.resource).toBe(server.url);
  });

  test('that ended in the account need a new sign-in', async () => {
    const use = await open();
    await signIn(use);
    expect(await callWorks(use)).toBe(true);
    authority.revokeAll();
    expect(await failureOf(use.call(say))).toMatchObject({
      code: 'auth_required',
      hint: expect.stringContaining('toolwharf sign-in desk'),
    });
    expect(await stateOf(use)).toMatchObject({ state: 'needs-setup' });
    expect(await use.signIns.list()).toEqual([]);
    await signIn(use);
    expect(await callWorks(use)).toBe(true);
  });

  test('go only to the server that they were issued for', async () => {
    const use = await open();
    await signIn(use);
    expect(await callWorks(use)).toBe(true);
    const other = await protectedServer(authority);
    bench.write(manifests.mcp(other.url));
    const allowed = [...allow(), `net:127.0.0.1:${new URL(other.url).port}`];
    const moved = await session({ allow: allowed, directories: [bench.packages], intent: 'use' });
    const { to } = await moved.review('desk');
    await moved.accept('desk', to, by);
    const again = await session({ allow: allowed });
    expect(await stateOf(again)).toMatchObject({ state: 'needs-setup' });
    expect(other.authorizations.length).toBeGreaterThan(0);
    expect(other.authorizations.filter((it) => it !== null)).toEqual([]);
  });

  test('with too few scopes: the error names the scope, and a sign-in adds it to the others', async () => {
    const use = await open('mcp', '2026');
    await signIn(use);
    server.callScope = 'files:write';
    const { code, message, hint } = await failureOf(use.call(say));
    expect([code, message]).toEqual(['auth_required', expect.stringContaining('the scope files:write')]);
    expect(hint).toContain('--scope files:write');
    const named = { package: 'desk', issuer: authority.issuer, scopes: ['files:write'] };
    const { scopes } = await use.signIns.check(named);
    expect(await signIn(use, { scopes })).toMatchObject({
      scopes: ['files:read', 'files:write'],
    });
    expect(await callWorks(use)).toBe(true);
  });
});

describe('the client', () => {
  withOwnHost();

  test('is the one that the operator registered, else a document, else a registration', async () => {
    authority.metadata = { client_id_metadata_document_supported: true };
    const use = await open();
    const idOf = async (oauth: SessionPolicy['oauth']) => {
      const own = await session({ policy: { oauth } });
      return new URL((await begin(own)).url).searchParams.get('client_id');
    };
    const clientMetadataUrl = 'https://example.com/client.json';
    expect(await idOf({ clientMetadataUrl, clients: { [authority.issuer]: 'mine' } })).toBe('mine');
    expect(await idOf({ clientMetadataUrl, clients: { 'https://example.com': 'x' } })).toBe(
      clientMetadataUrl,
    );
    expect(authority.count('/register')).toBe(0);
    expect(await idOf({})).toBe('client-1');
    authority.metadata = { registration_endpoint: undefined };
    await expect(begin(use)).rejects.toMatchObject({
      code: 'needs_setup',
      hint: expect.stringContaining('oauth.clients'),
    });
  });

  test('has a secret that goes to no host outside its audience, not even to revoke tokens', async () => {
    authority.confidential = true;
    authority.metadata = { revocation_endpoint: `http://localhost:${authority.port}/revoke` };
    await open();
    const registered = await fetch(`${authority.issuer}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [redirectUri] }),
    });
    const { client_id: id, client_secret: value } = (await registered.json()) as Record<string, string>;
    const use = await session({
      allow: [...allow(), `net:localhost:${authority.port}`],
      policy: { oauth: { clients: { [authority.issuer]: id } } },
    });
    const secret = { package: '@oauth', slot: authority.issuer, value: value ?? '', by };
    const signOutWith = async (hosts: readonly string[]) => {
      await bench.host.secrets.set({ ...secret, audience: { kind: 'hosts', hosts } });
      await signIn(use, { places: [`localhost:${authority.port}`] });
      return use.signIns.signOut({ package: 'desk', by });
    };
    const { left } = await signOutWith(['127.0.0.1']);
    expect(left).toEqual([expect.stringContaining('cannot revoke tokens')]);
    expect(left[0]).toContain('withdraw the access in your account');
    expect(authority.count('/revoke')).toBe(0);
    // The control: with the host in its audience, the secret is sent there.
    expect((await signOutWith(['127.0.0.1', 'localhost'])).left).toEqual([]);
    const revoked = authority.seen.find((it) => it.path === '/revoke');
    expect(revoked?.headers.authorization).toMatch(/^Basic /);
  });
});

describe('a sign-in', () => {
  const shared = withSharedHost();

  test('works once: a replayed, foreign or late answer is not used', async () => {
    const use = shared.session;
    const { id, url } = await begin(use);
    const callback = await authority.approve(url);
    const change = (name: string, value: string) => {
      const changed = new URL(callback);
      changed.searchParams.set(name, value);
      return changed.href;
    };
    const notOurs = { code: 'integrity' };
    await expect(use.signIns.finish({ id, callback: change('state', 'x') })).rejects.toMatchObject(notOurs);
    await expect(
      use.signIns.finish({ id, callback: change('iss', 'https://evil.example.com') }),
    ).rejects.toMatchObject(notOurs);
    await expect(
      use.signIns.finish({ id, callback: callback.replace('/callback', '/other') }),
    ).rejects.toMatchObject(notOurs);
    await expect(use.signIns.finish({ id, callback: `${callback}&code=other` })).rejects.toMatchObject(
      notOurs,
    );
    expect(authority.count('/token')).toBe(0);
    // The control: the same answer, unchanged, is accepted; and only once.
    expect(await use.signIns.finish({ id, callback })).toMatchObject({ package: 'desk' });
    await expect(use.signIns.finish({ id, callback })).rejects.toMatchObject({ code: 'not_found' });

    const late = await begin(use);
    const lateAnswer = await authority.approve(late.url);
    clock = 11 * 60_000;
    await expect(use.signIns.finish({ id: late.id, callback: lateAnswer })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('rejects an answer without the issuer if the server promises to send it', async () => {
    const use = shared.session;
    authority.redirect = { iss: undefined };
    await expect(signIn(use)).rejects.toMatchObject({ code: 'integrity' });
    authority.metadata = { authorization_response_iss_parameter_supported: undefined };
    expect(await signIn(use)).toMatchObject({ package: 'desk' });
  });

  test('rejects the code of somebody else', async () => {
    const use = shared.session;
    await use.signIns.signOut({ package: 'desk', by });
    const [mine, theirs] = [await begin(use), await begin(use)];
    const injected = new URL(await authority.approve(mine.url));
    const stolen = new URL(await authority.approve(theirs.url)).searchParams.get('code') ?? '';
    injected.searchParams.set('code', stolen);
    await expect(use.signIns.finish({ id: mine.id, callback: injected.href })).rejects.toMatchObject({
      code: 'auth_required',
      message: expect.not.stringContaining(stolen),
    });
    expect(await use.signIns.list()).toEqual([]);
  });

  test('that a person declines says so, in our words', async () => {
    const use = shared.session;
    authority.redirect = { error: 'access_denied', error_description: 'call this number' };
    await expect(signIn(use)).rejects.toMatchObject({
      code: 'auth_required',
      message: expect.stringContaining('declined (access_denied)'),
    });
  });

  test('needs a redirect address on this machine', async () => {
    const use = shared.session;
    for (const wrong of [
      'https://evil.example.com/callback',
      'http://127.0.0.1:80/x',
      'http://10.0.0.1:9/callback',
    ])
      await expect(begin(use, { redirectUri: wrong })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('a sign-in of its own host', () => {
  withOwnHost();

  test('finds the metadata of an issuer with a path at the last place to look', async () => {
    await tearDown();
    await setUp('/tenant');
    authority.metadataPath = '/tenant/.well-known/openid-configuration';
    const use = await open();
    server.challenge = undefined;
    expect(await signIn(use)).toMatchObject({ issuer: authority.issuer });
    const asked = authority.seen.map((it) => it.path).filter((it) => it.includes('.well-known'));
    expect(asked).toEqual([
      '/.well-known/oauth-authorization-server/tenant',
      '/.well-known/openid-configuration/tenant',
      '/tenant/.well-known/openid-configuration',
    ]);
  });

  test('needs the PIN once one is set', async () => {
    const use = await open();
    await bench.host.operator.setPin('493817', by);
    // The grants of the session are waivers; they are accepted with the PIN too.
    const pin = { name: by, channel: 'library', pin: '493817' } as const;
    for (const it of await use.waivers()) await use.acceptWaiver(it.id, pin);
    await expect(begin(use)).rejects.toMatchObject({ code: 'pin_required' });
    expect(await signIn(use, { by: pin })).toMatchObject({ package: 'desk' });
    await expect(use.signIns.signOut({ package: 'desk', by })).rejects.toMatchObject({
      code: 'pin_required',
    });
  });

  test('voids approvals that were given for the account before', async () => {
    const use = await open();
    await signIn(use);
    const rules = [{ tool: 'desk/*', approval: 'ask', origin: { kind: 'session' } }] as const;
    const asking = await session({ policy: { rules } });
    const held = await asking.call(say);
    expect(held.status).toBe('confirmation_required');
    expect(await bench.host.approvals.list()).toHaveLength(1);
    await signIn(use);
    expect(await bench.host.approvals.list()).toEqual([]);
  });
});

describe('metadata', () => {
  const shared = withSharedHost();

  const wrongServers: readonly (readonly [string, () => void, string])[] = [
    [
      'for another server',
      () => Object.assign(server.metadata, { resource: 'https://mcp.example.com/mcp' }),
      'another server',
    ],
    [
      'for a path beside the server',
      () => Object.assign(server.metadata, { resource: server.url.replace('/mcp', '/mc') }),
      'another server',
    ],
    [
      'without an authorization server',
      () => Object.assign(server.metadata, { authorization_servers: [] }),
      'names no authorization server',
    ],
    [
      'with an issuer over plain http',
      () => Object.assign(server.metadata, { authorization_servers: ['http://auth.example.com'] }),
      'must use https',
    ],
    [
      'at another host',
      () => {
        server.challenge = `Bearer resource_metadata="http://127.0.0.1:${authority.port}/x"`;
      },
      'another host',
    ],
    [
      'at an internal address',
      () => {
        server.challenge = 'Bearer resource_metadata="http://169.254.169.254/latest"';
      },
      'must use https',
    ],
  ];
  test.each(wrongServers)('of the server %s is not used', async (_name, change, message) => {
    const use = shared.session;
    // The control: without the change it is used.
    expect(await use.signIns.check({ package: 'desk' })).toMatchObject({ issuers: [authority.issuer] });
    change();
    await expect(use.signIns.check({ package: 'desk' })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
    expect(authority.seen).toEqual([]);
  });

  const wrongIssuers: readonly (readonly [string, () => Record<string, unknown>, string])[] = [
    ['of another issuer', () => ({ issuer: 'https://auth.example.com' }), 'another authorization server'],
    ['that differs by a slash', () => ({ issuer: `${authority.issuer}/` }), 'another authorization server'],
    ['without S256', () => ({ code_challenge_methods_supported: ['plain'] }), 'S256'],
    ['without PKCE', () => ({ code_challenge_methods_supported: undefined }), 'S256'],
    [
      'with a token endpoint at another host',
      () => ({ token_endpoint: 'https://evil.example.com/token' }),
      'evil.example.com:443',
    ],
    [
      'with a registration at another port',
      () => ({ registration_endpoint: 'http://127.0.0.1:9/register' }),
      '127.0.0.1:9',
    ],
    [
      'with a page that is no web page',
      () => ({ authorization_endpoint: 'javascript:alert(1)' }),
      'must use https',
    ],
  ];
  test.each(wrongIssuers)('of the authorization server %s is not used', async (_name, change, message) => {
    const use = shared.session;
    const check = () => use.signIns.check({ package: 'desk', issuer: authority.issuer });
    expect((await check()).places).toEqual([`127.0.0.1:${authority.port}`]);
    await begin(use);
    authority.metadata = change();
    authority.seen.length = 0;
    await expect(begin(use)).rejects.toMatchObject({ message: expect.stringContaining(message) });
    expect(authority.seen.map((it) => it.path).filter((it) => !it.startsWith('/.well-known'))).toEqual([]);
  });

  test('too large is not read', async () => {
    const use = shared.session;
    authority.metadata = { filler: 'x'.repeat(300_000) };
    await expect(begin(use)).rejects.toMatchObject({ code: 'output_too_large' });
  });

  test('that never comes is not waited for', async () => {
    authority.intercept = (path) => path.startsWith('/.well-known/oauth');
    const here = [{ host: '127.0.0.1', port: authority.port }];
    const access = {
      client: guardedClient(),
      reach: { hosts: here, granted: here },
      signal: new AbortController().signal,
    };
    const fetched = fetchAuthorizationServer(authority.issuer, { ...access, timeoutMs: 200 });
    await expect(fetched).rejects.toMatchObject({ code: 'timeout' });
  });

  test('behind a redirect is not used', async () => {
    const use = shared.session;
    authority.intercept = (path, response) => {
      if (!path.startsWith('/.well-known/oauth')) return false;
      response.writeHead(302, { location: `/moved${path}` }).end();
      return true;
    };
    await expect(begin(use)).rejects.toMatchObject({ code: 'network_denied' });
    expect(authority.seen.filter((it) => it.path.startsWith('/moved'))).toEqual([]);
  });

  test('of an authorization server on this machine needs a grant, and one nobody agreed to gets no request', async () => {
    const port = new URL(server.url).port;
    const narrow = await session({ allow: [`net:127.0.0.1:${port}`] });
    await expect(begin(narrow)).rejects.toMatchObject({ code: 'network_denied' });
    await expect(begin(narrow, { issuer: 'https://auth.example.com' })).rejects.toMatchObject({
      code: 'denied',
    });
    expect(authority.seen).toEqual([]);
  });
});

describe('signing out', () => {
  withOwnHost();

  test('revokes the tokens, erases them, and the package needs a sign-in again', async () => {
    const use = await open();
    await signIn(use);
    expect(await callWorks(use)).toBe(true);
    const token = lastToken();
    expect(await use.signIns.signOut({ package: 'desk', by })).toEqual({
      package: 'desk',
      programs: ['server'],
      left: [],
    });
    expect(authority.accepts(token, server.url)).toBe(false);
    expect(await bench.host.secrets.list()).toEqual([]);
    expect(await stateOf(use)).toMatchObject({ state: 'needs-setup' });
    const requests = server.authorizations.length;
    expect((await failureOf(use.call(say))).message).toContain('toolwharf sign-in desk');
    expect(server.authorizations.slice(requests).filter((it) => it !== null)).toEqual([]);
  });

  test('erases them also if the server cannot revoke, and says what is left', async () => {
    const use = await open();
    await signIn(use);
    authority.intercept = (path, response) => {
      if (path !== '/revoke') return false;
      response.writeHead(503).end(authority.issued.join(' '));
      return true;
    };
    const { left } = await use.signIns.signOut({ package: 'desk', by });
    expect(left[0]).toMatch(
      /was not revoked: it did not revoke the token: it answered 503; withdraw the access/,
    );
    expect(await bench.host.secrets.list()).toEqual([]);
    authority.metadata = { revocation_endpoint: undefined };
    await signIn(use);
    expect((await use.signIns.signOut({ package: 'desk', by })).left[0]).toContain('cannot revoke tokens');
  });
});

describe('an installed package', () => {
  withOwnHost();

  test.each(['revoke', 'remove'] as const)('ends its sign-in at the server: %s', async (verb) => {
    await open();
    const { installations } = await session({ directories: [], accept: null });
    const source = join(bench.packages, 'desk');
    const given = { source, allow: [...allow(), 'net:127.0.0.1'] };
    const plan = await installations.plan(given).catch(() => installations.plan({ source, allow: allow() }));
    await installations.install({ source, allow: allow(), agree: plan.digest, by, skipSmoke: true });
    // The grant for the authority is that of the installation.
    const use = await bench.session({ directories: [], accept: null, allow: allow().slice(0, 1) });
    expect((await stateOf(use))?.reasons[0]).toMatch(/Sign in: toolwharf sign-in desk$/);
    await signIn(use);
    expect(await callWorks(use)).toBe(true);
    const token = lastToken();
    expect(authority.accepts(token, server.url)).toBe(true);
    const { steps, left } = await use.installations[verb]({ package: 'desk', by });
    expect(steps).toContainEqual({ name: 'sign out', status: 'done', detail: 'server' });
    expect(left.filter((it) => it.includes('revoked'))).toEqual([]);
    expect(authority.accepts(token, server.url)).toBe(false);
    expect(await bench.host.secrets.list()).toEqual([]);
  });
});
