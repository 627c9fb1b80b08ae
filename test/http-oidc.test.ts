// People and programs that an identity provider vouches for. The provider is real, its keys are made here, and every
// way a token can be wrong is tried beside one that is right.
import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportSPKI, importJWK } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openProvider, type Provider, WrongToken } from '../src/serve/http/oidc/provider.js';
import { type House, house, modern, visit } from './http-house.js';
import { audience, type Issuer, newKey, openIssuer, type TestKey } from './issuer.js';
import { main, patchTool, temporaryFolder, toolwharf, until } from './toolwharf.js';

let clock = Date.now();
const now = () => clock;
const troubles: unknown[] = [];
const times = { freshMs: 60_000, staleMs: 600_000, againMs: 10_000 };
let issuer: Issuer;
let provider: Provider;

async function open(rest: Partial<Parameters<typeof openProvider>[0]> = {}): Promise<Provider> {
  return openProvider({
    issuer: issuer.url,
    audience,
    operator: { claim: 'roles', value: 'toolwharf-operator' },
    read: issuer.read,
    now,
    onTrouble: (error) => troubles.push(error),
    times,
    ...rest,
  });
}

async function fresh(): Promise<void> {
  clock = Date.now();
  troubles.length = 0;
  issuer = await openIssuer(now);
  provider = await open();
}

const refusal = (token: string) =>
  provider.check(token).then(
    () => 'let in',
    (error) => {
      if (!(error instanceof WrongToken)) throw error;
      return error.message;
    },
  );

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token', () => {
  beforeAll(fresh);
  afterAll(() => issuer.close());

  test('that is right names its subject, scoped by the issuer, with an end', async () => {
    const seconds = Math.floor(clock / 1000);
    expect(await provider.check(await issuer.token({ exp: seconds + 100 }))).toEqual({
      id: 'oidc:agent:alice',
      name: 'alice',
      role: 'agent',
      expiresAt: (seconds + 130) * 1000,
      principal: `oidc/${issuer.url}#alice`,
    });
  });

  test('subjects cannot be spelled so that they collide or drive a terminal', async () => {
    const { principal } = await provider.check(await issuer.token({ sub: 'a#b/c d\u{202e}%23' }));
    expect(principal).toBe(`oidc/${issuer.url}#a%23b%2Fc%20d%E2%80%AE%2523`);
    for (const sub of ['', 'a\u001bb', 'x'.repeat(256), '\ud800'])
      expect(await refusal(await issuer.token({ sub }))).toMatch(/names nobody/);
  });

  const wrong: [string, RegExp, () => Promise<string>][] = [
    ['that has run out', /run out/, () => issuer.token({ exp: Math.floor(clock / 1000) - 31 })],
    ['without an end', /when it runs out/, () => issuer.token({ exp: undefined as never })],
    ['that is not good yet', /not good yet/, () => issuer.token({ nbf: Math.floor(clock / 1000) + 31 })],
    ['for another resource', /somebody else/, () => issuer.token({ aud: 'https://other.example/mcp' })],
    [
      'for names that only contain ours',
      /somebody else/,
      () => issuer.token({ aud: [`${audience}/x`, audience.slice(0, -1)] }),
    ],
    ['for nobody', /somebody else/, () => issuer.token({ aud: undefined as never })],
    ['of another issuer', /another issuer/, () => issuer.token({ iss: `${issuer.url}/other` })],
    ['without an issuer', /another issuer/, () => issuer.token({ iss: undefined as never })],
    ['without a subject', /names nobody/, () => issuer.token({ sub: undefined as never })],
    ['that is an ID token by its nonce', /not an access token/, () => idToken({ nonce: 'n' })],
    ['that is an ID token by its hash', /not an access token/, () => idToken({ at_hash: 'h' })],
    [
      'that is an ID token by what it lacks',
      /not an access token/,
      () => idToken({ scope: undefined as never }),
    ],
    ['that says it is an ID token', /not an access token/, () => idToken({ typ: 'ID' })],
    ['of another kind', /another kind/, () => issuer.token({}, { header: { typ: 'logout+jwt' } })],
    ['that is bound to a key', /bound to a key/, () => issuer.token({ cnf: { jkt: 'x' } })],
    [
      'with a header it does not understand',
      /not supported/,
      () => issuer.token({}, { header: { crit: ['x'], x: 1 } }).catch(() => critical()),
    ],
    [
      'whose claims were exchanged',
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
      /not accepted/,
      async () => {
        const [, claims] = (await issuer.token()).split('.');
        return `${part({ alg: 'none', typ: 'at+jwt', kid: 'first' })}.${claims}.`;
      },
    ],
    [
      'of another kind of signature',
      /not accepted/,
      async () => {
        const [, claims] = (await issuer.token()).split('.');
        return `${part({ alg: 'ES256K', typ: 'at+jwt', kid: 'first' })}.${claims}.AAAA`;
      },
    ],
    [
      'signed by somebody else with our key id',
      /signature/,
      async () => issuer.token({}, { key: await newKey('first') }),
    ],
    [
      'signed with a key that is not published',
      /no key that fits/,
      async () => issuer.token({}, { key: await newKey('unknown') }),
    ],
    [
      'that brings its key',
      /no key that fits/,
      async () => {
        const key = await newKey('mine');
        return issuer.token({}, { key, header: { jwk: key.published } });
      },
    ],
    ['of five parts', /cannot be read/, async () => 'e30.e30.e30.e30.e30'],
    ['of nothing', /cannot be read/, async () => '..'],
  ];

  const idToken = (claims: Record<string, unknown>) => issuer.token(claims, { header: { typ: 'JWT' } });
  const critical = async () => {
    const [, claims, signature] = (await issuer.token()).split('.');
    return `${part({ alg: 'ES256', kid: 'first', crit: ['x'], x: 1 })}.${claims}.${signature}`;
  };

  test.each(wrong)('%s is refused', async (_, reason, make) => {
    expect(await refusal(await issuer.token())).toBe('let in');
    expect(await refusal(await make())).toMatch(reason);
  });

  test('made with the published key as a shared secret is refused', async () => {
    const rsa = await newKey('rsa', 'RS256');
    issuer.keys = { keys: [issuer.key.published, { ...rsa.published, alg: undefined }] };
    clock += times.againMs + 1;
    expect(await refusal(await issuer.token({}, { key: rsa }))).toBe('let in');
    const secret = await exportSPKI(
      (await importJWK(rsa.published, 'RS256', { extractable: true })) as Parameters<typeof exportSPKI>[0],
    );
    const [, claims] = (await issuer.token()).split('.');
    const signed = `${part({ alg: 'HS256', typ: 'at+jwt', kid: 'rsa' })}.${claims}`;
    const forged = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    expect(await refusal(forged)).toMatch(/not accepted/);
  });

  test('without a type is let in where it says what client or scope it is for', async () => {
    for (const claims of [
      { scope: 'x' },
      { scope: undefined, client_id: 'c' },
      { scope: undefined, scp: ['x'] },
    ])
      expect(await refusal(await idToken(claims as never))).toBe('let in');
  });

  test('a little early or late is let in, for clocks differ', async () => {
    const seconds = Math.floor(clock / 1000);
    expect(await refusal(await issuer.token({ nbf: seconds + 25 }))).toBe('let in');
    expect(await refusal(await issuer.token({ exp: seconds - 25 }))).toBe('let in');
  });

  test('makes an operator only by the claim that was configured', async () => {
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
    const none = await openProvider({
      issuer: issuer.url,
      audience,
      read: issuer.read,
      now,
      onTrouble: () => {},
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

describe('keys', () => {
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

  test('that are new are found at once, and a token of an old one is no good any more, remembered or not', async () => {
    const old = await issuer.token();
    expect(await refusal(old)).toBe('let in');
    const second = await rotated();
    expect(await refusal(old)).toBe('let in');
    clock += times.againMs + 1;
    expect(await refusal(await issuer.token({}, { key: second }))).toBe('let in');
    expect(await refusal(old)).toMatch(/no key that fits/);
  });

  test('that nobody asked for by name are renewed in the background', async () => {
    const old = await issuer.token();
    await refusal(old);
    await rotated();
    clock += times.freshMs + 1;
    await refusal(old);
    await until(async () => (await refusal(old)) !== 'let in');
    expect(await refusal(old)).toMatch(/no key that fits/);
  });

  test('are not asked for more often than the least time, whatever tokens say', async () => {
    const strange = await newKey('strange');
    const before = issuer.fetched;
    clock += times.againMs + 1;
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        issuer.token({ sub: `s${at}` }, { key: { ...strange, kid: `k${at}` } }),
      ),
    );
    for (const reason of await Promise.all(tokens.map(refusal))) expect(reason).toMatch(/no key that fits/);
    for (const token of tokens) await refusal(token);
    expect(issuer.fetched - before).toBe(1);
    clock += times.againMs + 1;
    await refusal(tokens[0] as string);
    expect(issuer.fetched - before).toBe(2);
  });

  test('are used on while the issuer is away, and not for ever', async () => {
    issuer.down = true;
    clock += times.freshMs + 1;
    expect(await refusal(await issuer.token())).toBe('let in');
    await until(() => troubles.length > 0);
    clock += times.staleMs;
    await expect(provider.check(await issuer.token())).rejects.toMatchObject({ code: 'host_unreachable' });
    issuer.down = false;
    clock += times.againMs + 1;
    expect(await refusal(await issuer.token())).toBe('let in');
  });

  test('that are no keys any more do not replace those that are', async () => {
    issuer.keys = { keys: 'none' };
    clock += times.againMs + 1;
    expect(await refusal(await issuer.token({}, { key: await newKey('other') }))).toMatch(/no key that fits/);
    expect(troubles).toHaveLength(1);
    expect(await refusal(await issuer.token())).toBe('let in');
  });

  test('a token that was remembered runs out all the same', async () => {
    const token = await issuer.token();
    expect(await refusal(token)).toBe('let in');
    clock += 331_000;
    expect(await refusal(token)).toMatch(/run out/);
  });

  test.each([
    [
      'is for another issuer',
      (it: Issuer) => ({ issuer: `${it.url}/`, jwks_uri: `${it.url}/keys` }),
      /for another issuer/,
    ],
    ['names no keys', (it: Issuer) => ({ issuer: it.url }), /jwks_uri/],
    ['is no JSON', () => '<html>', /not JSON/],
    ['is missing', () => undefined, /no discovery document/],
    [
      'leads to a place without a grant',
      (it: Issuer) => ({ issuer: it.url, jwks_uri: 'http://127.0.0.1:1/keys' }),
      /needs the operator's grant/,
    ],
    ['leads to nothing', (it: Issuer) => ({ issuer: it.url, jwks_uri: `${it.url}/nothing` }), /no keys at/],
  ])('nothing opens with a discovery document that %s', async (_, document, reason) => {
    await open();
    issuer.document = document(issuer);
    await expect(open()).rejects.toMatchObject({ message: expect.stringMatching(reason) });
  });

  test('nothing opens while the issuer is away', async () => {
    issuer.down = true;
    await expect(open()).rejects.toMatchObject({
      code: 'network_failed',
      message: expect.stringContaining(issuer.url),
      hint: expect.stringContaining('issuer'),
    });
  });
});

describe('over HTTP', () => {
  let home: House;
  beforeAll(async () => {
    await fresh();
    home = await house({ sweepMs: 50, signedIn: 3 }, { provider, names: ['tools.example.com'], now });
  });
  afterAll(async () => {
    await home.close();
    await issuer.close();
  });

  test('a token lists and calls under its own name; roles hold; other tokens are good as before', async () => {
    const agent = await issuer.token();
    const body = { tool: 'word_count', arguments: { text: 'a b' } };
    expect((await home.visit('/api/v1/call', { token: agent, body })).json.result).toEqual({ words: 2 });
    const record = await home.bench.host.auditTail(10);
    expect(JSON.stringify(record)).toContain(`oidc/${issuer.url}#alice`);
    const listed = await home.visit('/mcp', { token: agent, ...modern('tools/list') });
    expect(listed.json.result.tools.length).toBeGreaterThan(0);
    expect((await home.visit('/api/v1/approvals', { token: agent })).status).toBe(403);
    const operator = await issuer.token({ roles: ['toolwharf-operator'] });
    expect((await home.visit('/api/v1/approvals', { token: operator })).status).toBe(200);
    expect((await home.visit('/api/v1/tools')).status).toBe(200);
    const { token } = await home.token('kept');
    expect((await home.visit('/api/v1/tools', { token })).status).toBe(200);
  });

  test('a refusal says why and where to ask; what is there names the issuer and the resource', async () => {
    const none = await visit(home.port, '/mcp', { body: {} });
    expect(none.status).toBe(401);
    const place = `http://127.0.0.1:${home.port}/.well-known/oauth-protected-resource/mcp`;
    expect(none.headers['www-authenticate']).toBe(`Bearer realm="toolwharf", resource_metadata="${place}"`);
    const wrong = await visit(home.port, '/api/v1/tools', { token: await issuer.token({ aud: 'x' }) });
    expect([wrong.status, wrong.json.error.code]).toEqual([401, 'auth_required']);
    expect(wrong.headers['www-authenticate']).toBe(
      `Bearer realm="toolwharf", error="invalid_token", error_description="the token is for somebody else (aud)", resource_metadata="${place.slice(0, -4)}"`,
    );
    expect(wrong.json.error.hint).toContain(issuer.url);
    const found = await visit(home.port, '/.well-known/oauth-protected-resource/mcp');
    expect(found.json).toEqual({
      resource: `http://127.0.0.1:${home.port}/mcp`,
      resource_name: 'Toolwharf',
      authorization_servers: [issuer.url],
      bearer_methods_supported: ['header'],
    });
    const headers = { host: 'tools.example.com' };
    const named = await visit(home.port, '/.well-known/oauth-protected-resource', { headers });
    expect(named.json.resource).toBe('https://tools.example.com');
    const strange = { headers: { host: 'evil.example' } };
    expect((await visit(home.port, '/.well-known/oauth-protected-resource', strange)).status).toBe(403);
    const documents = readFileSync(join(import.meta.dirname, '..', 'docs', 'http.md'), 'utf8');
    expect(documents).toContain('/.well-known/oauth-protected-resource');
    expect((await home.visit('/openapi.json')).json.paths).toHaveProperty([
      '/.well-known/oauth-protected-resource/mcp',
    ]);
  });

  test('without an issuer there is no such place, and a token of one is nothing', async () => {
    const plain = await house();
    try {
      expect((await visit(plain.port, '/.well-known/oauth-protected-resource')).status).toBe(401);
      expect((await visit(plain.port, '/api/v1/tools', { token: await issuer.token() })).status).toBe(401);
    } finally {
      await plain.close();
    }
  });

  test('whoever signed in is forgotten, with all that is open, when the last token has run out', async () => {
    const begin = async (token: string) =>
      home.visit('/mcp', {
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
    const stream = visit(home.port, '/mcp', {
      token,
      headers: { accept: 'text/event-stream', 'mcp-session-id': headers['mcp-session-id'] as string },
    });
    const ended = stream.then(
      () => 'ended',
      () => 'cut off',
    );
    const sessions = async () =>
      (await home.visit('/api/v1/sessions', { token: home.operator })).json.sessions as { inUse: boolean }[];
    await until(async () => (await sessions()).some((it) => it.inUse));
    clock += 331_000;
    // It ends by itself, or with its connection.
    await ended;
    await until(async () => (await sessions()).length === 0);
  });

  test('more people than there is room for wait, and those who left make room', async () => {
    for (const sub of ['p1', 'p2', 'p3', 'p4', 'p5'])
      expect((await home.visit('/api/v1/tools', { token: await issuer.token({ sub }) })).status).toBe(200);
    const leave = new AbortController();
    const busy = await Promise.all(
      ['q1', 'q2', 'q3']
        .map(async (sub) => {
          const token = await issuer.token({ sub });
          const body = { tool: 'sleep', arguments: { text: '60' } };
          return home.visit('/api/v1/call', { token, body, signal: leave.signal }).catch(() => 'left');
        })
        .map((it) => ({ done: it })),
    );
    const metric = async () =>
      /toolwharf_http_requests_running (\d+)/.exec(
        (await home.visit('/metrics', { token: home.operator })).text,
      )?.[1];
    await until(async () => (await metric()) === '4');
    const refused = await home.visit('/api/v1/tools', { token: await issuer.token({ sub: 'late' }) });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
    leave.abort();
    for (const it of busy) expect(await it.done).toBe('left');
    await until(async () => (await metric()) === '1');
    expect((await home.visit('/api/v1/tools', { token: await issuer.token({ sub: 'late' }) })).status).toBe(
      200,
    );
  });

  test('while tokens cannot be judged they are refused as such, and our own are good', async () => {
    issuer.down = true;
    clock += times.staleMs + times.freshMs;
    const answer = await home.visit('/api/v1/tools', { token: await issuer.token() });
    expect([answer.status, answer.json.error.code]).toEqual([503, 'host_unreachable']);
    expect((await home.visit('/api/v1/tools')).status).toBe(200);
    issuer.down = false;
  });
});

describe('serve, the real program', () => {
  const folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'project/toolwharf.toml': '[http.oidc]\nissuer = "https://id.example.com"\naudience = "x"\n',
    'nested.toml': 'http.oidc = 3\n',
  });
  const words = (...more: string[]) => [
    ...['serve', join(folder.path, 'tools'), '--json', '--port', '0', '--state', join(folder.path, 'state')],
    ...more,
  ];
  const env = { HOME: folder.path, XDG_CONFIG_HOME: folder.path };
  beforeAll(fresh);
  afterAll(async () => {
    await issuer.close();
    folder.remove();
  });

  test('lets in whoever the configured issuer vouches for', async () => {
    const granted = ['--allow', `net:127.0.0.1:${issuer.port}`];
    const oidc = [
      '--oidc-issuer',
      issuer.url,
      '--oidc-audience',
      audience,
      '--oidc-role-claim',
      'groups=admins',
    ];
    const child = spawn(process.execPath, [main, ...words(...oidc, ...granted)], {
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
        (await visit(port, path, { token: await issuer.token(claims) })).status;
      expect(await look('/api/v1/tools')).toBe(200);
      expect(await look('/api/v1/approvals')).toBe(403);
      expect(await look('/api/v1/approvals', { groups: ['admins'] })).toBe(200);
      expect(await look('/api/v1/tools', { aud: 'other' })).toBe(401);
    } finally {
      child.kill();
      await new Promise((resolve) => child.once('close', resolve));
    }
  });

  const start = (...more: string[]) => toolwharf(words(...more), { cwd: folder.path, env });

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
      'with a role that says nothing',
      ['--oidc-issuer', 'URL', '--oidc-audience', 'x', '--oidc-role-claim', 'admin'],
      2,
      /CLAIM=VALUE/,
    ],
    [
      'with an issuer in the open',
      ['--oidc-issuer', 'http://id.example.com', '--oidc-audience', 'x'],
      2,
      /https/,
    ],
    ['on no port at all', ['--no-http', '--oidc-issuer', 'URL'], 2, /--no-http/],
  ])('does not start %s', async (_, given, exit, reason) => {
    const done = await start(...given.map((it) => it.replace('URL', issuer.url)));
    expect([done.code, done.stdout + done.stderr]).toEqual([exit, expect.stringMatching(reason)]);
  });

  test('does not start while the issuer is away', async () => {
    issuer.down = true;
    const granted = ['--allow', `net:127.0.0.1:${issuer.port}`];
    const done = await start('--oidc-issuer', issuer.url, '--oidc-audience', 'x', ...granted);
    issuer.down = false;
    expect([done.code, done.stdout + done.stderr]).toEqual([
      1,
      expect.stringContaining('nobody could sign in'),
    ]);
  });

  test("a project's file cannot add an issuer; a table is not a number", async () => {
    const project = await toolwharf(words(), { cwd: join(folder.path, 'project'), env });
    expect([project.code, project.stderr]).toEqual([
      3,
      expect.stringContaining('http.oidc.issuer cannot be set for a project'),
    ]);
    const wrong = await start('--config', join(folder.path, 'nested.toml'));
    expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining('http.oidc is not a table')]);
  });

  test('an address that others reach is enough with an issuer, and not without a token or one', async () => {
    // Refused before anything is opened: nothing listens here at any time.
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
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('tokens travel unencrypted')]);
  });
});
