// Servers that misbehave, in a real sandbox. Each of them harms itself and nobody else.
import { afterEach, describe, expect, test } from 'vitest';
import { textTemplate } from '../src/model/template.js';
import { asked, bareServer, closeUpstreams, reaching, upstream } from './mcp-upstream.js';
import { loopbackServer, until } from './toolwharf.js';

afterEach(closeUpstreams);

const bare = (body: string, options: Partial<Parameters<typeof upstream>[0]> = {}) =>
  upstream({ script: bareServer(body), prior: '2025-11-25', ...options });

describe('on the way up', () => {
  test('a server that dies of a question it does not know is started again and asked the older way', async () => {
    const { remote } = await bare(`on = { 'server/discover': () => process.exit(3) };`, { prior: undefined });
    expect(remote.announced.revision).toBe('2025-11-25');
    expect((await remote.call(asked('go'))).value).toBe('gone');
  });

  test('one that ignores the question is asked the older way in time', async () => {
    const { remote } = await bare(`on = { 'server/discover': () => undefined };`, {
      prior: undefined,
      timeoutMs: 2000,
    });
    expect(remote.announced.revision).toBe('2025-11-25');
  });

  test.each(['2025-06-18', '2025-03-26', '2024-11-05'])('one of %s is understood', async (revision) => {
    const { remote } = await bare(
      `on = { initialize: () => ({ protocolVersion: '${revision}', capabilities: {}, serverInfo: { name: 'x', version: '1' } }) };`,
    );
    expect(remote.announced).toMatchObject({ revision, tools: [{ name: 'go' }] });
  });

  test('one of a revision that nobody knows is refused by name', async () => {
    const odd = bare(`on = { initialize: () => ({ protocolVersion: '1999-01-01', capabilities: {} }) };`);
    await expect(odd).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining('1999-01-01'),
    });
  });

  test('one that ends at once is told of with its last words', async () => {
    const broken = upstream({ script: `process.stderr.write('no licence\\n'); process.exit(7);` });
    await expect(broken).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringMatching(/exit code 7[\s\S]*no licence/),
    });
  });

  test('one that never answers is given up in time', async () => {
    const silent = upstream({ script: 'setInterval(() => {}, 1000);', timeoutMs: 600 });
    await expect(silent).rejects.toMatchObject({ code: 'timeout' });
  });

  test('one that is given up while it comes up is ended', async () => {
    const stop = new AbortController();
    const silent = upstream({ script: 'setInterval(() => {}, 1000);', signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    await expect(silent).rejects.toMatchObject({ code: 'canceled' });
  });

  test.each(['npx', 'uvx'])('%s fetches nothing at the time of a call', async (command) => {
    const target = {
      kind: 'process' as const,
      command: [command, '-y', 'some-server'].map(textTemplate),
      directory: '',
      environment: [],
    };
    await expect(upstream({ target })).rejects.toMatchObject({
      code: 'runtime_missing',
      message: expect.stringContaining('nothing is fetched'),
      hint: expect.stringContaining('into the package'),
    });
  });
});

describe('its lists', () => {
  const entry = (name: string) => `{ name: ${name}, inputSchema: { type: 'object' } }`;

  test('may have a thousand tools', async () => {
    const { remote } = await bare(
      `on = { 'tools/list': () => ({ tools: Array.from({ length: 1000 }, (_, n) => (${entry('`t${n}`')})) }) };`,
    );
    expect(remote.announced.tools).toHaveLength(1000);
  });

  test.each([
    ['without end', `({ cursor = '0' }) => ({ tools: [], nextCursor: String(Number(cursor) + 1) })`, 'pages'],
    ['that lead back', `() => ({ tools: [], nextCursor: 'a' })`, 'leads back'],
    ['too long', `() => ({ tools: Array.from({ length: 6000 }, (_, n) => (${entry('`t${n}`')})) })`, '5000'],
    ['without tools', '() => ({})', 'has no tools'],
  ])('%s are refused', async (_, answer, words) => {
    await expect(bare(`on = { 'tools/list': ${answer} };`)).rejects.toMatchObject({
      code: 'upstream_failed',
      message: expect.stringContaining(words),
    });
  });

  test('leave out what cannot be a tool, and say so', async () => {
    const { remote, log } = await bare(
      `on = { 'tools/list': () => ({ tools: [{ name: 7 }, 3, ${entry("''")}, ${entry("'go'")}, ${entry("'go'")}] }) };`,
    );
    expect(remote.announced.tools.map((it) => it.name)).toEqual(['go']);
    expect(log.filter((it) => /usable name|twice/.test(it))).toHaveLength(3);
  });
});

describe('while it is up', () => {
  test('words on the wrong stream are logged and passed over', async () => {
    const { remote, log } = await bare(
      `process.stdout.write('Welcome!\\n[1,2\\n{"id":1}\\n'); write({ id: 999, result: { content: [] } }); write({ id: 'x', error: { code: 1, message: 'm' } });`,
    );
    expect((await remote.call(asked('go'))).value).toBe('gone');
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
    ['a line without end', `process.stdout.write('x'.repeat(17 * 1024 * 1024));`],
    [
      'deep nesting',
      `for (let n = 0; n < 200; n++) process.stdout.write('{"jsonrpc":"2.0","method":"m","params":' + '['.repeat(5000) + ']'.repeat(5000) + '}\\n');`,
    ],
  ])('a flood of %s ends it, and its calls fail at once', async (_, flood) => {
    const { remote } = await bare(`on = { 'tools/call': () => { ${flood} } };`);
    await expect(remote.call(asked('go'))).rejects.toMatchObject({ code: 'upstream_failed' });
    expect((await remote.ended).kind).toBe('garbled');
  });

  test('a crash fails every call under way at once, with the last words', async () => {
    const { remote } = await bare(
      `let n = 0; on = { 'tools/call': () => { if (++n === 3) { process.stderr.write('out of ink\\n'); process.exit(9); } } };`,
    );
    const calls = await Promise.allSettled([1, 2, 3].map(() => remote.call(asked('go'))));
    for (const it of calls)
      expect(it).toMatchObject({
        status: 'rejected',
        reason: { code: 'upstream_failed', message: expect.stringMatching(/exit code 9[\s\S]*out of ink/) },
      });
    expect(await remote.ended).toEqual({ kind: 'exited', reason: 'shop/desk ended with exit code 9' });
  });

  test('one that hangs is noticed by its silence after a call ran out of time', async () => {
    const { remote } = await bare(`on = { 'tools/call': () => { for (;;); } };`);
    await expect(remote.call(asked('go', {}, { timeoutMs: 100 }))).rejects.toMatchObject({ code: 'timeout' });
    expect(await remote.ended).toMatchObject({ kind: 'unreachable' });
  }, 15_000);

  test('one that is only slow stays', async () => {
    const { remote } = await bare(`let slow = true; on = { 'tools/call': (params, id) => {
      if (!slow) return { content: [{ type: 'text', text: 'quick' }] };
      slow = false;
      setTimeout(() => write({ id, result: { content: [] } }), 300);
    } };`);
    await expect(remote.call(asked('go', {}, { timeoutMs: 50 }))).rejects.toMatchObject({ code: 'timeout' });
    expect((await remote.call(asked('go'))).value).toBe('quick');
  });

  test('an answer that is too large fails that call alone', async () => {
    const { remote } = await bare(
      `on = { 'tools/call': ({ arguments: { size } }) => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }) };`,
    );
    await expect(remote.call(asked('go', { size: 200_000 }, { outputBytes: 100_000 }))).rejects.toMatchObject(
      { code: 'output_too_large' },
    );
    const big = await remote.call(asked('go', { size: 5_000_000 }));
    expect(String(big.value)).toHaveLength(5_000_000);
  });

  test('an answer that is none is said to be none', async () => {
    const { remote } = await bare(`on = { 'tools/call': () => ({ hello: 1 }) };`);
    await expect(remote.call(asked('go'))).rejects.toMatchObject({ code: 'tool_bad_output' });
  });

  test('progress that goes back, or is for nobody, is not passed on', async () => {
    const { remote } = await bare(`on = { 'tools/call': (params) => {
      const tell = (progress, progressToken = params._meta.progressToken) =>
        write({ method: 'notifications/progress', params: { progressToken, progress } });
      tell(1); tell(3); tell(2); tell(3); tell(9, 'other'); tell('4'); tell(5);
      return { content: [] };
    } };`);
    const seen: number[] = [];
    await remote.call(asked('go', {}, { onProgress: (it) => seen.push(it.progress) }));
    expect(seen).toEqual([1, 3, 5]);
  });

  test('a question of two calls at once reaches no person', async () => {
    const { remote } = await bare(`const open = []; on = {
      'tools/call': (params, id) => { open.push(id); if (open.length === 2) write({ id: 'q', method: 'elicitation/create', params: { message: 'x' } }); },
      response: ({ result }) => { for (const id of open) write({ id, result: { content: [{ type: 'text', text: result.action }] } }); },
    };`);
    const onAsk = async () => ({ action: 'accept', content: {} });
    const both = await Promise.all([1, 2].map(() => remote.call(asked('go', {}, { onAsk }))));
    expect(both.map((it) => it.value)).toEqual(['decline', 'decline']);
  });

  test('who is calling is told where the manifest wants it, and nowhere else', async () => {
    const told = `on = { 'tools/call': (params) => ({ content: [{ type: 'text', text: JSON.stringify(params) }] }) };`;
    const spoofed = { _meta: { agent_id: 'other' } };
    const knows = await bare(told, { callerContext: true });
    expect((await knows.remote.call(asked('go', spoofed))).value).toMatchObject({
      _meta: { agent_id: 'agent', session_id: 'session' },
    });
    const other = await bare(told);
    expect((await other.remote.call(asked('go'))).value).toEqual({ name: 'go', arguments: {} });
  });

  test('what nobody knows is answered, too', async () => {
    const { remote } = await bare(`let asker; on = {
      'tools/call': (params, id) => { asker = id; write({ id: 'q', method: 'no/such', params: {} }); },
      response: ({ error }) => write({ id: asker, result: { content: [{ type: 'text', text: String(error.code) }] } }),
    };`);
    expect((await remote.call(asked('go'))).value).toBe('-32601');
  });

  test('no way out that was not granted, and the refusal is told', async () => {
    const loopback = await loopbackServer((_request, response) => response.end('here'));
    const script = `on = { 'tools/call': (params, id) => { fetch('http://127.0.0.1:${loopback.port}/').then((it) => it.text(), () => 'kept out').then((text) => write({ id, result: { content: [{ type: 'text', text }] } })); } };`;
    const here = [{ host: '127.0.0.1', port: loopback.port }];
    const reach = { hosts: here, granted: here };
    const open = await bare(script, { network: { reach, anyPublic: false, secret: false } });
    expect((await open.remote.call(asked('go'))).value).toBe('here');
    const none = { hosts: [], granted: [] };
    const shut = await bare(script, { network: { reach: none, anyPublic: false, secret: false } });
    const refused: string[] = [];
    const answer = await shut.remote.call(asked('go', {}, { onRefused: (hosts) => refused.push(...hosts) }));
    expect(answer.value).not.toBe('here');
    expect(refused).toEqual([`127.0.0.1:${loopback.port}`]);
    await loopback.close();
  });
});

describe('over HTTP', () => {
  const rpc = (id: unknown, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result });
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };

  /** A server of the older era; `call` answers what is no handshake and no list. */
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
    const { remote } = await upstream({ ...reaching(url), prior: '2025-11-25' });
    return { server, remote };
  };

  test('nothing is sent without a grant', async () => {
    const { server, url } = await bareHttp(() => {});
    const { target } = reaching(url);
    await expect(upstream({ ...(target === undefined ? {} : { target }) })).rejects.toMatchObject({
      code: 'network_denied',
    });
    expect(server.requests).toEqual([]);
    await server.close();
  });

  test('a secret goes only to those who may have it', async () => {
    const { server, url } = await bareHttp((id, response) => void response.end(rpc(id, { content: [] })));
    const parts = [
      { kind: 'text' as const, text: 'Bearer ' },
      { kind: 'slot' as const, slot: 'TOKEN' },
    ];
    const options = reaching(url, [{ name: 'Authorization', value: { parts } }]);
    const held = (hosts: readonly string[]) =>
      new Map([['TOKEN', { value: 'abc', secret: true, recipients: { kind: 'hosts' as const, hosts } }]]);
    await expect(upstream({ ...options, slots: held(['api.example.com']) })).rejects.toMatchObject({
      code: 'denied',
    });
    expect(server.requests).toEqual([]);
    const { remote } = await upstream({ ...options, slots: held(['127.0.0.1']), prior: '2025-11-25' });
    await remote.call(asked('go'));
    await remote.close('done');
    expect(server.requests.every((it) => it.headers.authorization === 'Bearer abc')).toBe(true);
    // The session is given back.
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
      'half of an answer',
      'upstream_failed',
      (response: import('node:http').ServerResponse) => response.end('{"jsonrpc"'),
    ],
    [
      'a stream without an answer',
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
      'a refusal',
      'auth_required',
      (response: import('node:http').ServerResponse) => response.writeHead(401).end(),
    ],
    [
      'a plea for a pause',
      'rate_limited',
      (response: import('node:http').ServerResponse) => response.writeHead(429).end(),
    ],
    [
      'a failure',
      'upstream_failed',
      (response: import('node:http').ServerResponse) => response.writeHead(500).end(),
    ],
    [
      'a redirect elsewhere',
      'network_denied',
      (response: import('node:http').ServerResponse) =>
        response.writeHead(307, { location: 'http://127.0.0.2:9/' }).end(),
    ],
  ])('%s fails that call, and the next one works', async (_, code, answer) => {
    const { server, remote } = await connected((id, response, tries) => {
      if (tries === 1) answer(response);
      else response.end(rpc(id, { content: [{ type: 'text', text: 'fine' }] }));
    });
    await expect(remote.call(asked('go'))).rejects.toMatchObject({ code });
    expect((await remote.call(asked('go'))).value).toBe('fine');
    await server.close();
  });

  test('an endless event ends with its call', async () => {
    let cut = false;
    const { server, remote } = await connected((_id, response) => {
      response.setHeader('content-type', 'text/event-stream').flushHeaders();
      response.on('close', () => {
        cut = true;
      });
      const more = () => {
        if (!response.destroyed) response.write(`data: ${'x'.repeat(65_536)}`, () => setImmediate(more));
      };
      more();
    });
    await expect(remote.call(asked('go', {}, { outputBytes: 100_000 }))).rejects.toMatchObject({
      code: 'output_too_large',
    });
    await until(() => cut);
    await server.close();
  });

  test('a session that is forgotten ends the connection, so that the next one begins anew', async () => {
    const { server, remote } = await connected((_id, response) => void response.writeHead(404).end());
    await expect(remote.call(asked('go'))).rejects.toMatchObject({ code: 'upstream_failed' });
    expect(await remote.ended).toMatchObject({ kind: 'unreachable' });
    await server.close();
  });
});
