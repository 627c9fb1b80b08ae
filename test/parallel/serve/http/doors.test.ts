// Who has access, and what is rejected before anything is done. Each rule is tested with a request that it
// rejects, and with the same request without the problem.
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../../src/host/operations/operations.js';
import { type HttpBench, httpBench, rawRequest, request } from '../../../support/http-bench.js';
import { until } from '../../../support/toolwharf.js';

let home: HttpBench;
beforeAll(async () => {
  home = await httpBench({ bodyBytes: 64 * 1024, connectionsPerToken: 8 }, { names: ['Tools.example.com'] });
});
afterAll(() => home.close());

const call = { tool: 'no_such/tool', arguments: {} };

describe('the Host header', () => {
  test.each(['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]'])(
    'the host %s with the port of the server is accepted',
    async (name) => {
      const headers = { host: `${name}:${home.port}` };
      expect((await home.request('/api/v1/tools', { headers })).status).toBe(200);
    },
  );

  test('a configured proxy name is accepted with any port', async () => {
    for (const host of ['tools.example.com', 'tools.example.com:443'])
      expect((await home.request('/api/v1/tools', { headers: { host } })).status).toBe(200);
  });

  test.each([
    'evil.example',
    'evil.example:PORT',
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost.evil.example:PORT',
    'xtools.example.com',
    '127.0.0.1:PORT@evil.example',
    '10.0.0.1:PORT',
  ])('the host %j is denied', async (written) => {
    const headers = { host: written.replace('PORT', String(home.port)) };
    for (const path of ['/health', '/api/v1/tools', '/mcp', '/nothing']) {
      const refused = await home.request(path, { headers });
      expect([path, refused.status, refused.json?.error.code]).toEqual([path, 403, 'denied']);
    }
  });

  test('a request without host, with two hosts or with a full URL as path is rejected', async () => {
    const lines = [`Authorization: Bearer ${home.agent}`, 'Connection: close'];
    const ask = (first: string, ...more: string[]) =>
      rawRequest(home.port, [first, ...more, ...lines, '', ''].join('\r\n')).closed;
    const own = `Host: 127.0.0.1:${home.port}`;
    expect(await ask('GET /api/v1/tools HTTP/1.1', own)).toMatch(/^HTTP\/1.1 200 /);
    expect(await ask('GET /api/v1/tools HTTP/1.1')).toMatch(/^HTTP\/1.1 403 /);
    expect(await ask('GET /api/v1/tools HTTP/1.1', 'Host: ')).toMatch(/^HTTP\/1.1 403 /);
    expect(await ask('GET /api/v1/tools HTTP/1.0')).toMatch(/^HTTP\/1.1 403 /);
    expect(await ask('GET /api/v1/tools HTTP/1.1', own, 'Host: evil.example')).toMatch(/^HTTP\/1.1 400 /);
    expect(await ask('GET http://evil.example/api/v1/tools HTTP/1.1', own)).toMatch(/^HTTP\/1.1 400 /);
  });
});

describe('the Origin header', () => {
  test("the server's own origin, or none, is accepted", async () => {
    const origins = [
      `http://127.0.0.1:${home.port}`,
      `http://localhost:${home.port}`,
      'https://tools.example.com',
    ];
    for (const origin of origins)
      expect((await home.request('/api/v1/tools', { headers: { origin } })).status).toBe(200);
  });

  test.each(['https://evil.example', 'null', 'http://127.0.0.1:1', 'http://127.0.0.1', 'file://', ''])(
    'the origin %j is denied',
    async (origin) => {
      for (const path of ['/health', '/api/v1/tools', '/mcp', '/nothing'])
        expect((await home.request(path, { headers: { origin } })).status, path).toBe(403);
    },
  );

  test('CORS headers never allow another site', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
    const asked = await home.request('/api/v1/call', { method: 'OPTIONS', headers });
    expect(asked.status).toBe(403);
    const own = { origin: `http://127.0.0.1:${home.port}` };
    for (const it of [asked, await home.request('/api/v1/tools', { headers: own })])
      expect(Object.keys(it.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('tokens', () => {
  test('without a valid token only /health answers', async () => {
    const wrong = [
      undefined,
      `Bearer ${home.agent}x`,
      `Bearer ${home.agent.slice(0, -1)}`,
      `Basic ${Buffer.from(`a:${home.agent}`).toString('base64')}`,
      home.agent,
      'Bearer ',
    ];
    for (const authorization of wrong) {
      const headers = authorization === undefined ? {} : { authorization };
      for (const path of ['/api/v1/tools', '/mcp', '/metrics', '/openapi.json', '/nothing']) {
        const refused = await request(home.port, path, { headers });
        expect([path, refused.status, refused.json.error.code]).toEqual([path, 401, 'auth_required']);
        expect(refused.headers['www-authenticate']).toMatch(/^Bearer/);
      }
      const health = await request(home.port, '/health', { headers });
      expect([health.status, health.text]).toEqual([200, '{"ok":true}\n']);
    }
    expect((await request(home.port, `/api/v1/tools?token=${home.agent}`)).status).toBe(401);
    expect((await request(home.port, '/api/v1/tools', { token: home.agent })).status).toBe(200);
  });

  test('an agent has no access to operator routes, and an operator has access to all of them', async () => {
    const { paths } = (await home.request('/openapi.json')).json;
    const guarded = Object.entries(paths as Record<string, Record<string, { description?: string }>>).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([, it]) => it.description?.includes('operator'))
          .map(([method]) => ({ path: path.replace(/\{\w+\}/g, 'nothing'), method: method.toUpperCase() })),
    );
    const isOperation = (path: string) => path.startsWith('/api/v1/operations/');
    expect(guarded.filter((it) => isOperation(it.path)).map((it) => it.path.split('/').at(-1))).toEqual(
      operations.filter((it) => it.role === 'operator').map((it) => it.name),
    );
    expect(guarded.filter((it) => !isOperation(it.path)).map((it) => `${it.method} ${it.path}`)).toEqual([
      'GET /api/v1/approvals/rules',
      'POST /api/v1/approvals/rules',
      'DELETE /api/v1/approvals/rules/nothing',
      'GET /api/v1/approvals',
      'GET /api/v1/approvals/nothing',
      'POST /api/v1/approvals/nothing/approve',
      'POST /api/v1/approvals/nothing/deny',
      'GET /api/v1/operator',
      'POST /api/v1/operator/sign-in',
      'DELETE /api/v1/operator/sign-in',
      'GET /api/v1/settings',
      'PUT /api/v1/settings/nothing/nothing',
      'DELETE /api/v1/settings/nothing/nothing',
      'GET /api/v1/switches',
      'PUT /api/v1/switches/nothing',
      'GET /api/v1/kills',
      'POST /api/v1/kills',
      'POST /api/v1/kills/lift',
      'GET /api/v1/attention',
      'POST /api/v1/attention/nothing/acknowledge',
      'GET /metrics',
      'GET /api/v1/audit/verify',
    ]);
    for (const { path, method } of guarded) {
      const body = method === 'PUT' ? { body: { enabled: true } } : {};
      const refused = await home.request(path, { method, ...body });
      expect([path, refused.status, refused.json.error.code]).toEqual([path, 403, 'denied']);
      const served = await home.request(path, { method, ...body, token: home.operator });
      expect([401, 403], path).not.toContain(served.status);
    }
  });

  test('a revoked or expired token is rejected', async () => {
    const { token, id } = await home.token('passing');
    expect((await home.request('/api/v1/tools', { token })).status).toBe(200);
    await home.bench.host.tokens.revoke(id, 'test');
    expect((await home.request('/api/v1/tools', { token })).status).toBe(401);
    const brief = await home.token('brief', 'agent', Date.now() + 300);
    expect((await home.request('/api/v1/tools', { token: brief.token })).status).toBe(200);
    await until(async () => (await home.request('/api/v1/tools', { token: brief.token })).status === 401);
    const refused = await home.request('/api/v1/tools', { token: brief.token });
    expect(refused.json.error).toMatchObject({
      code: 'auth_required',
      message: expect.stringMatching(/^the token expired at \d{4}-/),
      hint: expect.stringContaining('brief'),
    });
    expect(refused.headers['www-authenticate']).toContain('error_description="the token expired at ');
  });
});

describe('request bodies', () => {
  const post = (headers: Record<string, string>, body: unknown = call) =>
    home.request('/api/v1/call', { headers, body });

  test('a body must be JSON with the right content type', async () => {
    // The tool does not exist: this answer means that the call was parsed.
    expect((await post({})).json.error.code).toBe('tool_not_found');
    expect((await post({ 'content-type': 'application/json; charset=utf-8' })).status).toBe(404);
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', ''];
    for (const type of types) expect((await post({ 'content-type': type })).status, type).toBe(415);
    expect((await post({ 'content-encoding': 'gzip' })).status).toBe(415);
    for (const text of ['{', '', 'nonsense', '{"tool":"a"}{'])
      expect((await post({}, text)).status).toBe(400);
  });

  test('a body must have known members only', async () => {
    for (const body of [
      [],
      null,
      7,
      {},
      { tool: 7 },
      { tool: '' },
      { ...call, more: 1 },
      { ...call, timeoutMs: -1 },
    ])
      expect((await post({}, JSON.stringify(body))).json.error, JSON.stringify(body)).toMatchObject({
        code: 'usage',
      });
    expect((await post({}, '{"tool":"no_such/tool","__proto__":{"x":1}}')).status).toBe(400);
  });

  test('a body over the size limit is rejected, with or without Content-Length', async () => {
    const fits = JSON.stringify({ ...call, arguments: { text: 'x'.repeat(60 * 1024) } });
    const large = JSON.stringify({ ...call, arguments: { text: 'x'.repeat(200 * 1024) } });
    for (const path of ['/api/v1/call', '/mcp']) {
      expect((await home.request(path, { body: fits })).status).not.toBe(413);
      expect((await home.request(path, { body: large })).json.error.code).toBe('usage');
      expect((await home.request(path, { body: large })).status).toBe(413);
      const chunked = rawRequest(
        home.port,
        [
          `POST ${path} HTTP/1.1`,
          `Host: 127.0.0.1:${home.port}`,
          `Authorization: Bearer ${home.agent}`,
          'Content-Type: application/json',
          'Transfer-Encoding: chunked',
          'Connection: close',
          '',
          large.length.toString(16),
          large,
          '0',
          '',
          '',
        ].join('\r\n'),
      );
      expect(await chunked.closed).toMatch(/^HTTP\/1.1 413 /);
    }
  });

  test('an endless body is cut off', async () => {
    const { socket, closed } = rawRequest(
      home.port,
      `POST /api/v1/call HTTP/1.1\r\nHost: 127.0.0.1:${home.port}\r\nAuthorization: Bearer ${home.agent}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', more);
    more();
    expect(await closed).toMatch(/^HTTP\/1.1 413 /);
  });
});

test('headers over the size limit are rejected', async () => {
  const headers = (size: number) => ({ 'x-much': 'x'.repeat(size) });
  expect((await home.request('/health', { headers: headers(8 * 1024) })).status).toBe(200);
  expect((await home.request('/health', { headers: headers(20 * 1024) })).status).toBe(431);
});

test('every answer has headers against sniffing, caching, framing and scripts', async () => {
  const answers = [
    await home.request('/health'),
    await home.request('/api/v1/tools'),
    await home.request('/nothing'),
    await request(home.port, '/mcp'),
    await home.request('/health', { headers: { host: 'evil.example' } }),
  ];
  expect(answers.map((it) => it.status)).toEqual([200, 200, 404, 401, 403]);
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'content-type': 'application/json',
    });
  }
});

test('unknown paths and methods are rejected', async () => {
  expect((await home.request('/api/v1/nothing')).status).toBe(404);
  expect((await home.request('/api/v1/tools/')).status).toBe(404);
  expect((await home.request('/api/v1/approvals/%ff')).status).toBe(404);
  expect((await home.request('/api/v1/../v1/tools')).status).toBe(404);
  const wrong = await home.request('/api/v1/call', { method: 'DELETE' });
  expect([wrong.status, wrong.headers.allow]).toEqual([405, 'POST']);
});

test('a token has a limited number of connections', async () => {
  const { token } = await home.token('greedy');
  const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  for (const agent of agents)
    expect((await home.request('/api/v1/tools', { token, agent })).status).toBe(200);
  const refused = await home.request('/api/v1/tools', { token });
  expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
  // Open connections still work, and closed connections free their place.
  expect((await home.request('/api/v1/tools', { agent: agents[0] as Agent, token })).status).toBe(200);
  expect((await home.request('/api/v1/tools')).status).toBe(200);
  for (const agent of agents) agent.destroy();
  await until(async () => (await home.request('/api/v1/tools', { token })).status === 200);
});

test('no request of this file caused an internal error', () => expect(home.bench.bugs).toEqual([]));
