// SECURITY.md: "Bounded before parsing". What is exactly at a limit passes through everything; one more is rejected.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpBench, httpBench, modern } from '../../support/http-bench.js';
import { serverPackage } from '../../support/server-package.js';

let home: HttpBench;
beforeAll(async () => {
  home = await httpBench(
    { bodyBytes: 4 * 1024 * 1024 },
    {},
    serverPackage(
      'deep',
      `const nested = (levels) => { let it = 0; for (let n = 0; n < levels; n++) it = [it]; return it; };
on = { 'tools/list': () => ({ tools: [{ name: 'go', description: 'Goes.', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { levels, value } }) => ({ content: [], structuredContent: { value: levels === undefined ? value : nested(levels) } }) };`,
    ),
    {},
    // Numbers that nobody vouched for are held otherwise.
    { taint: { mode: 'observe' } },
  );
});
afterAll(() => home.close());

function nested(levels: number): unknown {
  let value: unknown = 0;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

const callOverHttp = async (args: unknown) =>
  (await home.request('/api/v1/call', { body: { tool: 'deep/go', arguments: args } })).json;

describe('levels', () => {
  test('arguments of 100 levels arrive, and come back', async () => {
    const answer = await callOverHttp({ value: nested(99) });
    expect(answer).toMatchObject({ status: 'ok', result: { value: nested(99) } });
    const { headers, body } = modern('tools/call', { name: 'deep_go', arguments: { value: nested(99) } });
    const mcp = await home.request('/mcp', { headers, body });
    expect(mcp.json.result).toMatchObject({ structuredContent: { value: nested(99) } });
  });

  test('arguments of more levels are invalid; far more are not parsed', async () => {
    expect(await callOverHttp({ value: nested(100) })).toMatchObject({
      error: { code: 'invalid_input', message: expect.stringContaining('nested more than 100 levels') },
    });
    expect(await callOverHttp({ value: nested(127) })).toEqual({
      error: { code: 'usage', message: 'the body is nested more than 128 levels deep' },
    });
  });

  test('an answer of 200 levels arrives; one of more levels is an error', async () => {
    expect(await callOverHttp({ levels: 199 })).toMatchObject({
      status: 'ok',
      result: { value: nested(199) },
    });
    expect(await callOverHttp({ levels: 200 })).toMatchObject({
      error: { code: 'tool_bad_output', message: expect.stringContaining('more than 200 levels') },
    });
    expect(await callOverHttp({ levels: 300 })).toMatchObject({
      error: { code: 'tool_bad_output', message: expect.stringContaining('more than 210 levels') },
    });
    expect(home.bench.bugs).toEqual([]);
  });
});

describe('a body that arrives in pieces', () => {
  /** Sends the beginning of a request, and returns all that the server answers without getting the rest. */
  const answerTo = (path: string, begin: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(home.port, '127.0.0.1');
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk;
        if (!received.includes('"error"')) return;
        socket.destroy();
        resolve(received);
      });
      const head = [
        `POST ${path} HTTP/1.1`,
        `host: 127.0.0.1:${home.port}`,
        `authorization: Bearer ${home.agent}`,
        'content-type: application/json',
        'content-length: 4000000',
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n${begin}`);
    });

  test.each(['/api/v1/call', '/mcp'])('is rejected at its first excess: %s', async (path) => {
    const answer = await answerTo(path, `{"a":"]]]","b":${'['.repeat(200)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('the body is nested more than 128 levels deep');
  });

  test('is rejected at its first excess of values', async () => {
    const answer = await answerTo('/api/v1/call', `[${'0,'.repeat(100_001)}`);
    expect(answer).toContain('the body has too many values: more than 100,000 brackets, commas and colons');
  });
});
