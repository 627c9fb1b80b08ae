// The HTTP API: what each route answers, what it never reveals, and that its description is correct.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PathRedactor } from '../../../../src/serve/http/path-redactor.js';
import { type HttpBench, httpBench, modern, request } from '../../../support/http-bench.js';
import { until } from '../../../support/toolwharf.js';

let home: HttpBench;
beforeAll(async () => {
  home = await httpBench();
});
afterAll(() => home.close());

const asOperator = (path: string, options = {}) => home.request(path, { token: home.operator, ...options });
const call = (tool: string, given: unknown = {}, options = {}) =>
  home.request('/api/v1/call', { body: { tool, arguments: given }, ...options });

describe('packages and tools', () => {
  test('packages are listed with their state', async () => {
    const { json } = await home.request('/api/v1/packages');
    expect(json.schema).toBe('toolwharf/list@1');
    expect(json.packages.map((it: { id: string; state: string }) => [it.id, it.state])).toContainEqual([
      'word_count',
      'ready',
    ]);
    expect(json.packages.find((it: { id: string }) => it.id === 'door')).toMatchObject({
      state: 'needs-setup',
      reasons: [expect.stringContaining('door_key')],
    });
  });

  test('tools are listed with their schemas', async () => {
    const { json } = await home.request('/api/v1/tools');
    expect(json.tools.map((it: { name: string }) => it.name)).toEqual([
      'long/long',
      'send_note/send_note',
      'sleep/sleep',
      'word_count/word_count',
    ]);
    expect(json.tools[3]).toMatchObject({
      exposed: 'word_count',
      inputSchema: { type: 'object', required: ['text'] },
    });
  });

  test('a call answers like the command line', async () => {
    const done = await call('word_count/word_count', { text: 'a b c' });
    expect(done.status).toBe(200);
    expect(done.json).toEqual({
      schema: 'toolwharf/call@1',
      tool: 'word_count/word_count',
      callId: expect.stringMatching(/^call_/),
      status: 'ok',
      result: { words: 3 },
      durationMs: expect.any(Number),
    });
    expect((await call('word_count', { text: 'a b' })).json.result).toEqual({ words: 2 });
  });

  test('denials and failures have the HTTP status of their error code', async () => {
    const wrong = await call('word_count', { texts: 'a' });
    expect([wrong.status, wrong.json.status, wrong.json.error.code]).toEqual([400, 'error', 'invalid_input']);
    const unset = await call('door/look');
    expect([unset.status, unset.json.error.code]).toEqual([409, 'needs_setup']);
    const late = await home.request('/api/v1/call', {
      body: { tool: 'sleep', arguments: { text: '30' }, timeoutMs: 200 },
    });
    expect([late.status, late.json.status]).toEqual([504, 'timeout']);
  });
});

describe('approvals', () => {
  test('a held call runs once, after an operator approved it', async () => {
    const held = await call('send_note', { text: 'hi' });
    expect([held.status, held.json.status]).toEqual([202, 'confirmation_required']);
    const id: string = held.json.confirmation.token;
    const path = `/api/v1/approvals/${id}`;

    const { requests } = (await asOperator('/api/v1/approvals')).json;
    expect(requests).toEqual([
      expect.objectContaining({
        id,
        tool: 'send_note/send_note',
        arguments: { text: 'hi' },
        principal: 'http/start-agent',
        state: 'proposed',
      }),
    ]);
    expect((await asOperator(path)).json.requests[0].id).toBe(id);
    expect((await home.request(`${path}/approve`, { method: 'POST' })).status).toBe(403);
    expect((await asOperator(path)).json.requests[0].state).toBe('proposed');

    const approved = await asOperator(`${path}/approve`, { method: 'POST' });
    expect(approved.json.requests[0].state).toBe('approved');
    expect((await call('patch_confirm_action', { confirmation_token: id })).json).toMatchObject({
      status: 'ok',
      result: { sent: 'hi' },
    });
    expect((await call('send_note', { text: 'hi' })).json.confirmation.token).not.toBe(id);
    const twice = await asOperator(`${path}/approve`, { method: 'POST' });
    expect([twice.status, twice.json.error.code]).toEqual([403, 'approval_denied']);
  });

  test('a denied call does not run', async () => {
    const id = (await call('send_note', { text: 'no' })).json.confirmation.token;
    expect((await asOperator(`/api/v1/approvals/${id}/deny`, { method: 'POST' })).status).toBe(200);
    const after = await call('patch_confirm_action', { confirmation_token: id });
    expect([after.status, after.json.error.code]).toEqual([403, 'approval_denied']);
    const denied = (await asOperator('/api/v1/approvals?state=denied')).json.requests;
    expect(denied.map((it: { id: string }) => it.id)).toEqual([id]);
    expect((await asOperator('/api/v1/approvals?state=what')).status).toBe(400);
    expect((await asOperator('/api/v1/approvals/apr_nothing')).status).toBe(404);
  });

  test("one token cannot run another's held call", async () => {
    const { token } = await home.token('other');
    const id = (await call('send_note', { text: 'mine' })).json.confirmation.token;
    await asOperator(`/api/v1/approvals/${id}/approve`, { method: 'POST' });
    const given = { confirmation_token: id };
    const stolen = await call('patch_confirm_action', given, { token });
    expect([stolen.status, stolen.json.error.code]).toEqual([404, 'approval_not_found']);
    expect((await call('patch_confirm_action', given)).json.status).toBe('ok');
  });

  test('two tokens with the same name are two principals', async () => {
    const [first, second] = [await home.token('twin'), await home.token('twin')];
    const id = (await call('send_note', { text: 'x' }, { token: first.token })).json.confirmation.token;
    await asOperator(`/api/v1/approvals/${id}/approve`, { method: 'POST' });
    const given = { confirmation_token: id };
    expect((await call('patch_confirm_action', given, { token: second.token })).status).toBe(404);
    expect((await call('patch_confirm_action', given, { token: first.token })).json.status).toBe('ok');
  });
});

describe('settings', () => {
  const value = 'open sesame 4711';
  const path = '/api/v1/settings/door/door_key';
  const slot = async () =>
    (await asOperator('/api/v1/settings')).json.packages.find(
      (it: { package: string }) => it.package === 'door',
    ).slots[0];

  test('settings show what a package asks for and whether it is set, but never the value', async () => {
    expect(await slot()).toMatchObject({
      name: 'door_key',
      label: 'Door key',
      required: true,
      secret: true,
      set: false,
    });
    expect((await asOperator(path, { method: 'PUT', body: { value, hosts: ['a.example'] } })).status).toBe(
      204,
    );
    expect(await slot()).toMatchObject({ set: true, recipients: { kind: 'hosts', hosts: ['a.example'] } });
    expect((await call('door/look')).json).toMatchObject({ status: 'ok', result: 'ok' });
    const everything = await Promise.all(
      ['settings', 'packages', 'tools', 'approvals', 'switches', 'audit/verify'].map((it) =>
        asOperator(`/api/v1/${it}`),
      ),
    );
    expect(everything.map((it) => it.status)).toEqual([200, 200, 200, 200, 200, 200]);
    for (const it of everything) expect(it.text).not.toContain(value);
    expect((await asOperator(path, { method: 'DELETE' })).status).toBe(204);
    expect(await slot()).toMatchObject({ set: false });
    expect((await asOperator(path, { method: 'DELETE' })).status).toBe(404);
  });

  test('only slots of a package can be set, and only with valid recipients', async () => {
    const put = (body: unknown, at = path) => asOperator(at, { method: 'PUT', body });
    expect((await put({ value }, '/api/v1/settings/door/other')).status).toBe(404);
    expect((await put({ value }, '/api/v1/settings/other/door_key')).status).toBe(404);
    for (const body of [
      {},
      { value: '' },
      { value: 7 },
      { value, hosts: [] },
      { value, hosts: ['https://a.example/'] },
      { value, hosts: ['a.example'], anyHost: true },
      { value, anyHost: 'yes' },
    ])
      expect((await put(body)).status, JSON.stringify(body)).toBe(400);
    expect(await slot()).toMatchObject({ set: false });
  });
});

test('a package is disabled and enabled', async () => {
  const path = '/api/v1/switches/word_count';
  const off = await asOperator(path, { method: 'PUT', body: { enabled: false } });
  expect(off.json).toEqual({
    schema: 'toolwharf/switch@1',
    package: 'word_count',
    enabled: false,
    changed: true,
  });
  expect((await asOperator('/api/v1/switches')).json.disabled).toEqual(['word_count']);
  const refused = await call('word_count', { text: 'a' });
  expect([refused.status, refused.json.error.code]).toEqual([403, 'disabled']);
  await asOperator(path, { method: 'PUT', body: { enabled: true } });
  expect((await call('word_count', { text: 'a' })).status).toBe(200);
  expect((await asOperator(path, { method: 'PUT', body: { enabled: 'yes' } })).status).toBe(400);
});

test('processes are counted by kind', async () => {
  const count = async (kind: string) =>
    Number(
      new RegExp(`^toolwharf_processes\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(
        (await asOperator('/metrics')).text,
      )?.[1],
    );
  expect(await count('call')).toBe(0);
  const stop = new AbortController();
  const body = { tool: 'sleep', arguments: { text: '60' } };
  const left = home.request('/api/v1/call', { body, signal: stop.signal }).catch(() => 'left');
  await until(async () => (await count('call')) === 1);
  stop.abort();
  expect(await left).toBe('left');
  await until(async () => (await count('call')) === 0);
});

test('operators see where packages are on this machine, and agents do not', async () => {
  const agentView = (await home.request('/api/v1/packages')).json.packages;
  expect(agentView.map((it: { path: string }) => it.path)).toContain('word_count.py');
  expect(JSON.stringify(agentView)).not.toContain(home.bench.packages);
  const operatorView = (await asOperator('/api/v1/packages')).json.packages;
  expect(operatorView.map((it: { path: string }) => it.path)).toContain(
    join(home.bench.packages, 'word_count.py'),
  );
  const places = new PathRedactor(['/srv/tools', '/srv/tools/more', '/srv/one.py']);
  expect(places.path('/srv/tools/more/a/x.py')).toBe('a/x.py');
  expect(places.path('/srv/one.py')).toBe('one.py');
  expect(places.path('/elsewhere/x.py')).toBe('x.py');
  expect(places.text('look: toolwharf install /srv/tools/x.py (/srv/one.py:3, /srv/tools)')).toBe(
    'look: toolwharf install x.py (one.py:3, tools)',
  );
  expect(places.text('/srv/tools-other/x')).toBe('/srv/tools-other/x');
});

test('a route without body members rejects a body with members', async () => {
  const wrong = await asOperator('/api/v1/approvals/apr_0/approve', { method: 'POST', body: { all: true } });
  expect([wrong.status, wrong.json.error.code]).toEqual([400, 'usage']);
  const right = await asOperator('/api/v1/approvals/apr_0/approve', { method: 'POST', body: {} });
  expect(right.status).toBe(404);
  expect((await home.request('/api/v1/tools', { method: 'GET', body: { a: 1 } })).status).toBe(400);
});

test('the audit log verifies', async () => {
  expect((await asOperator('/api/v1/audit/verify')).json).toMatchObject({
    schema: 'toolwharf/audit@1',
    ok: true,
  });
});

test('metrics have the Prometheus format and are consistent', async () => {
  const before = home.answers.length;
  await call('word_count', { text: 'a' });
  expect(home.answers.length).toBe(before + 1);
  const { text, headers } = await asOperator('/metrics');
  expect(headers['content-type']).toContain('version=0.0.4');
  const samples = new Map<string, number>();
  const typed = new Set<string>();
  for (const line of text.trimEnd().split('\n')) {
    const type = /^# TYPE ([a-z_]+) (?:counter|gauge|histogram)$/.exec(line);
    if (type !== null) typed.add(type[1] as string);
    if (line.startsWith('#')) continue;
    const sample = /^([a-z_]+)(\{[a-z_]+="[^"\\\n]*"\})? (\d+(?:\.\d+)?(?:e-?\d+)?)$/.exec(line);
    if (sample === null) throw new Error(`not a sample: ${line}`);
    const [, name = '', label = '', value] = sample;
    expect(typed).toContain(name.replace(/_(?:bucket|sum|count)$/, ''));
    samples.set(`${name}${label}`, Number(value));
  }
  const ok = home.answers.filter((it) => it.status === 'ok').length;
  expect(samples.get('toolwharf_calls_total{status="ok"}')).toBe(ok);
  expect(samples.get('toolwharf_call_duration_seconds_count')).toBe(home.answers.length);
  expect(samples.get('toolwharf_call_duration_seconds_bucket{le="+Inf"}')).toBe(home.answers.length);
  expect(samples.get('toolwharf_holds_total')).toBe(
    home.answers.filter((it) => it.status === 'confirmation_required').length,
  );
  expect(samples.get('toolwharf_http_connections')).toBeGreaterThan(0);
  expect(samples.get('toolwharf_approvals_waiting')).toBe(1);
  const processes = ['call', 'pooled', 'prestarted'].map((it) =>
    samples.get(`toolwharf_processes{kind="${it}"}`),
  );
  expect(processes).toEqual([0, expect.any(Number), 0]);
});

describe('/openapi.json', () => {
  test('the description names every route: each answers, and no other method does', async () => {
    const { json } = await home.request('/openapi.json');
    expect(json.openapi).toBe('3.1.0');
    const described = Object.entries(json.paths as Record<string, object>).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => ({ path, method: method.toUpperCase() })),
    );
    expect(described.length).toBeGreaterThan(18);
    const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
    for (const path of Object.keys(json.paths)) {
      for (const method of methods) {
        const asked = await asOperator(path.replace(/\{\w+\}/g, 'x'), { method });
        const known = described.some((it) => it.path === path && it.method === method);
        // Without a session, GET and DELETE of /mcp answer that only POST is allowed.
        const served = asked.status !== 405 || (path === '/mcp' && asked.headers.allow === 'POST');
        expect([path, method, served]).toEqual([path, method, known]);
      }
    }
    const ids = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
      (it) => Object.values(it).map((operation) => operation.operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('references resolve, parameters are declared, and schemas compile', async () => {
    const { json } = await home.request('/openapi.json');
    const ajv = new Ajv2020.default({ strict: false });
    for (const [path, operations] of Object.entries(json.paths as Record<string, Record<string, never>>)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((it) => it[1]);
      for (const operation of Object.values(operations) as {
        summary: string;
        parameters?: { name: string; in: string }[];
        requestBody?: { content: Record<string, { schema: object }> };
        responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
      }[]) {
        expect(operation.summary).toMatch(/\.$/);
        const declared = (operation.parameters ?? []).filter((it) => it.in === 'path').map((it) => it.name);
        expect(declared).toEqual(named);
        const { default: problem, ...answers } = operation.responses;
        expect(problem?.content?.['application/json']?.schema).toEqual({
          $ref: '#/components/schemas/Problem',
        });
        for (const content of [
          operation.requestBody?.content,
          ...Object.values(answers).map((it) => it.content),
        ])
          for (const { schema } of Object.values(content ?? {})) ajv.compile(schema);
        for (const it of Object.values(operation.responses)) expect(it.description).not.toBe('');
      }
    }
    ajv.compile(json.components.schemas.Problem);
  });

  test('routes answer what the description says', async () => {
    const { json } = await home.request('/openapi.json');
    const ajv = new Ajv2020.default({ strict: false });
    for (const path of [
      '/api/v1/packages',
      '/api/v1/tools',
      '/api/v1/settings',
      '/api/v1/sessions',
      '/health',
    ]) {
      const schema = json.paths[path].get.responses['200'].content['application/json'].schema;
      const check = ajv.compile(schema);
      expect(check((await asOperator(path)).json), path).toBe(true);
      expect(check({ schema: 'other', ok: false }), path).toBe(false);
    }
    const failed = (await home.request('/api/v1/nothing')).json;
    expect(ajv.compile(json.components.schemas.Problem)(failed)).toBe(true);
  });

  test('docs/http.md names every path', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../../docs/http.md'), 'utf8');
    return home.request('/openapi.json').then(({ json }) => {
      const written = [...text.matchAll(/^\| `((?:GET|POST|PUT|DELETE) \/[^`]*)` /gm)].map((it) => it[1]);
      const served = Object.entries(json.paths as Record<string, object>).flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      );
      expect(written.toSorted()).toEqual(served.toSorted());
    });
  });
});

test('an agent sees and ends only its own sessions, and a listed id gives no access', async () => {
  const { token } = await home.token('with-session');
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  };
  const begun = await home.request('/mcp', { body: initialize, token });
  const secret = begun.headers['mcp-session-id'] as string;
  const own = (await home.request('/api/v1/sessions', { token })).json.sessions;
  expect(own).toEqual([expect.objectContaining({ principal: 'http/with-session', inUse: false })]);
  expect(JSON.stringify(own)).not.toContain(secret);
  expect((await home.request('/api/v1/sessions')).json.sessions).toEqual([]);
  expect((await asOperator('/api/v1/sessions')).json.sessions).toHaveLength(1);
  const { id } = own[0];
  expect((await home.request(`/api/v1/sessions/${id}`, { method: 'DELETE' })).status).toBe(404);
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
  const headers = { 'mcp-session-id': secret };
  expect((await home.request('/mcp', { body: ping, headers, token })).status).toBe(200);
  expect((await home.request('/mcp', { body: ping, headers: { 'mcp-session-id': id }, token })).status).toBe(
    404,
  );
  expect((await home.request(`/api/v1/sessions/${id}`, { method: 'DELETE', token })).status).toBe(204);
  expect((await home.request('/mcp', { body: ping, headers, token })).status).toBe(404);
});

test('an internal error reveals nothing about itself', async () => {
  const broken = await httpBench({}, { now: Date.now });
  try {
    const { host } = broken.bench;
    const list = host.switches.disabled;
    Object.assign(host.switches, {
      disabled: async () => {
        throw new Error('password=hunter2');
      },
    });
    const failed = await request(broken.port, '/api/v1/switches', { token: broken.operator });
    Object.assign(host.switches, { disabled: list });
    expect([failed.status, failed.json.error.code]).toEqual([500, 'internal']);
    expect(failed.text).not.toContain('hunter2');
    expect(broken.bench.bugs).toHaveLength(1);
  } finally {
    await broken.close();
  }
});

test('no request of this file caused an internal error', async () => {
  expect((await home.request('/mcp', modern('tools/list'))).status).toBe(200);
  expect(home.bench.bugs).toEqual([]);
});
