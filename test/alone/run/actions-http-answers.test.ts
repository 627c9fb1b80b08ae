// Tools that make one HTTP request: how responses are read, and which responses are errors.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../../src/index.js';
import { type LoopbackServer, loopbackServer } from '../../support/toolwharf.js';
import {
  failureOf,
  findagent,
  inputOf,
  resultOf,
  toolspace,
  type Workbench,
  workbench,
} from '../../support/workbench.js';

const text = { type: 'string' };

let bench: Workbench;
let session: Session;
let server: LoopbackServer;
let other: LoopbackServer;
let sendRest: () => void = () => {};

beforeAll(async () => {
  other = await loopbackServer((_request, response) => response.end('"elsewhere"'));
  server = await loopbackServer(answer);
  const base = `http://127.0.0.1:${server.port}`;
  bench = await workbench({
    'desk/toolspace.json': toolspace({
      id: 'desk',
      endpoint: base,
      actions: [
        ...['json', 'text', 'binary', 'none', 'ndjson-stream'].map((format) => ({
          name: `as_${format.replace('-', '_')}`,
          invocation: { kind: 'http', method: 'GET', path: `/answer/\${input.what}` },
          input: inputOf({ what: text }),
          output:
            format === 'ndjson-stream'
              ? {
                  format,
                  schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
                }
              : { format },
          error_envelope: 'standard',
        })),
      ],
    }),
    'agent/findagent.json': findagent('Http Agent', {
      tools: [
        {
          name: 'any_answer',
          description: 'Whatever comes.',
          input_schema: inputOf({ what: text }),
          annotations: { readOnlyHint: true },
          action: { type: 'http', method: 'GET', url: `${base}/answer/{what}` },
        },
      ],
    }),
  });
  session = await bench.session({
    allow: [`net:127.0.0.1:${server.port}`],
    policy: { limits: { outputBytes: 200_000 } },
  });
});

afterAll(async () => {
  await bench.close();
  await server.close();
  await other.close();
  expect(bench.bugs).toEqual([]);
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  const json = (value: unknown, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  switch ((request.url ?? '').replace(/\?.*/, '').replace(/^.*\/answer\//, '')) {
    case 'text':
      response.writeHead(200, { 'content-type': 'text/plain' }).end('plain Grüße');
      break;
    case 'bytes':
      response.writeHead(200, { 'content-type': 'image/x-icon; v=1' }).end(Buffer.from([0, 255, 128]));
      break;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end('<html>no</html>');
      break;
    case 'slow':
      // The second record is sent when the caller has seen the first.
      response.write('{"n":1}\n');
      sendRest = () => response.end('{"n":2}\n');
      break;
    case 'records':
      response.end('{"n":1}\n{"n":"x"}\n');
      break;
    case 'envelope':
      json({ error: { code: 'closed', message: 'the desk is closed' } });
      break;
    case 'missing':
      json({ error: { code: 'gone', message: 'no such item' } }, 404);
      break;
    case 'forbidden':
      response.writeHead(401).end();
      break;
    case 'empty':
      response.writeHead(204).end();
      break;
    case 'large':
      response.end(Buffer.alloc(300_000, 'x'));
      break;
    case 'bomb':
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)));
      break;
    case 'never':
      break;
    case 'half':
      response.writeHead(200, { 'content-length': '100' }).write('{"a":');
      setTimeout(() => response.destroy(), 20);
      break;
    case 'elsewhere':
      response.writeHead(302, { location: `http://127.0.0.1:${other.port}/stolen` }).end();
      break;
    case 'around':
      response.writeHead(302, { location: '/answer/around' }).end();
      break;
    case 'here':
      response.writeHead(302, { location: '/answer/text' }).end();
      break;
    default:
      json({ ok: true });
  }
}

const call = (tool: string, given: object = {}, timeoutMs?: number) =>
  session.call({ tool, arguments: given as never, timeoutMs });

test('a binary response has the type that the service states', async () => {
  expect(await call('as_binary', { what: 'bytes' })).toMatchObject({
    result: 'AP+A',
    binary: { encoding: 'base64', mimeType: 'image/x-icon', bytes: 3 },
  });
});

test('records of a response are reported while it arrives', async () => {
  const messages: unknown[] = [];
  const answer = await session.call({
    tool: 'as_ndjson_stream',
    arguments: { what: 'slow' },
    onProgress: ({ progress, message }) => {
      messages.push([progress, message]);
      if (progress === 1) sendRest();
    },
  });
  expect(messages).toEqual([
    [1, '{"n":1}'],
    [2, '{"n":2}'],
  ]);
  expect(answer).toMatchObject({ result: [{ n: 1 }, { n: 2 }] });
});

test('responses are read in the declared format', async () => {
  expect(await resultOf(call('as_text', { what: 'text' }))).toBe('plain Grüße');
  expect(await resultOf(call('as_binary', { what: 'bytes' }))).toBe('AP+A');
  expect(await resultOf(call('as_none', { what: 'text' }))).toBeNull();
  expect(await resultOf(call('any_answer', { what: 'text' }))).toBe('plain Grüße');
  expect(await resultOf(call('any_answer', { what: 'other' }))).toEqual({ ok: true });
  expect(await resultOf(call('as_json', { what: 'empty' }))).toBeNull();
});

test('a response that does not match the declared format is an error that shows the problem', async () => {
  expect(await failureOf(call('as_json', { what: 'garbage' }))).toMatchObject({
    code: 'tool_bad_output',
    message: expect.stringContaining('<html>'),
  });
  expect(await failureOf(call('as_ndjson_stream', { what: 'records' }))).toMatchObject({
    code: 'invalid_output',
    message: expect.stringContaining('record 2'),
  });
});

test('an error response is reported with the HTTP status and the message of the service', async () => {
  const missing = await failureOf(call('as_json', { what: 'missing' }));
  expect(missing.code).toBe('tool_failed');
  expect(missing.message).toMatch(/404 Not Found.*no such item/);
  expect(await call('as_json', { what: 'missing' })).toMatchObject({
    error: { code: 'tool_failed', toolError: { code: 'gone', message: 'no such item' } },
  });
  expect((await failureOf(call('as_json', { what: 'envelope' }))).message).toContain('the desk is closed');
  const forbidden = await failureOf(call('as_json', { what: 'forbidden' }));
  expect(forbidden.message).toContain('401');
  expect(forbidden.hint).toContain('toolwharf secret list');
});

test('responses have a size limit, also after decompression', async () => {
  for (const what of ['large', 'bomb'])
    expect(await failureOf(call('as_text', { what }))).toMatchObject({
      code: 'output_too_large',
      message: expect.stringContaining('200,000'),
    });
});

test('a late or an incomplete response is an error', async () => {
  const late = await failureOf(call('as_text', { what: 'never' }, 300));
  expect(late).toMatchObject({ status: 'timeout', code: 'timeout' });
  expect(late.message).toContain('0.3 s');
  expect(await failureOf(call('as_text', { what: 'half' }))).toMatchObject({ code: 'network_failed' });
});

test('redirects are followed on the same server only, and only a limited number of them', async () => {
  expect(await resultOf(call('any_answer', { what: 'here' }))).toBe('plain Grüße');
  expect(await failureOf(call('any_answer', { what: 'elsewhere' }))).toMatchObject({
    code: 'network_denied',
    message: expect.stringContaining('redirects'),
  });
  expect(other.requests).toEqual([]);
  expect(await failureOf(call('any_answer', { what: 'around' }))).toMatchObject({ code: 'network_failed' });
});

test('a canceled call ends at once', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 100);
  const started = performance.now();
  const ended = session.call({
    tool: 'as_text',
    arguments: { what: 'never' },
    signal: controller.signal,
  });
  expect(await failureOf(ended)).toMatchObject({ code: 'canceled' });
  expect(performance.now() - started).toBeLessThan(2000);
});
