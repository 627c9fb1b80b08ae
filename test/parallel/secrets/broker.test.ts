// Account tokens for Patch tools, from a loopback server with the API of the token broker (Arcade).
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost, type Host, type SessionOptions } from '../../../src/index.js';
import { signInFor } from '../../../src/secrets/sign-in-provider.js';
import {
  type LoopbackServer,
  loopbackServer,
  patchTool,
  temporaryFolder,
  toolwharf,
} from '../../support/toolwharf.js';

const apiKey = ['arc', 'o1', 'Q7ttzPlanted', 'Key'].join('_');
const token = ['ya29', 'Planted', 'Token', 'kk81'].join('.');
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
let server: LoopbackServer;
let answer: (response: ServerResponse) => void;
let bodies: unknown[];
let clock: number;

const json =
  (value: unknown, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
const completed = (more: object = {}) =>
  json({ id: 'ac_1', status: 'completed', context: { token }, ...more });

function mailTool(name: string, scopes = 'gmail.read', body?: string, humanConfirm = false): string {
  const seen =
    '    import hashlib, os\n    value = os.environ["PATCH_ACCESS_TOKEN"]\n' +
    '    return {"digest": hashlib.sha256(value.encode()).hexdigest(), "value": value, "names": sorted(k for k in os.environ if "ARCADE" in k)}';
  return patchTool({ name, body: body ?? seen, humanConfirm })
    .replace('network: false', 'network: true')
    .replace('# runtime:', `# external_auth: [${scopes}]\n# runtime:`);
}

beforeEach(async () => {
  clock = 1_800_000_000_000;
  bodies = [];
  answer = completed();
  folder = temporaryFolder({ 'tools/mail.py': mailTool('mail') });
  server = await loopbackServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      bodies.push(JSON.parse(text));
      answer(response);
    });
  });
  host = await createHost({ state: join(folder.path, 'state'), warm: false, now: () => clock });
});
afterEach(async () => {
  await host.close();
  await server.close();
  folder.remove();
});

const policy = () => ({ broker: { url: `http://127.0.0.1:${server.port}` } });
const open = (more: Partial<SessionOptions> = {}) =>
  host.session({
    principal: 'ann/cli',
    directories: [join(folder.path, 'tools')],
    root: folder.path,
    policy: policy(),
    ...more,
  });
const writeTool = (text: string) => writeFileSync(join(folder.path, 'tools', 'mail.py'), text);
const keepKey = () =>
  host.secrets.set({
    package: '@broker',
    slot: 'ARCADE_API_KEY',
    value: apiKey,
    audience: { kind: 'manifest' },
    by: 'me',
  });
const call = async (more: Partial<SessionOptions> = {}, tool = 'mail') =>
  (await open(more)).call({ tool, arguments: { text: '' } });

test('without a broker key the tool needs setup, and the reason has the scopes and the command', async () => {
  const { packages } = await (await open()).packages();
  expect(packages[0]).toMatchObject({
    state: 'needs-setup',
    reasons: [expect.stringMatching(/gmail\.read.*toolwharf secret set @broker ARCADE_API_KEY$/)],
  });
  expect(await call()).toMatchObject({ status: 'error', error: { code: 'needs_setup' } });
  expect(bodies).toEqual([]);
});

test('a token is fetched, passed to the tool, and redacted in the result', async () => {
  await keepKey();
  const done = await call();
  expect(done).toMatchObject({
    status: 'ok',
    result: { digest: digest(token), value: '[redacted:PATCH_ACCESS_TOKEN]', names: [] },
  });
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    url: '/v1/auth/authorize',
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(bodies[0]).toEqual({
    user_id: 'ann/cli',
    auth_requirement: {
      provider_id: 'google',
      provider_type: 'oauth2',
      oauth2: { scopes: ['https://www.googleapis.com/auth/gmail.readonly'] },
    },
  });
  // Neither the key nor the token is in the audit log or in any file of the state directory.
  const auditLog = JSON.stringify(await host.auditTail(100));
  for (const secret of [apiKey, token]) {
    expect(auditLog).not.toContain(secret);
    for (const name of readdirSync(join(folder.path, 'state'), { recursive: true }) as string[]) {
      const path = join(folder.path, 'state', name);
      if (statSync(path).isFile()) expect(readFileSync(path).includes(secret), name).toBe(false);
    }
  }
});

test('the configuration can name another user than the principal', async () => {
  await keepKey();
  await call({ policy: { broker: { ...policy().broker, user: 'ann@example.com' } } });
  expect(bodies[0]).toMatchObject({ user_id: 'ann@example.com' });
});

test('a token is cached until shortly before it expires, for one user and one set of scopes', async () => {
  await keepKey();
  answer = completed({ expires_at: new Date(clock + 3_600_000).toISOString() });
  await call();
  clock += 3_500_000;
  await call();
  expect(bodies).toHaveLength(1);
  await call({ principal: 'bob/cli' });
  expect(bodies).toHaveLength(2);
  clock += 50_000;
  await call();
  expect(bodies).toHaveLength(3);
  // A token without an expiry time is cached for one minute.
  answer = completed();
  clock += 3_600_000;
  await call();
  clock += 59_000;
  await call();
  expect(bodies).toHaveLength(4);
  clock += 2000;
  await call();
  expect(bodies).toHaveLength(5);
});

test('a user who has not signed in gets the URL first, and the call is held only after sign-in', async () => {
  writeTool(mailTool('mail', 'gmail.read', undefined, true));
  await keepKey();
  const page = 'https://accounts.example.com/o/oauth2?state=1';
  answer = json({ id: 'ac_1', status: 'pending', url: page });
  expect(await call()).toMatchObject({
    status: 'external_auth_required',
    error: {
      code: 'auth_required',
      message: expect.stringContaining(page),
      hint: expect.stringContaining(page),
    },
  });
  expect(await host.approvals.list()).toEqual([]);
  answer = completed();
  expect(await call()).toMatchObject({ status: 'confirmation_required' });
});

describe('broker failures', () => {
  const cases: [string, (response: ServerResponse) => void, object][] = [
    [
      'rejects the key',
      json({ message: 'no' }, 401),
      { code: 'needs_setup', hint: expect.stringContaining('@broker') },
    ],
    [
      'answers with status 500',
      json({}, 500),
      { code: 'upstream_failed', message: expect.stringContaining('answered 500') },
    ],
    ['sends an HTML page', (response) => response.end('<html>'), { code: 'upstream_failed' }],
    ['sends a list', json([]), { code: 'upstream_failed' }],
    ['sends no token', json({ status: 'completed', context: {} }), { code: 'upstream_failed' }],
    [
      'sends a token with a line break',
      json({ status: 'completed', context: { token: 'a\nb' } }),
      { code: 'upstream_failed' },
    ],
    ['sends no sign-in URL', json({ status: 'pending' }), { code: 'upstream_failed' }],
    [
      'sends a javascript: sign-in URL',
      json({ status: 'pending', url: 'javascript:alert(1)' }),
      { code: 'upstream_failed' },
    ],
    [
      'sends a plain http sign-in URL of another loopback address',
      json({ status: 'pending', url: 'http://127.0.0.2/page' }),
      { code: 'upstream_failed' },
    ],
    ['reports a failed sign-in', json({ status: 'failed' }), { code: 'auth_required' }],
    [
      'sends a redirect',
      (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
      {
        code: 'upstream_failed',
      },
    ],
    ['closes the connection', (response) => response.destroy(), { code: 'upstream_failed' }],
    [
      'sends a response that is too large',
      (response) => void response.end('x'.repeat(300_000)),
      { code: 'upstream_failed' },
    ],
  ];
  test.each(cases)('the tool does not run if the broker %s', async (_name, given, error) => {
    await keepKey();
    answer = given;
    const failed = await call();
    expect(failed).toMatchObject({ error });
    expect(failed.status).not.toBe('ok');
    expect(JSON.stringify(failed)).not.toContain(apiKey);
    // Control: the same call runs when the broker works again, so the failure was not cached.
    answer = completed();
    expect(await call()).toMatchObject({ status: 'ok' });
  });

  test('the tool does not run if the broker cannot be reached', async () => {
    await keepKey();
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    expect(await call({ policy: { broker: { url: `http://127.0.0.1:${port}` } } })).toMatchObject({
      status: 'error',
      error: { code: 'upstream_failed', message: expect.stringContaining('token broker') },
    });
  });
});

test('the broker key is sent only to the hosts it was set for', async () => {
  await host.secrets.set({
    package: '@broker',
    slot: 'ARCADE_API_KEY',
    value: apiKey,
    audience: { kind: 'hosts', hosts: ['api.arcade.dev'] },
    by: 'me',
  });
  expect(await call()).toMatchObject({ error: { code: 'needs_setup' } });
  expect(bodies).toEqual([]);
});

test('a tool with a token can reach only its provider, not even a granted server', async () => {
  const body = `    import urllib.request
    try:
        return {"got": urllib.request.urlopen("http://127.0.0.1:${server.port}/collect", timeout=5).status}
    except Exception as error:
        return {"got": str(error)}`;
  writeTool(mailTool('mail', 'gmail.read', body));
  await keepKey();
  const done = await call({ allow: [`net:127.0.0.1:${server.port}`] });
  expect(done).toMatchObject({ status: 'ok' });
  expect(server.requests.map((it) => it.url)).toEqual(['/v1/auth/authorize']);
  const { packages } = await (await open()).packages();
  expect(packages[0]?.package?.slots[0]?.audience).toEqual({
    kind: 'hosts',
    hosts: ['gmail.googleapis.com'],
  });
});

describe('a tool with several providers', () => {
  const body = `    import hashlib, os
    seen = {k: v for k, v in os.environ.items() if k.startswith("PATCH_ACCESS_TOKEN")}
    return {"of" + k[18:]: hashlib.sha256(v.encode()).hexdigest() for k, v in seen.items()}`;
  const tokenOf = (provider: string) => ['planted', provider, 'token', 'zq44'].join('-');
  const providerOf = (given: unknown) =>
    (given as { auth_requirement: { provider_id: string } }).auth_requirement.provider_id;
  const perProvider = (response: ServerResponse) =>
    json({ status: 'completed', context: { token: tokenOf(providerOf(bodies.at(-1))) } })(response);

  beforeEach(async () => {
    writeTool(mailTool('mail', 'github.repo, slack.send_message, github.gist, gmail.read', body));
    await keepKey();
  });

  test('gets one token for each, and the first one also under the plain name', async () => {
    answer = perProvider;
    expect(await call()).toMatchObject({
      status: 'ok',
      result: {
        of: digest(tokenOf('github')),
        of_GITHUB: digest(tokenOf('github')),
        of_SLACK: digest(tokenOf('slack')),
        of_GMAIL: digest(tokenOf('google')),
      },
    });
    expect(bodies).toMatchObject([
      { auth_requirement: { provider_id: 'github', oauth2: { scopes: ['gist', 'repo'] } } },
      { auth_requirement: { provider_id: 'slack', oauth2: { scopes: ['chat:write'] } } },
      { auth_requirement: { provider_id: 'google' } },
    ]);
    const { packages } = await (await open()).packages();
    expect(packages[0]?.package?.slots.map((it) => [it.name, it.audience])).toEqual([
      ['PATCH_ACCESS_TOKEN', { kind: 'hosts', hosts: ['api.github.com'] }],
      ['PATCH_ACCESS_TOKEN_SLACK', { kind: 'hosts', hosts: ['slack.com'] }],
      ['PATCH_ACCESS_TOKEN_GMAIL', { kind: 'hosts', hosts: ['gmail.googleapis.com'] }],
    ]);
  });

  test('names every missing sign-in at once, and runs nothing', async () => {
    answer = (response) => {
      const provider = providerOf(bodies.at(-1));
      if (provider === 'slack') perProvider(response);
      else json({ status: 'pending', url: `https://accounts.example.com/${provider}` })(response);
    };
    const missing = await call();
    expect(missing).toMatchObject({ status: 'external_auth_required', error: { code: 'auth_required' } });
    const { error } = missing as { error: { message: string; hint: string } };
    for (const it of ['https://accounts.example.com/github', 'https://accounts.example.com/google']) {
      expect(error.message).toContain(it);
      expect(error.hint).toContain(it);
    }
    expect(error.message).toContain('github.repo');
    expect(error.message).not.toContain('slack');
  });
});

test('scopes are translated to the names of each provider', () => {
  expect(signInFor(['google_calendar.events.read', 'gmail.send'])).toEqual({
    provider: 'google',
    scopes: [
      'https://www.googleapis.com/auth/calendar.events.readonly',
      'https://www.googleapis.com/auth/gmail.send',
    ],
  });
  expect(signInFor(['slack.send_message'])).toEqual({ provider: 'slack', scopes: ['chat:write'] });
  expect(signInFor(['github.repo', 'github.repo'])).toEqual({ provider: 'github', scopes: ['repo'] });
  expect(signInFor(['slack.send_message', 'github.repo'])).toBeUndefined();
  expect(signInFor(['constructor.x'])).toBeUndefined();
  expect(signInFor([])).toBeUndefined();
});

test('the commands can set the broker key and call the tool without showing key or token', async () => {
  await host.close();
  const env = { XDG_CONFIG_HOME: folder.path, HOME: folder.path };
  const config = join(folder.path, 'broker.toml');
  writeFileSync(config, `[broker]\nurl = "http://127.0.0.1:${server.port}"\nuser = "ann@example.com"\n`);
  const state = ['--state', join(folder.path, 'state')];
  const set = await toolwharf(['secret', 'set', '@broker', 'ARCADE_API_KEY', ...state], {
    stdin: apiKey,
    env,
  });
  expect(set).toMatchObject({ code: 0 });
  const args = ['call', join(folder.path, 'tools', 'mail.py'), '{"text":""}', '--config', config, ...state];
  answer = json({ status: 'pending', url: 'https://accounts.example.com/x' });
  const pending = await toolwharf(args, { env, cwd: folder.path });
  expect(pending).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('https://accounts.example.com/x'),
  });
  answer = completed();
  const done = await toolwharf(args, { env, cwd: folder.path });
  expect(done.stdout).toContain(digest(token));
  for (const text of [set.stdout, set.stderr, pending.stdout, pending.stderr, done.stdout, done.stderr]) {
    expect(text).not.toContain(apiKey);
    expect(text).not.toContain(token);
  }
  host = await createHost({ state: join(folder.path, 'state'), warm: false });
}, 30_000);
