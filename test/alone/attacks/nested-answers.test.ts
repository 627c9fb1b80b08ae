// SECURITY.md: "Bounded before parsing". Tools and servers answer with text that is small, and huge as values.
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import {
  asked,
  bareServer,
  closeLater,
  closeUpstreams,
  connectUpstream,
  reaching,
} from '../../support/mcp-upstream.js';
import { type CarrierName, Rig } from '../../support/nexo/bench.js';
import { type NatsTestServer, startNatsServer } from '../../support/nexo/nats-server.js';
import { processorMs } from '../../support/processor-time.js';
import { loopbackServer } from '../../support/toolwharf.js';
import { pythonTool, resultOf, talos, type Workbench, workbench } from '../../support/workbench.js';

const nestedError = /nested more than 210 levels deep/;
const valuesError = /too many values/;

describe('a tool in its sandbox', () => {
  const printing = (bytes: string) => ['sys.stdout.flush()', `os.write(1, ${bytes})`, 'os._exit(0)'];
  let bench: Workbench;
  let session: Session;
  beforeAll(async () => {
    bench = await workbench({
      'nested.py': pythonTool({ name: 'nested', body: printing('b"[" * 2500000 + b"]" * 2500000') }),
      'flat.py': pythonTool({ name: 'flat', body: printing('b"[" + b"[]," * 1700000 + b"0]"') }),
      'good.py': pythonTool({ name: 'good', body: ['return {"a": [1, 2]}'] }),
      ...talos({
        id: 'worker',
        code: `export const handlers = {
  nested() { let it = []; for (let n = 0; n < 1000; n++) it = [it]; return it; },
  flat() { return Array.from({ length: 1_200_000 }, () => 0); },
};\n`,
        functions: ['nested', 'flat'],
      }),
    });
    session = await bench.session();
  });
  afterAll(() => bench.close());

  test.each([
    ['nested', nestedError],
    ['flat', valuesError],
    ['worker/nested', nestedError],
    ['worker/flat', valuesError],
  ])('%s: its call fails with the name of the limit, and the next one works', async (tool, message) => {
    expect(await session.call({ tool, arguments: {} })).toMatchObject({
      status: 'error',
      error: { code: 'tool_bad_output', message: expect.stringMatching(message) },
    });
    expect(await resultOf(session.call({ tool: 'good', arguments: {} }))).toEqual({ a: [1, 2] });
    expect(bench.bugs).toEqual([]);
  });

  test('five million brackets cost the host much less time than parsing them', async () => {
    const time = async (work: () => unknown) => {
      const began = processorMs();
      await work();
      return processorMs() - began;
    };
    // The control: what the host would do without the limit.
    const text = `${'['.repeat(2_500_000)}${']'.repeat(2_500_000)}`;
    const parsing = await time(() => JSON.parse(text));
    const calling = await time(() => session.call({ tool: 'nested', arguments: {} }));
    expect(calling).toBeLessThan(parsing / 2);
  });
});

describe('an MCP server', () => {
  afterEach(closeUpstreams);
  /** The value is made of these, repeated a million times. */
  const texts: [string, { before: string; after: string }, RegExp][] = [
    ['nested', { before: '[', after: ']' }, nestedError],
    ['flat', { before: '[],', after: ' ' }, valuesError],
  ];
  const begin = '"result":{"content":[],"structuredContent":[';

  test.each(texts)('as a program: a %s answer fails only its call', async (_, { before, after }, message) => {
    const answer = `'{"jsonrpc":"2.0","id":' + id + ',${begin}' + '${before}'.repeat(1e6) + '0' + '${after}'.repeat(1e6) + ']}}\\n'`;
    const { upstream } = await connectUpstream({
      script: bareServer(`let n = 0; on = { 'tools/call': (params, id) => {
        if (n++ > 0) return { content: [{ type: 'text', text: 'gone' }] };
        process.stdout.write(${answer});
      } };`),
      prior: '2025-11-25',
    });
    await expect(upstream.call(asked('go'))).rejects.toMatchObject({
      code: 'tool_bad_output',
      message: expect.stringMatching(message),
    });
    expect((await upstream.call(asked('go'))).value).toBe('gone');
  });

  test.each(
    texts.flatMap(([name, parts, message]) => [
      ['JSON', name, parts, message] as const,
      ['events', name, parts, message] as const,
    ]),
  )(
    'at a URL, answering with %s: a %s answer fails only its call',
    async (kind, _, { before, after }, message) => {
      const value = `${before.repeat(1e6)}0${after.repeat(1e6)}`;
      let calls = 0;
      const answer = (id: unknown, method: string): string => {
        const results: Record<string, object> = {
          initialize: {
            protocolVersion: '2025-11-25',
            capabilities: { tools: {} },
            serverInfo: { name: 'x' },
          },
          'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' } }] },
          'tools/call': { content: [{ type: 'text', text: 'gone' }] },
        };
        if (method === 'tools/call' && calls++ === 0)
          return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${begin}${value}]}}`;
        return JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} });
      };
      const reply = (response: ServerResponse, text: string) => {
        response.setHeader('content-type', kind === 'JSON' ? 'application/json' : 'text/event-stream');
        response.end(kind === 'JSON' ? text : `data: ${text}\n\n`);
      };
      const server = await loopbackServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => {
          if (request.method !== 'POST') return void response.writeHead(405).end();
          const { id, method } = JSON.parse(body) as { id?: unknown; method: string };
          if (id === undefined) response.writeHead(202).end();
          else reply(response, answer(id, method));
        });
      });
      closeLater(() => server.close());
      const { upstream } = await connectUpstream({
        ...reaching(`http://127.0.0.1:${server.port}/mcp`),
        prior: '2025-11-25',
      });
      await expect(upstream.call(asked('go'))).rejects.toMatchObject({
        code: 'tool_bad_output',
        message: expect.stringMatching(message),
      });
      expect((await upstream.call(asked('go'))).value).toBe('gone');
    },
  );
});

describe('an extension', () => {
  let nats: NatsTestServer;
  const rig = new Rig(() => nats.url);
  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterEach(() => rig.close());
  afterAll(() => nats.close());

  const carriers: readonly CarrierName[] = ['stdio', 'http', 'nats'];
  test.each(carriers)('over %s: nested and flat answers fail only their calls', async (carrier) => {
    const bench = await rig.connect(carrier);
    const failure = (kind: string) =>
      bench.call('noise', { kind }, { outputBytes: 8 * 1024 * 1024 }).then(
        () => undefined,
        (error) => error,
      );
    for (const [kind, message] of [
      ['nested', nestedError],
      ['flat', valuesError],
      ['nested, wrapped', nestedError],
    ] as const) {
      const error = await failure(kind);
      expect([kind, error?.code, error?.message]).toEqual([
        kind,
        'tool_bad_output',
        expect.stringMatching(message),
      ]);
    }
    expect((await bench.call('shape', { value: [[1]] })).value).toEqual([[1]]);
  });
});
