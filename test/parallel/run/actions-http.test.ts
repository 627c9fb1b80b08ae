// Tools that make one HTTP request: what is sent to loopback servers that the operator granted.
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

let bench: Workbench;
let session: Session;
let server: LoopbackServer;
let other: LoopbackServer;
const seen: Seen[] = [];

beforeAll(async () => {
  other = await loopbackServer((_request, response) => response.end('"elsewhere"'));
  server = await loopbackServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
  });
  const base = `http://127.0.0.1:${server.port}`;
  bench = await workbench({
    'desk/toolspace.json': toolspace({
      id: 'desk',
      endpoint: `${base}/v1/?fixed=1`,
      env: [
        { name: 'DESK_KEY', prompt: 'The key.', required: false, secret: true },
        { name: 'TEAM', prompt: 'The team.', required: false, secret: false, default: 'red team' },
      ],
      actions: [
        {
          name: 'read',
          invocation: {
            kind: 'http',
            method: 'GET',
            path: `/teams/\${env.TEAM}/items/\${input.id}?q=\${input.query}&lang=\${input.lang}&none=\${input.none}`,
            headers: { 'X-Trace': `t-\${input.trace}`, 'X-Key': `\${env.DESK_KEY}` },
          },
          input: inputOf(
            {
              id: text,
              query: text,
              lang: { type: 'string', default: 'en' },
              none: text,
              trace: { type: 'string', default: '0' },
            },
            ['id', 'query'],
          ),
          output: { format: 'json' },
        },
        {
          name: 'change',
          invocation: { kind: 'http', method: 'PUT', path: `/items/\${input.id}/\${input.part.name}` },
          input: inputOf({
            id: { type: 'integer' },
            part: { type: 'object', properties: { name: text, size: { type: 'number' } } },
            tags: { type: 'array', items: text },
            done: { type: 'boolean', default: false },
          }),
          output: { format: 'json' },
        },
      ],
    }),
    'agent/findagent.json': findagent('Http Agent', {
      tools: [
        {
          name: 'typed_body',
          description: 'Sends values as what they are.',
          input_schema: inputOf(
            {
              id: text,
              n: { type: 'number' },
              flag: { type: 'boolean' },
              list: { type: 'array' },
              left: text,
            },
            ['id', 'n', 'flag', 'list'],
          ),
          action: {
            type: 'http',
            method: 'POST',
            url: `${base}/typed/{id}`,
            body_template: {
              n: '{n}',
              flag: '{flag}',
              list: '{list}',
              left: '{left}',
              mixed: 'n is {n}',
              fixed: [1, null, '{n}'],
            },
          },
        },
        {
          name: 'form',
          description: 'Sends a form.',
          input_schema: inputOf({ a: text, b: text }, ['a']),
          action: {
            type: 'http',
            method: 'POST',
            url: `${base}/form`,
            headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
            body_template: 'a={a}&b={b}&c=fixed',
          },
        },
        {
          name: 'rest',
          description: 'Sends what is left.',
          input_schema: inputOf({ id: text, name: text, size: { type: 'integer', default: 2 } }),
          action: { type: 'http', method: 'POST', url: `${base}/rest/{id}` },
        },
        {
          name: 'not_granted',
          description: 'A server without a grant.',
          annotations: { readOnlyHint: true },
          action: { type: 'http', method: 'GET', url: `http://127.0.0.1:${other.port}/x` },
        },
      ],
    }),
  });
  session = await bench.session({ allow: [`net:127.0.0.1:${server.port}`] });
});

afterAll(async () => {
  await bench.close();
  await server.close();
  await other.close();
  expect(bench.bugs).toEqual([]);
});

const call = (tool: string, given: object = {}) => session.call({ tool, arguments: given as never });

/** Makes the call and returns the one request that it sent. */
async function request(tool: string, given: object): Promise<Seen> {
  const before = seen.length;
  await resultOf(call(tool, given));
  expect(seen).toHaveLength(before + 1);
  return seen.at(-1) as Seen;
}

describe('URLs', () => {
  test('values are encoded in the URL and cannot add parts to it', async () => {
    const { url, method } = await request('desk/read', { id: 'a/b?c=d&e#f %2e', query: 'x&admin=1 +Ü' });
    expect(method).toBe('GET');
    expect(url).toBe(
      '/v1/teams/red%20team/items/a%2Fb%3Fc%3Dd%26e%23f%20%252e?fixed=1&q=x%26admin%3D1%20%2B%C3%9C&lang=en',
    );
  });

  test.each(['.', '..', '', '../../admin'])('the value %j cannot leave its path segment', async (id) => {
    const before = seen.length;
    const answered = await call('desk/read', { id, query: 'x' });
    if (answered.status === 'ok') expect(seen.at(-1)?.url).toContain('/items/..%2F..%2Fadmin?');
    else {
      expect(await failureOf(answered)).toMatchObject({ code: 'invalid_input' });
      expect(seen).toHaveLength(before);
    }
  });

  test('a value with a line break or invalid header characters is rejected before a request', async () => {
    const before = seen.length;
    for (const given of [
      { id: 'a', query: 'x', trace: 'a\r\nX-Admin: 1' },
      { id: 'a\nb', query: 'x' },
      { id: 'a', query: 'x\r' },
      { id: 'a', query: 'x', trace: 'snow \u2603' },
    ])
      expect(await failureOf(call('desk/read', given))).toMatchObject({ code: 'invalid_input' });
    expect(seen).toHaveLength(before);
  });

  test('no request goes to a server without a grant, and the hint shows how to grant it', async () => {
    const denied = await failureOf(call('not_granted'));
    expect(denied).toMatchObject({ status: 'denied', code: 'network_denied' });
    expect(denied.hint).toContain(`--allow net:127.0.0.1:${other.port}`);
    expect(other.requests).toEqual([]);
  });

  test('the audit log entry of a call names the denied host', async () => {
    await call('not_granted');
    const [last] = await bench.host.auditTail(1);
    expect(last).toMatchObject({
      kind: 'outcome',
      body: { status: 'denied', deniedHosts: [`127.0.0.1:${other.port}`] },
    });
  });
});

describe('headers and bodies', () => {
  test('headers are filled, and a header that uses an unset slot is not sent', async () => {
    const { headers } = await request('desk/read', { id: '1', query: 'x', trace: 'q w' });
    expect(headers).toMatchObject({ 'x-trace': 't-q w', host: `127.0.0.1:${server.port}` });
    expect(headers).not.toHaveProperty('x-key');
    expect(headers).not.toHaveProperty('idempotency-key');
  });

  test('the body has the input without the values that are in the path', async () => {
    const { url, body, headers } = await request('desk/change', {
      id: 7,
      part: { name: 'top/left', size: 1.5 },
      tags: ['a'],
    });
    expect(url).toBe('/v1/items/7/top%2Fleft?fixed=1');
    expect(JSON.parse(body)).toEqual({ part: { size: 1.5 }, tags: ['a'], done: false });
    expect(headers['content-type']).toBe('application/json');
    expect(headers['idempotency-key']).toMatch(/^call_[0-9a-f]{32}$/);
  });

  test('a template that is one token keeps the type of the value, and is left out without one', async () => {
    const { body, url } = await request('typed_body', {
      id: 'x y',
      n: 1.5,
      flag: false,
      list: [1, { a: 2 }],
    });
    expect(url).toBe('/typed/x%20y');
    expect(JSON.parse(body)).toEqual({
      n: 1.5,
      flag: false,
      list: [1, { a: 2 }],
      mixed: 'n is 1.5',
      fixed: [1, null, 1.5],
    });
  });

  test('a value in a form body cannot add a field', async () => {
    const { body, headers } = await request('form', { a: '1&admin=true Ü' });
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(body).toBe('a=1%26admin%3Dtrue%20%C3%9C&c=fixed');
  });

  test('the default body of a FindAgent request is the input that the URL does not use', async () => {
    const { body, url } = await request('rest', { id: 'q', name: 'n' });
    expect(url).toBe('/rest/q');
    expect(JSON.parse(body)).toEqual({ name: 'n', size: 2 });
  });
});
