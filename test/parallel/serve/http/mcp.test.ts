// MCP over HTTP in both protocol generations: with the official client, and by hand where clients behave badly.
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  claim,
  type HttpBench,
  httpBench,
  modern,
  type RequestOptions,
  request,
} from '../../../support/http-bench.js';
import { sampleServerScript } from '../../../support/mcp-upstream.js';
import { running } from '../../../support/processes.js';
import { serverPackage } from '../../../support/server-package.js';
import { until } from '../../../support/toolwharf.js';

let home: HttpBench;
beforeAll(async () => {
  const desk = {
    ...serverPackage('desk', ''),
    'desk/server.mjs': `process.argv.push('2025');\n${await sampleServerScript()}`,
  };
  home = await httpBench({ sweepMs: 100 }, {}, desk);
});
afterAll(() => home.close());

const both = { accept: 'application/json, text/event-stream' };
const post = (body: unknown, headers: Record<string, string> = {}, options: RequestOptions = {}) =>
  home.request('/mcp', { ...options, body, headers: { ...both, ...headers } });
const ask = (method: string, params?: object, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
});

async function begin(
  options: RequestOptions = {},
  capabilities: object = {},
  protocolVersion = '2025-11-25',
) {
  const params = { protocolVersion, capabilities, clientInfo: { name: 'by hand', version: '1' } };
  const begun = await post(ask('initialize', params), {}, options);
  expect(begun.status).toBe(200);
  return { begun, session: { 'mcp-session-id': begun.headers['mcp-session-id'] as string } };
}

/** Messages of an event stream. */
function events(text: string): { id?: unknown; method?: string; result?: unknown }[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map((it) => JSON.parse(it[1] as string));
}

describe.each([
  ['2025', { mode: 'legacy' as const }, '2025-11-25'],
  ['2026', { mode: { pin: '2026-07-28' } }, '2026-07-28'],
  ['newest version', { mode: 'auto' as const }, '2026-07-28'],
])('the official client, %s', (_name, versionNegotiation, revision) => {
  const connect = async (token: string, answer?: (message: string) => ElicitResult) => {
    const client = new Client(
      { name: 'official', version: '1.0.0' },
      { versionNegotiation, ...(answer === undefined ? {} : { capabilities: { elicitation: {} } }) },
    );
    if (answer !== undefined)
      client.setRequestHandler('elicitation/create', async ({ params }) => answer(params.message));
    const transport = new StreamableHTTPClientTransport(new URL(`${home.server.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    });
    await client.connect(transport);
    return { client, transport };
  };

  test('the client lists tools, calls one and disconnects', async () => {
    const { client, transport } = await connect(home.agent);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map((it) => it.name)).toEqual(
      expect.arrayContaining(['word_count', 'patch_confirm_action']),
    );
    expect(await client.callTool({ name: 'word_count', arguments: { text: 'a b' } })).toMatchObject({
      structuredContent: { words: 2 },
    });
    expect(await client.callTool({ name: 'word_count', arguments: {} })).toMatchObject({ isError: true });
    if (revision < '2026') await transport.terminateSession();
    await client.close();
  });

  test('the client asks its user about a held call, and the answer is applied', async () => {
    const token = await home.approverToken(`approver-${_name.replaceAll(' ', '-')}`);
    const yes = await connect(token, () => ({ action: 'accept', content: { approve: true } }));
    const sent = `yes ${revision} ${versionNegotiation.mode}`;
    expect(await yes.client.callTool({ name: 'send_note', arguments: { text: sent } })).toMatchObject({
      structuredContent: { sent },
    });
    const no = await connect(token, () => ({ action: 'decline' }));
    expect(
      await no.client.callTool({ name: 'send_note', arguments: { text: `no ${revision}` } }),
    ).toMatchObject({ isError: true });
    const denied = (await home.bench.host.approvals.list(['denied'])).map((it) => it.arguments);
    expect(denied).toContainEqual({ text: `no ${revision}` });
    await yes.client.close();
    await no.client.close();
  });

  test('the client asks its user the question of an upstream server while the call runs', async () => {
    const asked: string[] = [];
    const { client } = await connect(home.agent, (message) => {
      asked.push(message);
      return { action: 'accept', content: { color: 'blue' } };
    });
    expect(await client.callTool({ name: 'desk_consult', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: 'accept blue' }],
    });
    expect(asked).toEqual(['The tool desk_consult asks:\n\nWhich color?']);
    await client.close();
  });

  test('the client gets progress of a long call and cancels it', async () => {
    const { client } = await connect(home.agent);
    const cancel = new AbortController();
    let heard = 0;
    const calling = client.callTool(
      { name: 'sleep', arguments: { text: '60' } },
      { signal: cancel.signal, onprogress: () => heard++ },
    );
    const failed = expect(calling).rejects.toThrow();
    await until(() => heard > 0);
    const before = running().length;
    expect(before).toBeGreaterThan(0);
    cancel.abort();
    await failed;
    await until(() => home.answers.at(-1)?.tool === 'sleep/sleep');
    expect(home.answers.at(-1)).toMatchObject({ error: { code: 'canceled' } });
    await client.close();
  });
});

describe('a question of an upstream server, 2026-07-28 by hand', () => {
  const blue = { answer: { action: 'accept', content: { color: 'blue' } } };
  const _meta = { ...claim, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const consult = (token: string, more: object = {}) => {
    const params = { name: 'desk_consult', arguments: {}, ...more, _meta };
    const { headers, body } = modern('tools/call', params);
    return post(body, headers, { token });
  };
  const refused = 'invalid_request_state';
  const whyNot = ({ json }: Awaited<ReturnType<typeof consult>>) => json.error?.data?.reason;

  test('only the token that was asked can answer, and only once', async () => {
    const stranger = (await home.token('stranger')).token;
    const { requestState } = (await consult(home.agent)).json.result;
    const more = { requestState, inputResponses: blue };
    expect(whyNot(await consult(stranger, more))).toBe(refused);
    expect((await consult(home.agent, more)).json.result.content).toEqual([
      { type: 'text', text: 'accept blue' },
    ]);
    expect(whyNot(await consult(home.agent, more))).toBe(refused);
  });

  test('a question ends when its token is revoked', async () => {
    const leaving = await home.token('leaving');
    const { requestState } = (await consult(leaving.token)).json.result;
    const before = home.answers.length;
    await home.bench.host.tokens.revoke(leaving.id, 'test');
    await until(() => home.answers.length > before);
    expect(home.answers.at(-1)).toMatchObject({ tool: 'desk/consult', error: { code: 'canceled' } });
    expect((await consult(leaving.token, { requestState, inputResponses: blue })).status).toBe(401);
  });
});

describe('2026-07-28 by hand', () => {
  const send = (
    { headers, body }: ReturnType<typeof modern>,
    more: Record<string, string | undefined> = {},
  ) =>
    post(
      body,
      Object.fromEntries(
        Object.entries({ ...headers, ...more }).filter(([, it]) => it !== undefined),
      ) as Record<string, string>,
    );

  test('a request gets one answer and no session', async () => {
    const listed = await send(modern('tools/list'));
    expect(listed.status).toBe(200);
    expect(listed.headers['content-type']).toBe('application/json');
    expect(listed.headers['mcp-session-id']).toBeUndefined();
    expect(listed.json).toMatchObject({ id: 1, result: { resultType: 'complete' } });
    const discovered = await send(modern('server/discover'));
    expect(discovered.json.result.supportedVersions).toContain('2026-07-28');
  });

  const call = () => modern('tools/call', { name: 'word_count', arguments: { text: 'a' } });

  test.each([
    ['no version', { 'mcp-protocol-version': undefined }],
    ['another version', { 'mcp-protocol-version': '2025-11-25' }],
    ['no method', { 'mcp-method': undefined }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['no name', { 'mcp-name': undefined }],
    ['another name', { 'mcp-name': 'send_note' }],
    ['a name that is wrongly encoded', { 'mcp-name': '=?base64?d29yZF9jb3VudA?=' }],
  ])('headers must match the body: %s', async (_what, more) => {
    const before = home.answers.length;
    const refused = await send(call(), more as Record<string, string | undefined>);
    expect([refused.status, refused.json.error.code, refused.json.id]).toEqual([400, -32020, 1]);
    expect(home.answers.length).toBe(before);
    expect((await send(call())).json.result.structuredContent).toEqual({ words: 1 });
  });

  test('a tool name may be encoded in base64', async () => {
    const packed = `=?base64?${Buffer.from('word_count').toString('base64')}?=`;
    expect((await send(call(), { 'mcp-name': packed })).json.result.structuredContent).toEqual({ words: 1 });
  });

  test('unknown methods, versions and envelopes are rejected', async () => {
    const unknown = await send(modern('nothing/such'));
    expect([unknown.status, unknown.json.error.code]).toEqual([404, -32601]);
    const bare = await post(ask('tools/list', {}), modern('tools/list').headers);
    expect([bare.status, bare.json.error.code]).toEqual([400, -32602]);
    const later = modern('tools/list');
    const params = { _meta: { ...claim, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' } };
    const newer = await post(
      { ...(later.body as object), params },
      { ...later.headers, 'mcp-protocol-version': '2031-01-01' },
    );
    expect([newer.status, newer.json.error.code]).toEqual([400, -32022]);
    const odd = await post(ask('tools/list', {}), { 'mcp-protocol-version': '1999-01-01' });
    expect([odd.status, odd.json.error.code]).toEqual([400, -32022]);
    const handshake = await post(ask('initialize', {}), { 'mcp-protocol-version': '2026-07-28' });
    expect([handshake.status, handshake.json.error.code]).toEqual([400, -32020]);
  });

  test('GET and DELETE are not allowed', async () => {
    for (const method of ['GET', 'DELETE']) {
      const refused = await home.request('/mcp', { method, headers: { accept: 'text/event-stream' } });
      expect([refused.status, refused.headers.allow]).toEqual([405, 'POST']);
    }
  });

  test('the Accept header chooses between an event stream and JSON', async () => {
    const stream = await send(call(), { accept: 'text/event-stream' });
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(events(stream.text)).toMatchObject([{ id: 1, result: { structuredContent: { words: 1 } } }]);
    const plain = await send(call(), { accept: 'application/json' });
    expect(plain.headers['content-type']).toBe('application/json');
    expect((await send(call(), { accept: 'text/html' })).status).toBe(406);
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    expect((await send(listen, { accept: 'application/json' })).status).toBe(406);
  });

  test('a subscription gets changes until it is closed', async () => {
    const { headers, body } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } });
    const gone = new AbortController();
    const response = await fetch(`${home.server.url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', authorization: `Bearer ${home.agent}` },
      body: JSON.stringify(body),
      signal: gone.signal,
    });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const read = async (until: string) => {
      while (!text.includes(until)) text += new TextDecoder().decode((await reader.read()).value);
    };
    await read('notifications/subscriptions/acknowledged');
    await home.bench.host.switches.set('long', false, 'test');
    await read('notifications/tools/list_changed');
    await home.bench.host.switches.set('long', true, 'test');
    gone.abort();
  });
});

describe('sessions of 2025', () => {
  test('a session is opened by initialize and belongs to the token that opened it', async () => {
    const { begun, session } = await begin();
    expect(begun.json.result.protocolVersion).toBe('2025-11-25');
    expect(session['mcp-session-id']).toMatch(/^[\w-]{59}$/);
    expect((await post(ask('ping'), session)).json.result).toEqual({});
    const other = (await home.token('thief')).token;
    expect((await post(ask('ping'), session, { token: other })).status).toBe(404);
    for (const method of ['GET', 'DELETE'])
      expect(
        (await home.request('/mcp', { method, headers: { ...session, ...both }, token: other })).status,
      ).toBe(404);
    expect((await post(ask('ping'), session)).status).toBe(200);
    expect((await post(ask('initialize', {}), session)).status).toBe(400);
    expect((await home.request('/mcp', { method: 'DELETE', headers: session })).status).toBe(204);
    expect((await post(ask('ping'), session)).status).toBe(404);
    expect((await post(ask('ping'), { 'mcp-session-id': 'guessed' })).status).toBe(404);
  });

  test('a client that needs no questions can work without a session', async () => {
    expect((await post(ask('tools/list'))).json.result.tools.length).toBeGreaterThan(3);
    const called = await post(ask('tools/call', { name: 'word_count', arguments: { text: 'a b' } }));
    expect(called.json.result.structuredContent).toEqual({ words: 2 });
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).toBe(202);
  });

  test('a question uses the stream of its request, and the answer is a new request', async () => {
    const token = await home.approverToken('by-hand');
    const { session } = await begin({ token }, { elicitation: {} });
    const asking = fetch(`${home.server.url}/mcp`, {
      method: 'POST',
      headers: {
        ...both,
        ...session,
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(ask('tools/call', { name: 'send_note', arguments: { text: 'by hand' } }, 'q')),
    });
    const reader = ((await asking).body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('elicitation/create'))
      text += new TextDecoder().decode((await reader.read()).value);
    const question = events(text).find((it) => it.method === 'elicitation/create');
    // Another session of the same token cannot answer: the question belongs to its session.
    const { session: second } = await begin({ token }, { elicitation: {} });
    const answer = { jsonrpc: '2.0', id: question?.id, result: { action: 'decline' } };
    const accept = { ...answer, result: { action: 'accept', content: { approve: true } } };
    expect((await post(accept, second, { token })).status).toBe(202);
    expect((await post(answer, session, { token })).status).toBe(202);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    expect(events(text).at(-1)).toMatchObject({ id: 'q', result: { isError: true } });
  });

  test('a client that reads no streams does not wait for a question it cannot receive', async () => {
    const token = await home.approverToken('deaf');
    const { session } = await begin({ token }, { elicitation: {} });
    const headers = { ...session, accept: 'application/json' };
    const call = ask('tools/call', { name: 'send_note', arguments: { text: 'deaf' } });
    const held = await post(call, headers, { token });
    expect(held.json.result).toMatchObject({ structuredContent: { status: 'confirmation_required' } });
  });

  test('only the newest listening stream gets notifications', async () => {
    const { session } = await begin();
    const listen = () => home.request('/mcp', { method: 'GET', headers: { ...session, ...both } });
    const first = listen();
    await until(async () =>
      (await home.request('/api/v1/sessions')).json.sessions.some((it: { inUse: boolean }) => it.inUse),
    );
    const second = listen();
    expect((await first).status).toBe(200);
    await home.bench.host.switches.set('long', false, 'test');
    await home.bench.host.switches.set('long', true, 'test');
    await new Promise((resolve) => setTimeout(resolve, 700));
    await home.request('/mcp', { method: 'DELETE', headers: session });
    expect(events((await second).text).map((it) => it.method)).toContain('notifications/tools/list_changed');
    expect((await home.request('/mcp', { method: 'GET', headers: { ...session, ...both } })).status).toBe(
      404,
    );
  });

  test('revoking a token closes its sessions and streams', async () => {
    const { token, id } = await home.token('going');
    const { session } = await begin({ token });
    const stream = home
      .request('/mcp', { method: 'GET', headers: { ...session, ...both }, token })
      .catch(() => 'cut off');
    const all = async () => (await home.request('/api/v1/sessions', { token: home.operator })).json.sessions;
    const mine = async () =>
      (await all()).filter((it: { principal: string }) => it.principal === 'http/going');
    await until(async () => (await mine())[0]?.inUse === true);
    await home.bench.host.tokens.revoke(id, 'test');
    await stream;
    await until(async () => (await mine()).length === 0);
  });

  test('batches are accepted only in the protocol version that has them', async () => {
    const batch = [ask('ping', {}, 1), ask('nothing/such', {}, 2), { jsonrpc: '2.0', method: 'x' }, 7];
    const { session } = await begin({}, {}, '2025-03-26');
    const answered = await post(batch, session);
    expect(
      answered.json.map((it: { id: unknown; error?: { code: number } }) => [it.id, it.error?.code]),
    ).toEqual([
      [1, undefined],
      [2, -32601],
      [null, -32600],
    ]);
    const later = await begin();
    for (const headers of [later.session, {}]) {
      const refused = await post(batch, headers as Record<string, string>);
      expect([refused.status, refused.json.error.code]).toEqual([400, -32600]);
    }
  });
});

test('malformed messages are rejected, and the server keeps working', async () => {
  const texts = [
    '{',
    '[]',
    'null',
    '7',
    '"x"',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":1,"method":7}',
    '[[[[[[',
  ];
  for (const text of texts) {
    const refused = await post(text);
    expect([text, refused.status]).toEqual([text, 400]);
    expect([-32700, -32600]).toContain(refused.json.error.code);
  }
  const deep = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"word_count","arguments":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`;
  expect((await post(deep)).status).toBeLessThan(500);
  const proto = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"__proto__":{"name":"word_count"}}}';
  expect((await post(proto)).json.error.code).toBe(-32602);
  expect((await post(ask('ping'))).status).toBe(200);
});

test('no request of this file caused an internal error', async () => {
  expect(home.bench.bugs).toEqual([]);
  expect((await request(home.port, '/health')).status).toBe(200);
});
