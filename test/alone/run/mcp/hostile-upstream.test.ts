// Misbehaving servers in a real sandbox. Each one affects only its own calls.
import { afterEach, describe, expect, test } from 'vitest';
import { textTemplate } from '../../../../src/model/template.js';
import {
  asked,
  bareServer,
  closeUpstreams,
  connectUpstream,
  reaching,
} from '../../../support/mcp-upstream.js';
import { loopbackServer, until } from '../../../support/toolwharf.js';

afterEach(closeUpstreams);

const bare = (body: string, options: Partial<Parameters<typeof connectUpstream>[0]> = {}) =>
  connectUpstream({ script: bareServer(body), prior: '2025-11-25', ...options });

describe('while a server starts', () => {
  test('a server that exits on server/discover is restarted and gets the older handshake', async () => {
    const { upstream } = await bare(`on = { 'server/discover': () => process.exit(3) };`, {
      prior: undefined,
    });
    expect(upstream.announced.revision).toBe('2025-11-25');
    expect((await upstream.call(asked('go'))).value).toBe('gone');
  });

  test('a server that ignores server/discover gets the older handshake in time', async () => {
    const { upstream } = await bare(`on = { 'server/discover': () => undefined };`, {
      prior: undefined,
      timeoutMs: 2000,
    });
    expect(upstream.announced.revision).toBe('2025-11-25');
  });

  test.each(['2025-06-18', '2025-03-26', '2024-11-05'])(
    'a server of revision %s is supported',
    async (revision) => {
      const { upstream } = await bare(
        `on = { initialize: () => ({ protocolVersion: '${revision}', capabilities: {}, serverInfo: { name: 'x', version: '1' } }) };`,
      );
      expect(upstream.announced).toMatchObject({ revision, tools: [{ name: 'go' }] });
    },
  );

  test('a server of an unknown revision is rejected, and the message names the revision', async () => {
    const odd = bare(`on = { initialize: () => ({ protocolVersion: '1999-01-01', capabilities: {} }) };`);
    await expect(odd).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('1999-01-01'),
    });
  });

  test('the message for a server that exits at once has its exit code and last output', async () => {
    const broken = connectUpstream({ script: `process.stderr.write('no license\\n'); process.exit(7);` });
    await expect(broken).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringMatching(/exited with code 7[\s\S]*no license/),
    });
  });

  test('a server that never answers times out', async () => {
    const silent = connectUpstream({ script: 'setInterval(() => {}, 1000);', timeoutMs: 600 });
    await expect(silent).rejects.toMatchObject({ code: 'timeout' });
  });

  test('the start of a server can be canceled', async () => {
    const stop = new AbortController();
    const silent = connectUpstream({ script: 'setInterval(() => {}, 1000);', signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    await expect(silent).rejects.toMatchObject({ code: 'canceled' });
  });

  test.each(['npx', 'uvx'])('%s cannot download a program during a call', async (command) => {
    const target = {
      kind: 'process' as const,
      command: [command, '-y', 'some-server'].map(textTemplate),
      directory: '',
      environment: [],
    };
    await expect(connectUpstream({ target })).rejects.toMatchObject({
      code: 'runtime_missing',
      message: expect.stringContaining('downloads are not allowed'),
      hint: expect.stringContaining('into the package'),
    });
  });
});

describe('the lists of a server', () => {
  const entry = (name: string) => `{ name: ${name}, inputSchema: { type: 'object' } }`;

  test('a server may have 1000 tools', async () => {
    const { upstream } = await bare(
      `on = { 'tools/list': () => ({ tools: Array.from({ length: 1000 }, (_, n) => (${entry('`t${n}`')})) }) };`,
    );
    expect(upstream.announced.tools).toHaveLength(1000);
  });

  test.each([
    [
      'with endless pages',
      `({ cursor = '0' }) => ({ tools: [], nextCursor: String(Number(cursor) + 1) })`,
      'pages',
    ],
    ['with repeated pages', `() => ({ tools: [], nextCursor: 'a' })`, 'repeats an earlier page'],
    [
      'with too many tools',
      `() => ({ tools: Array.from({ length: 6000 }, (_, n) => (${entry('`t${n}`')})) })`,
      '5000',
    ],
    ['without tools', '() => ({})', 'has no tools'],
  ])('lists %s are rejected', async (_, answer, expected) => {
    await expect(bare(`on = { 'tools/list': ${answer} };`)).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining(expected),
    });
  });

  test('invalid tools are omitted and logged', async () => {
    const { upstream, log } = await bare(
      `on = { 'tools/list': () => ({ tools: [{ name: 7 }, 3, ${entry("''")}, ${entry("'go'")}, ${entry("'go'")}] }) };`,
    );
    expect(upstream.announced.tools.map((it) => it.name)).toEqual(['go']);
    expect(log.filter((it) => /valid name|twice/.test(it))).toHaveLength(3);
  });
});

describe('while a server runs', () => {
  test('output on stdout that is not a message is logged and ignored', async () => {
    const { upstream, log } = await bare(
      `process.stdout.write('Welcome!\\n[1,2\\n{"id":1}\\n'); write({ id: 999, result: { content: [] } }); write({ id: 'x', error: { code: 1, message: 'm' } });`,
    );
    expect((await upstream.call(asked('go'))).value).toBe('gone');
    expect(log).toContain('Welcome!');
  });

  test.each([
    ['garbage', `for (let n = 0; n < 500; n++) process.stdout.write('noise ' + n + '\\n');`],
    [
      'notifications',
      `for (let n = 0; n < 5000; n++) write({ method: 'notifications/message', params: { data: n } });`,
    ],
    [
      'questions',
      `for (let n = 0; n < 5000; n++) write({ id: n, method: 'sampling/createMessage', params: {} });`,
    ],
    ['one endless line', `process.stdout.write('x'.repeat(17 * 1024 * 1024));`],
    [
      'deep nesting',
      `for (let n = 0; n < 200; n++) process.stdout.write('{"jsonrpc":"2.0","method":"m","params":' + '['.repeat(5000) + ']'.repeat(5000) + '}\\n');`,
    ],
  ])('a flood of %s ends the server, and its calls fail at once', async (_, flood) => {
    const { upstream } = await bare(`on = { 'tools/call': () => { ${flood} } };`);
    await expect(upstream.call(asked('go'))).rejects.toMatchObject({ code: 'upstream_failed' });
    expect((await upstream.ended).kind).toBe('protocol-error');
  });

  test('a crash fails all running calls at once, with the last output', async () => {
    const { upstream } = await bare(
      `let n = 0; on = { 'tools/call': () => { if (++n === 3) { process.stderr.write('out of ink\\n'); process.exit(9); } } };`,
    );
    const calls = await Promise.allSettled([1, 2, 3].map(() => upstream.call(asked('go'))));
    for (const it of calls)
      expect(it).toMatchObject({
        status: 'rejected',
        reason: {
          code: 'upstream_failed',
          message: expect.stringMatching(/exited with code 9[\s\S]*out of ink/),
        },
      });
    expect(await upstream.ended).toEqual({ kind: 'exited', reason: 'shop/desk exited with code 9' });
  });

  test('a server that does not answer a ping after a timeout is unreachable', async () => {
    const { upstream } = await bare(`on = { 'tools/call': () => { for (;;); } };`);
    await expect(upstream.call(asked('go', {}, { timeoutMs: 100 }))).rejects.toMatchObject({
      code: 'timeout',
    });
    expect(await upstream.ended).toMatchObject({ kind: 'unreachable' });
  }, 15_000);

  test('a server that is only slow keeps running', async () => {
    const { upstream } = await bare(`let slow = true; on = { 'tools/call': (params, id) => {
      if (!slow) return { content: [{ type: 'text', text: 'quick' }] };
      slow = false;
      setTimeout(() => write({ id, result: { content: [] } }), 300);
    } };`);
    await expect(upstream.call(asked('go', {}, { timeoutMs: 50 }))).rejects.toMatchObject({
      code: 'timeout',
    });
    expect((await upstream.call(asked('go'))).value).toBe('quick');
  });

  test('a result that is too large fails only its own call', async () => {
    const { upstream } = await bare(
      `on = { 'tools/call': ({ arguments: { size } }) => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }) };`,
    );
    await expect(
      upstream.call(asked('go', { size: 200_000 }, { outputBytes: 100_000 })),
    ).rejects.toMatchObject({ code: 'output_too_large' });
    const big = await upstream.call(asked('go', { size: 5_000_000 }));
    expect(String(big.value)).toHaveLength(5_000_000);
  });

  test('an invalid result fails the call', async () => {
    const { upstream } = await bare(`on = { 'tools/call': () => ({ hello: 1 }) };`);
    await expect(upstream.call(asked('go'))).rejects.toMatchObject({ code: 'tool_bad_output' });
  });

  test('decreasing or unknown progress is not forwarded', async () => {
    const { upstream } = await bare(`on = { 'tools/call': (params) => {
      const tell = (progress, progressToken = params._meta.progressToken) =>
        write({ method: 'notifications/progress', params: { progressToken, progress } });
      tell(1); tell(3); tell(2); tell(3); tell(9, 'other'); tell('4'); tell(5);
      return { content: [] };
    } };`);
    const seen: number[] = [];
    await upstream.call(asked('go', {}, { onProgress: (it) => seen.push(it.progress) }));
    expect(seen).toEqual([1, 3, 5]);
  });

  test('a question during two concurrent calls is asked once, in one of them, and says that it may be of either', async () => {
    const { upstream } = await bare(`const open = []; on = {
      'tools/call': (params, id) => { open.push(id); if (open.length === 2) write({ id: 'q', method: 'elicitation/create', params: { message: 'x' } }); },
      response: ({ result }) => { for (const id of open) write({ id, result: { content: [{ type: 'text', text: result.action }] } }); },
    };`);
    const questions: unknown[] = [];
    const onAsk = async (question: unknown) => {
      questions.push(question);
      return { action: 'accept', content: {} };
    };
    const both = await Promise.all(['go', 'stay'].map((it) => upstream.call(asked(it, {}, { onAsk }))));
    expect(both.map((it) => it.value)).toEqual(['accept', 'accept']);
    expect(questions).toEqual([{ message: 'x', _meta: { 'toolwharf/askers': ['go', 'stay'] } }]);
  });

  test('the server gets the caller only if its manifest requests it', async () => {
    const echo = `on = { 'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params) }] }) };`;
    const spoofed = { _meta: { agent_id: 'other' } };
    const knows = await bare(echo, { callerContext: true });
    expect((await knows.upstream.call(asked('go', spoofed))).value).toMatchObject({
      _meta: { agent_id: 'agent', session_id: 'session' },
    });
    const other = await bare(echo);
    expect((await other.upstream.call(asked('go'))).value).toEqual({ name: 'go', arguments: {} });
  });

  test('an unknown request of the server gets an error', async () => {
    const { upstream } = await bare(`let asker; on = {
      'tools/call': (params, id) => { asker = id; write({ id: 'q', method: 'no/such', params: {} }); },
      response: ({ error }) => write({ id: asker, result: { content: [{ type: 'text', text: String(error.code) }] } }),
    };`);
    expect((await upstream.call(asked('go'))).value).toBe('-32601');
  });

  test('a host that is not granted cannot be reached, and the denial is reported', async () => {
    const loopback = await loopbackServer((_request, response) => response.end('here'));
    const script = `on = { 'tools/call': (params, id) => { fetch('http://127.0.0.1:${loopback.port}/').then((it) => it.text(), () => 'denied').then((text) => write({ id, result: { content: [{ type: 'text', text }] } })); } };`;
    const here = [{ host: '127.0.0.1', port: loopback.port }];
    const reach = { hosts: here, granted: here };
    const open = await bare(script, { network: { reach, anyPublic: false, holdsSecret: false } });
    expect((await open.upstream.call(asked('go'))).value).toBe('here');
    const none = { hosts: [], granted: [] };
    const shut = await bare(script, { network: { reach: none, anyPublic: false, holdsSecret: false } });
    const denied: string[] = [];
    const answer = await shut.upstream.call(
      asked('go', {}, { onNetworkDenied: (hosts) => denied.push(...hosts) }),
    );
    expect(answer.value).not.toBe('here');
    expect(denied).toEqual([`127.0.0.1:${loopback.port}`]);
    await loopback.close();
  });
});

describe('over HTTP', () => {
  const rpc = (id: unknown, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result });
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };

  /** A server of the older era. `call` answers everything except the handshake and the tool list. */
  async function bareHttp(
    call: (id: unknown, response: import('node:http').ServerResponse, tries: number) => void,
  ) {
    let tries = 0;
    const server = await loopbackServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { id, method } = body === '' ? { id: undefined, method: undefined } : JSON.parse(body);
        if (request.method !== 'POST') return response.writeHead(405).end();
        if (id === undefined) return response.writeHead(202).end();
        response.setHeader('content-type', 'application/json');
        if (method === 'initialize') return response.setHeader('mcp-session-id', 's1').end(rpc(id, hello));
        if (method === 'tools/list') return response.end(rpc(id, { tools: [{ name: 'go' }] }));
        return call(id, response, ++tries);
      });
    });
    return { server, url: `http://127.0.0.1:${server.port}/mcp` };
  }

  const connected = async (call: Parameters<typeof bareHttp>[0]) => {
    const { server, url } = await bareHttp(call);
    const { upstream } = await connectUpstream({ ...reaching(url), prior: '2025-11-25' });
    return { server, upstream };
  };

  test('without a grant, nothing is sent', async () => {
    const { server, url } = await bareHttp(() => {});
    const { target } = reaching(url);
    await expect(connectUpstream({ ...(target === undefined ? {} : { target }) })).rejects.toMatchObject({
      code: 'network_denied',
    });
    expect(server.requests).toEqual([]);
    await server.close();
  });

  test('a secret is sent only to its allowed recipients', async () => {
    const { server, url } = await bareHttp((id, response) => void response.end(rpc(id, { content: [] })));
    const parts = [
      { kind: 'text' as const, text: 'Bearer ' },
      { kind: 'slot' as const, slot: 'TOKEN' },
    ];
    const options = reaching(url, [{ name: 'Authorization', value: { parts } }]);
    const slotsFor = (hosts: readonly string[]) =>
      new Map([['TOKEN', { value: 'abc', secret: true, recipients: { kind: 'hosts' as const, hosts } }]]);
    await expect(connectUpstream({ ...options, slots: slotsFor(['api.example.com']) })).rejects.toMatchObject(
      {
        code: 'denied',
      },
    );
    expect(server.requests).toEqual([]);
    const { upstream } = await connectUpstream({
      ...options,
      slots: slotsFor(['127.0.0.1']),
      prior: '2025-11-25',
    });
    await upstream.call(asked('go'));
    await upstream.close('done');
    expect(server.requests.every((it) => it.headers.authorization === 'Bearer abc')).toBe(true);
    // Closing deletes the session.
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's1' } });
    await server.close();
  });

  test.each([
    [
      'HTML',
      'upstream_failed',
      (response: import('node:http').ServerResponse) =>
        response.setHeader('content-type', 'text/html').end('<p>'),
    ],
    [
      'half of a response',
      'upstream_failed',
      (response: import('node:http').ServerResponse) => response.end('{"jsonrpc"'),
    ],
    [
      'a stream without a response',
      'upstream_failed',
      (response: import('node:http').ServerResponse) =>
        response.setHeader('content-type', 'text/event-stream').end(': hello\n\n'),
    ],
    [
      'a cut connection',
      'network_failed',
      (response: import('node:http').ServerResponse) => response.destroy(),
    ],
    [
      'status 401',
      'auth_required',
      (response: import('node:http').ServerResponse) => response.writeHead(401).end(),
    ],
    [
      'status 429',
      'rate_limited',
      (response: import('node:http').ServerResponse) => response.writeHead(429).end(),
    ],
    [
      'status 500',
      'upstream_failed',
      (response: import('node:http').ServerResponse) => response.writeHead(500).end(),
    ],
    [
      'a redirect to another host',
      'network_denied',
      (response: import('node:http').ServerResponse) =>
        response.writeHead(307, { location: 'http://127.0.0.2:9/' }).end(),
    ],
  ])('%s fails only that call, and the next one works', async (_, code, answer) => {
    const { server, upstream } = await connected((id, response, tries) => {
      if (tries === 1) answer(response);
      else response.end(rpc(id, { content: [{ type: 'text', text: 'fine' }] }));
    });
    await expect(upstream.call(asked('go'))).rejects.toMatchObject({ code });
    expect((await upstream.call(asked('go'))).value).toBe('fine');
    await server.close();
  });

  test('an endless event fails the call, and the connection is closed', async () => {
    let cut = false;
    const { server, upstream } = await connected((_id, response) => {
      response.setHeader('content-type', 'text/event-stream').flushHeaders();
      response.on('close', () => {
        cut = true;
      });
      const more = () => {
        if (!response.destroyed) response.write(`data: ${'x'.repeat(65_536)}`, () => setImmediate(more));
      };
      more();
    });
    await expect(upstream.call(asked('go', {}, { outputBytes: 100_000 }))).rejects.toMatchObject({
      code: 'output_too_large',
    });
    await until(() => cut);
    await server.close();
  });

  test('a lost session ends the connection, so the next connection starts a new one', async () => {
    const { server, upstream } = await connected((_id, response) => void response.writeHead(404).end());
    await expect(upstream.call(asked('go'))).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(await upstream.ended).toMatchObject({ kind: 'unreachable' });
    await server.close();
  });
});
