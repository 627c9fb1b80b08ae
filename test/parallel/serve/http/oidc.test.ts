// People and programs that authenticate with an identity provider. The provider is real, its keys are made
// here, and every invalid token is tested next to a valid one.
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type IdentityProvider,
  InvalidToken,
  openIdentityProvider,
} from '../../../../src/serve/http/oidc/identity-provider.js';
import type { KeyTimes } from '../../../../src/serve/http/oidc/issuer-keys.js';
import { type HttpBench, httpBench, modern, request } from '../../../support/http-bench.js';
import { audience, type Issuer, newKey, openIssuer, type TestKey } from '../../../support/issuer.js';
import { main, patchTool, temporaryFolder, toolwharf, until } from '../../../support/toolwharf.js';

let clock = Date.now();
const now = () => clock;
const refreshErrors: unknown[] = [];
const times: KeyTimes = { freshMs: 60_000, staleMs: 600_000, retryMs: 10_000 };
let issuer: Issuer;
let provider: IdentityProvider;

async function open(
  rest: Partial<Parameters<typeof openIdentityProvider>[0]> = {},
): Promise<IdentityProvider> {
  return openIdentityProvider({
    issuer: issuer.url,
    audience,
    operator: { claim: 'roles', value: 'toolwharf-operator' },
    read: issuer.read,
    now,
    onRefreshError: (error) => refreshErrors.push(error),
    times,
    ...rest,
  });
}

async function fresh(): Promise<void> {
  clock = Date.now();
  refreshErrors.length = 0;
  issuer = await openIssuer(now);
  provider = await open();
}

const verdictOf = (token: string) =>
  provider.check(token).then(
    () => 'accepted',
    (error) => {
      if (!(error instanceof InvalidToken)) throw error;
      return error.message;
    },
  );

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token', () => {
  beforeAll(fresh);
  afterAll(() => issuer.close());

  test('a valid token gives subject, issuer and expiry', async () => {
    const seconds = Math.floor(clock / 1000);
    expect(await provider.check(await issuer.token({ exp: seconds + 100 }))).toEqual({
      id: 'oidc:agent:alice',
      name: 'alice',
      role: 'agent',
      expiresAt: (seconds + 130) * 1000,
      principal: `oidc/${issuer.url}#alice`,
      mayApprove: false,
    });
  });

  test('subjects cannot collide or contain terminal control characters', async () => {
    const { principal } = await provider.check(await issuer.token({ sub: 'a#b/c d\u{202e}%23' }));
    expect(principal).toBe(`oidc/${issuer.url}#a%23b%2Fc%20d%E2%80%AE%2523`);
    for (const sub of ['', 'a\u001bb', 'x'.repeat(256), '\ud800'])
      expect(await verdictOf(await issuer.token({ sub }))).toMatch(/no usable subject/);
  });

  const wrong: [string, RegExp, () => Promise<string>][] = [
    ['that has expired', /expired/, () => issuer.token({ exp: Math.floor(clock / 1000) - 31 })],
    ['without an expiry time', /no expiry time/, () => issuer.token({ exp: undefined as never })],
    ['that is not valid yet', /not valid yet/, () => issuer.token({ nbf: Math.floor(clock / 1000) + 31 })],
    ['for another audience', /another audience/, () => issuer.token({ aud: 'https://other.example/mcp' })],
    [
      'for names that only contain our audience',
      /another audience/,
      () => issuer.token({ aud: [`${audience}/x`, audience.slice(0, -1)] }),
    ],
    ['without an audience', /another audience/, () => issuer.token({ aud: undefined as never })],
    ['of another issuer', /another issuer/, () => issuer.token({ iss: `${issuer.url}/other` })],
    ['without an issuer', /another issuer/, () => issuer.token({ iss: undefined as never })],
    ['without a subject', /no subject/, () => issuer.token({ sub: undefined as never })],
    ['that is an ID token with a nonce', /not an access token/, () => idToken({ nonce: 'n' })],
    ['that is an ID token with a hash', /not an access token/, () => idToken({ at_hash: 'h' })],
    [
      'that is an ID token without scope or client',
      /not an access token/,
      () => idToken({ scope: undefined as never }),
    ],
    ['that says it is an ID token', /not an access token/, () => idToken({ typ: 'ID' })],
    [
      'of another type',
      /type is not an access token/,
      () => issuer.token({}, { header: { typ: 'logout+jwt' } }),
    ],
    ['that is bound to a key', /bound to a client key/, () => issuer.token({ cnf: { jkt: 'x' } })],
    [
      'with a header it does not understand',
      /not supported/,
      () => issuer.token({}, { header: { crit: ['x'], x: 1 } }).catch(() => critical()),
    ],
    [
      'whose claims were replaced',
      /signature/,
      async () => {
        const [head, , signature] = (await issuer.token()).split('.');
        const seconds = Math.floor(clock / 1000);
        const claims = { iss: issuer.url, aud: audience, sub: 'root', scope: 'x', exp: seconds + 300 };
        return `${head}.${part(claims)}.${signature}`;
      },
    ],
    [
      'that is not signed',
      /signature algorithm of the token is not allowed/,
      async () => {
        const [, claims] = (await issuer.token()).split('.');
        return `${part({ alg: 'none', typ: 'at+jwt', kid: 'first' })}.${claims}.`;
      },
    ],
    [
      'with another signature algorithm',
      /signature algorithm of the token is not allowed/,
      async () => {
        const [, claims] = (await issuer.token()).split('.');
        return `${part({ alg: 'ES256K', typ: 'at+jwt', kid: 'first' })}.${claims}.AAAA`;
      },
    ],
    [
      'signed by another key with the same key id',
      /signature/,
      async () => issuer.token({}, { key: await newKey('first') }),
    ],
    [
      'signed with a key that is not published',
      /publishes no key for/,
      async () => issuer.token({}, { key: await newKey('unknown') }),
    ],
    [
      'that contains its own key',
      /publishes no key for/,
      async () => {
        const key = await newKey('mine');
        return issuer.token({}, { key, header: { jwk: key.published } });
      },
    ],
    ['with five parts', /cannot be read/, async () => 'e30.e30.e30.e30.e30'],
    ['with empty parts', /cannot be read/, async () => '..'],
  ];

  const idToken = (claims: Record<string, unknown>) => issuer.token(claims, { header: { typ: 'JWT' } });
  const critical = async () => {
    const [, claims, signature] = (await issuer.token()).split('.');
    return `${part({ alg: 'ES256', kid: 'first', crit: ['x'], x: 1 })}.${claims}.${signature}`;
  };

  test.each(wrong)('a token %s is rejected', async (_, reason, make) => {
    expect(await verdictOf(await issuer.token())).toBe('accepted');
    expect(await verdictOf(await make())).toMatch(reason);
  });

  test('a token signed with the public key as shared secret is rejected', async () => {
    const rsa = await newKey('rsa', 'RS256');
    issuer.keys = { keys: [issuer.key.published, { ...rsa.published, alg: undefined }] };
    clock += times.retryMs + 1;
    expect(await verdictOf(await issuer.token({}, { key: rsa }))).toBe('accepted');
    const secret = await exportSPKI(
      (await importJWK(rsa.published, 'RS256', { extractable: true })) as Parameters<typeof exportSPKI>[0],
    );
    const [, claims] = (await issuer.token()).split('.');
    const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'rsa' })}.${claims}`;
    const forged = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    expect(await verdictOf(forged)).toMatch(/signature algorithm of the token is not allowed/);
  });

  test('a token without a type is accepted if it names a client or a scope', async () => {
    for (const claims of [
      { scope: 'x' },
      { scope: undefined, client_id: 'c' },
      { scope: undefined, scp: ['x'] },
    ])
      expect(await verdictOf(await idToken(claims as never))).toBe('accepted');
  });

  test('a token slightly before or after its time is accepted, because clocks differ', async () => {
    const seconds = Math.floor(clock / 1000);
    expect(await verdictOf(await issuer.token({ nbf: seconds + 25 }))).toBe('accepted');
    expect(await verdictOf(await issuer.token({ exp: seconds - 25 }))).toBe('accepted');
  });

  test('a token gives the operator role only by the configured claim', async () => {
    const role = async (claims: Record<string, unknown>, by = provider) =>
      (await by.check(await issuer.token(claims))).role;
    expect(await role({ roles: ['x', 'toolwharf-operator'] })).toBe('operator');
    expect(await role({ roles: 'toolwharf-operator' })).toBe('operator');
    for (const roles of [
      'toolwharf-operator2',
      'a toolwharf-operator',
      ['toolwharf'],
      { 'toolwharf-operator': 1 },
      null,
    ])
      expect(await role({ roles })).toBe('agent');
    expect(await role({ role: 'toolwharf-operator', scope: 'toolwharf-operator' })).toBe('agent');
    const none = await openIdentityProvider({
      issuer: issuer.url,
      audience,
      read: issuer.read,
      now,
      onRefreshError: () => {},
    });
    expect(await role({ roles: ['toolwharf-operator', 'operator', 'admin'] }, none)).toBe('agent');
    const nested = await open({ operator: { claim: 'realm_access.roles', value: 'admin' } });
    expect(await role({ realm_access: { roles: ['admin'] } }, nested)).toBe('operator');
    expect(await role({ 'realm_access.roles': ['user'], realm_access: { roles: ['admin'] } }, nested)).toBe(
      'agent',
    );
    const scope = await open({ operator: { claim: 'scope', value: 'admin' } });
    expect(await role({ scope: 'tools admin' }, scope)).toBe('operator');
    expect(await role({ scope: 'tools administrator' }, scope)).toBe('agent');
  });
});

describe('keys of the issuer', () => {
  beforeAll(fresh);
  afterEach(async () => {
    await issuer.close();
    await fresh();
  });
  afterAll(() => issuer.close());

  const rotated = async (): Promise<TestKey> => {
    const second = await newKey('second');
    issuer.keys = { keys: [second.published] };
    return second;
  };

  test('new keys are found at once, and a cached token of an old key is rejected', async () => {
    const old = await issuer.token();
    expect(await verdictOf(old)).toBe('accepted');
    const second = await rotated();
    expect(await verdictOf(old)).toBe('accepted');
    clock += times.retryMs + 1;
    expect(await verdictOf(await issuer.token({}, { key: second }))).toBe('accepted');
    expect(await verdictOf(old)).toMatch(/publishes no key for/);
  });

  test('keys are refreshed in the background', async () => {
    const old = await issuer.token();
    await verdictOf(old);
    await rotated();
    clock += times.freshMs + 1;
    await verdictOf(old);
    await until(async () => (await verdictOf(old)) !== 'accepted');
    expect(await verdictOf(old)).toMatch(/publishes no key for/);
  });

  test('keys are not fetched more often than the minimum interval, whatever tokens arrive', async () => {
    const strange = await newKey('strange');
    const before = issuer.fetched;
    clock += times.retryMs + 1;
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        issuer.token({ sub: `s${at}` }, { key: { ...strange, kid: `k${at}` } }),
      ),
    );
    for (const reason of await Promise.all(tokens.map(verdictOf)))
      expect(reason).toMatch(/publishes no key for/);
    for (const token of tokens) await verdictOf(token);
    expect(issuer.fetched - before).toBe(1);
    clock += times.retryMs + 1;
    await verdictOf(tokens[0] as string);
    expect(issuer.fetched - before).toBe(2);
  });

  test('keys stay in use while the issuer is down, but not forever', async () => {
    issuer.down = true;
    clock += times.freshMs + 1;
    expect(await verdictOf(await issuer.token())).toBe('accepted');
    await until(() => refreshErrors.length > 0);
    clock += times.staleMs;
    await expect(provider.check(await issuer.token())).rejects.toMatchObject({ code: 'host_unreachable' });
    issuer.down = false;
    clock += times.retryMs + 1;
    expect(await verdictOf(await issuer.token())).toBe('accepted');
  });

  test('an invalid key set does not replace a valid one', async () => {
    issuer.keys = { keys: 'none' };
    clock += times.retryMs + 1;
    expect(await verdictOf(await issuer.token({}, { key: await newKey('other') }))).toMatch(
      /publishes no key for/,
    );
    expect(refreshErrors).toHaveLength(1);
    expect(await verdictOf(await issuer.token())).toBe('accepted');
  });

  test('a cached token still expires', async () => {
    const token = await issuer.token();
    expect(await verdictOf(token)).toBe('accepted');
    clock += 331_000;
    expect(await verdictOf(token)).toMatch(/expired/);
  });

  test.each([
    [
      'is for another issuer',
      (it: Issuer) => ({ issuer: `${it.url}/`, jwks_uri: `${it.url}/keys` }),
      /for another issuer/,
    ],
    ['names no key URL', (it: Issuer) => ({ issuer: it.url }), /jwks_uri/],
    ['is not JSON', () => '<html>', /not JSON/],
    ['is missing', () => undefined, /no discovery document/],
    [
      'names a key URL without a grant',
      (it: Issuer) => ({ issuer: it.url, jwks_uri: 'http://127.0.0.1:1/keys' }),
      /needs the operator's grant/,
    ],
    [
      'names a missing key URL',
      (it: Issuer) => ({ issuer: it.url, jwks_uri: `${it.url}/nothing` }),
      /no keys at/,
    ],
  ])('the provider does not open if the discovery document %s', async (_, document, reason) => {
    await open();
    issuer.document = document(issuer);
    await expect(open()).rejects.toMatchObject({ message: expect.stringMatching(reason) });
  });

  test('the provider does not open while the issuer is down', async () => {
    issuer.down = true;
    await expect(open()).rejects.toMatchObject({
      code: 'network_failed',
      message: expect.stringContaining(issuer.url),
      hint: expect.stringContaining('issuer'),
    });
  });
});

describe('over HTTP', () => {
  let home: HttpBench;
  beforeAll(async () => {
    await fresh();
    home = await httpBench({ sweepMs: 50, signedIn: 3 }, { provider, names: ['tools.example.com'], now });
  });
  afterAll(async () => {
    await home.close();
    await issuer.close();
  });

  test('a token lists and calls under its own name, roles apply, and stored tokens still work', async () => {
    const agent = await issuer.token();
    const body = { tool: 'word_count', arguments: { text: 'a b' } };
    expect((await home.request('/api/v1/call', { token: agent, body })).json.result).toEqual({ words: 2 });
    const entries = await home.bench.host.auditTail(10);
    expect(JSON.stringify(entries)).toContain(`oidc/${issuer.url}#alice`);
    const listed = await home.request('/mcp', { token: agent, ...modern('tools/list') });
    expect(listed.json.result.tools.length).toBeGreaterThan(0);
    expect((await home.request('/api/v1/approvals', { token: agent })).status).toBe(403);
    const operator = await issuer.token({ roles: ['toolwharf-operator'] });
    expect((await home.request('/api/v1/approvals', { token: operator })).status).toBe(200);
    expect((await home.request('/api/v1/tools')).status).toBe(200);
    const { token } = await home.token('kept');
    expect((await home.request('/api/v1/tools', { token })).status).toBe(200);
  });

  test('a rejected request says why, and the metadata names issuer and resource', async () => {
    const none = await request(home.port, '/mcp', { body: {} });
    expect(none.status).toBe(401);
    const place = `http://127.0.0.1:${home.port}/.well-known/oauth-protected-resource/mcp`;
    expect(none.headers['www-authenticate']).toBe(`Bearer realm="toolwharf", resource_metadata="${place}"`);
    const wrong = await request(home.port, '/api/v1/tools', { token: await issuer.token({ aud: 'x' }) });
    expect([wrong.status, wrong.json.error.code]).toEqual([401, 'auth_required']);
    expect(wrong.headers['www-authenticate']).toBe(
      `Bearer realm="toolwharf", error="invalid_token", error_description="the token is for another audience (aud)", resource_metadata="${place.slice(0, -4)}"`,
    );
    expect(wrong.json.error.hint).toContain(issuer.url);
    const found = await request(home.port, '/.well-known/oauth-protected-resource/mcp');
    expect(found.json).toEqual({
      resource: `http://127.0.0.1:${home.port}/mcp`,
      resource_name: 'Toolwharf',
      authorization_servers: [issuer.url],
      bearer_methods_supported: ['header'],
    });
    const headers = { host: 'tools.example.com' };
    const named = await request(home.port, '/.well-known/oauth-protected-resource', { headers });
    expect(named.json.resource).toBe('https://tools.example.com');
    const strange = { headers: { host: 'evil.example' } };
    expect((await request(home.port, '/.well-known/oauth-protected-resource', strange)).status).toBe(403);
    const documents = readFileSync(join(import.meta.dirname, '../../../../docs/http.md'), 'utf8');
    expect(documents).toContain('/.well-known/oauth-protected-resource');
    expect((await home.request('/openapi.json')).json.paths).toHaveProperty([
      '/.well-known/oauth-protected-resource/mcp',
    ]);
  });

  test('without an issuer there is no metadata, and a token of an issuer is rejected', async () => {
    const plain = await httpBench();
    try {
      expect((await request(plain.port, '/.well-known/oauth-protected-resource')).status).toBe(401);
      expect((await request(plain.port, '/api/v1/tools', { token: await issuer.token() })).status).toBe(401);
    } finally {
      await plain.close();
    }
  });

  test('an identity and its streams are removed when its last token expires', async () => {
    const begin = async (token: string) =>
      home.request('/mcp', {
        token,
        headers: { accept: 'application/json, text/event-stream' },
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
          },
        },
      });
    const token = await issuer.token({ sub: 'bob' });
    const { headers } = await begin(token);
    const stream = request(home.port, '/mcp', {
      token,
      headers: { accept: 'text/event-stream', 'mcp-session-id': headers['mcp-session-id'] as string },
    });
    const ended = stream.then(
      () => 'ended',
      () => 'cut off',
    );
    const sessions = async () =>
      (await home.request('/api/v1/sessions', { token: home.operator })).json.sessions as {
        inUse: boolean;
      }[];
    await until(async () => (await sessions()).some((it) => it.inUse));
    clock += 331_000;
    // It ends by itself, or with its connection.
    await ended;
    await until(async () => (await sessions()).length === 0);
  });

  test('a new identity is rejected only while too many others are active', async () => {
    for (const sub of ['p1', 'p2', 'p3', 'p4', 'p5'])
      expect((await home.request('/api/v1/tools', { token: await issuer.token({ sub }) })).status).toBe(200);
    const leave = new AbortController();
    const busy = await Promise.all(
      ['q1', 'q2', 'q3']
        .map(async (sub) => {
          const token = await issuer.token({ sub });
          const body = { tool: 'sleep', arguments: { text: '60' } };
          return home.request('/api/v1/call', { token, body, signal: leave.signal }).catch(() => 'left');
        })
        .map((it) => ({ done: it })),
    );
    const metric = async () =>
      /toolwharf_http_requests_running (\d+)/.exec(
        (await home.request('/metrics', { token: home.operator })).text,
      )?.[1];
    await until(async () => (await metric()) === '4');
    const refused = await home.request('/api/v1/tools', { token: await issuer.token({ sub: 'late' }) });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    leave.abort();
    for (const it of busy) expect(await it.done).toBe('left');
    await until(async () => (await metric()) === '1');
    expect((await home.request('/api/v1/tools', { token: await issuer.token({ sub: 'late' }) })).status).toBe(
      200,
    );
  });

  test('tokens that cannot be verified get 503, and stored tokens still work', async () => {
    issuer.down = true;
    clock += times.staleMs + times.freshMs;
    const answer = await home.request('/api/v1/tools', { token: await issuer.token() });
    expect([answer.status, answer.json.error.code]).toEqual([503, 'host_unreachable']);
    expect((await home.request('/api/v1/tools')).status).toBe(200);
    issuer.down = false;
  });
});

describe('the real program "serve"', () => {
  const folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'project/toolwharf.toml': '[http.oidc]\nissuer = "https://id.example.com"\naudience = "x"\n',
    'nested.toml': 'http.oidc = 3\n',
  });
  const args = (...more: string[]) => [
    ...['serve', join(folder.path, 'tools'), '--json', '--port', '0', '--state', join(folder.path, 'state')],
    ...more,
  ];
  const env = { HOME: folder.path, XDG_CONFIG_HOME: folder.path };
  beforeAll(fresh);
  afterAll(async () => {
    await issuer.close();
    folder.remove();
  });

  test('serve accepts tokens of the configured issuer', async () => {
    const granted = ['--allow', `net:127.0.0.1:${issuer.port}`];
    const oidc = [
      '--oidc-issuer',
      issuer.url,
      '--oidc-audience',
      audience,
      '--oidc-role-claim',
      'groups=admins',
    ];
    const child = spawn(process.execPath, [main, ...args(...oidc, ...granted)], {
      cwd: folder.path,
      env: { ...env, PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let out = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      await until(() => out.includes('\n'), 30_000);
      const first = JSON.parse(out.split('\n', 1)[0] as string);
      expect(first.oidc).toEqual({ issuer: issuer.url, audience });
      const port = Number(new URL(first.mcp).port);
      const look = async (path: string, claims = {}) =>
        (await request(port, path, { token: await issuer.token(claims) })).status;
      expect(await look('/api/v1/tools')).toBe(200);
      expect(await look('/api/v1/approvals')).toBe(403);
      expect(await look('/api/v1/approvals', { groups: ['admins'] })).toBe(200);
      expect(await look('/api/v1/tools', { aud: 'other' })).toBe(401);
    } finally {
      child.kill();
      await new Promise((resolve) => child.once('close', resolve));
    }
  });

  const start = (...more: string[]) => toolwharf(args(...more), { cwd: folder.path, env });

  test.each([
    [
      'without the grant that plain http needs',
      ['--oidc-issuer', 'URL', '--oidc-audience', 'x'],
      5,
      /net:127\.0\.0\.1:\d+/,
    ],
    ['without an audience', ['--oidc-issuer', 'URL'], 2, /--oidc-audience/],
    ['without an issuer', ['--oidc-audience', 'x'], 2, /--oidc-issuer/],
    [
      'with a role claim without a value',
      ['--oidc-issuer', 'URL', '--oidc-audience', 'x', '--oidc-role-claim', 'admin'],
      2,
      /CLAIM=VALUE/,
    ],
    [
      'with an issuer over plain http',
      ['--oidc-issuer', 'http://id.example.com', '--oidc-audience', 'x'],
      2,
      /https/,
    ],
    ['without HTTP', ['--no-http', '--oidc-issuer', 'URL'], 2, /--no-http/],
  ])('serve does not start %s', async (_, given, exit, reason) => {
    const done = await start(...given.map((it) => it.replace('URL', issuer.url)));
    expect([done.code, done.stdout + done.stderr]).toEqual([exit, expect.stringMatching(reason)]);
  });

  test('serve does not start while the issuer is down', async () => {
    issuer.down = true;
    const granted = ['--allow', `net:127.0.0.1:${issuer.port}`];
    const done = await start('--oidc-issuer', issuer.url, '--oidc-audience', 'x', ...granted);
    issuer.down = false;
    expect([done.code, done.stdout + done.stderr]).toEqual([
      1,
      expect.stringContaining('does not start without these keys'),
    ]);
  });

  test('a project configuration cannot add an issuer, and http.oidc must be a table', async () => {
    const project = await toolwharf(args(), { cwd: join(folder.path, 'project'), env });
    expect([project.code, project.stderr]).toEqual([
      3,
      expect.stringContaining('http.oidc.issuer cannot be set in a project file'),
    ]);
    const wrong = await start('--config', join(folder.path, 'nested.toml'));
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('http.oidc is not a table')]);
  });

  test('a public address needs an issuer or a stored token', async () => {
    // Rejected before anything is opened: the test never listens on a public address.
    const done = await start('--listen', '0.0.0.0');
    expect([done.code, done.stdout + done.stderr]).toEqual([4, expect.stringContaining('--oidc-issuer')]);
    issuer.down = true;
    const granted = ['--allow', `net:127.0.0.1:${issuer.port}`];
    const other = await start(
      '--listen',
      '0.0.0.0',
      '--oidc-issuer',
      issuer.url,
      '--oidc-audience',
      'x',
      ...granted,
    );
    issuer.down = false;
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('tokens are sent unencrypted')]);
  });
});
