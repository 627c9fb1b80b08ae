// Credentials of HTTP requests: how they are sent, and where they are never sent.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
import { guardedClient } from '../../../src/net/http-client.js';
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

const secret = 'k3y-of-the-desk-7f1c';

let server: LoopbackServer;
let other: LoopbackServer;
let bench: Workbench;
let session: Session;

const schemes: Readonly<Record<string, JsonObject>> = {
  bearer: {},
  basic: { auth_scheme: 'basic' },
  raw: { auth_scheme: 'raw' },
  header: { auth_scheme: 'header', header_name: 'X-Desk-Key', prefix: 'Key ' },
  json: { type: 'json' },
};

beforeAll(async () => {
  server = await loopbackServer((request, response) => {
    if (request.url?.startsWith('/redirect-here')) response.writeHead(302, { location: '/echo' }).end();
    else if (request.url?.startsWith('/redirect-there'))
      response.writeHead(307, { location: `http://127.0.0.1:${other.port}/` }).end();
    else if (request.url?.startsWith('/leak'))
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ you_sent: request.headers.authorization, key: secret, list: [secret] }));
    else if (request.url?.startsWith('/broken'))
      response.writeHead(500).end(`the key ${secret} is not accepted`);
    else response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  other = await loopbackServer((_request, response) => response.end('{}'));
  // Credentials are bound to host names, not to addresses. Here `localhost` always resolves to this server.
  const client = guardedClient(async (name) => (name === 'localhost' ? ['127.0.0.1'] : []));
  const base = `http://localhost:${server.port}`;
  const get = (name: string, url: string, ref: string) => ({
    name,
    description: 'Ask the desk.',
    annotations: { readOnlyHint: true },
    action: { type: 'http', method: 'GET', url, auth_ref: ref },
  });
  const files = {
    'agent/findagent.json': findagent('Key Agent', {
      tools: [
        ...Object.keys(schemes).map((it) => get(`with_${it}`, `${base}/echo`, it)),
        get('stays', `${base}/redirect-here`, 'bearer'),
        get('leaves', `${base}/redirect-there`, 'bearer'),
        get('leak', `${base}/leak`, 'bearer'),
        get('broken', `${base}/broken`, 'bearer'),
      ],
      credential_slots: Object.entries(schemes).map(([ref, rest]) => ({
        ref,
        label: ref,
        allowed_hosts: ['localhost'],
        required: false,
        ...rest,
      })),
    }),
    'desk/toolspace.json': toolspace({
      id: 'desk',
      endpoint: base,
      env: [{ name: 'DESK_KEY', prompt: 'The key.', required: true, secret: true }],
      actions: [
        {
          name: 'ask',
          invocation: {
            kind: 'http',
            method: 'GET',
            path: '/echo',
            headers: { 'X-Key': `\${env.DESK_KEY}` },
          },
          input: inputOf({}),
          output: { format: 'json' },
        },
      ],
    }),
  };
  bench = await workbench(files, { client });
  session = await bench.session({
    allow: [`net:localhost:${server.port}`, `net:127.0.0.1:${other.port}`],
  });
});

afterAll(async () => {
  await bench.close();
  await server.close();
  await other.close();
  expect(bench.bugs).toEqual([]);
});

const set = (packageId: string, slot: string, value: string, hosts?: readonly string[]) =>
  bench.host.secrets.set({
    package: packageId,
    slot,
    value,
    audience: hosts === undefined ? { kind: 'manifest' } : { kind: 'hosts', hosts },
    by: 'test',
  });

const call = (tool: string) => session.call({ tool, arguments: {} });

test('an optional credential that is not set is not sent', async () => {
  await bench.host.secrets.unset('key-agent', 'bearer', 'test');
  await resultOf(call('with_bearer'));
  expect(server.requests.at(-1)?.headers).not.toHaveProperty('authorization');
});

test('a package without its required credential needs setup, and the error names the command', async () => {
  const waiting = await failureOf(call('desk/ask'));
  expect(waiting.code).toBe('needs_setup');
  expect(`${waiting.message} ${waiting.hint}`).toContain('toolwharf secret set desk DESK_KEY');
  await set('desk', 'DESK_KEY', secret);
  await resultOf(call('desk/ask'));
  expect(server.requests.at(-1)?.headers).toMatchObject({ 'x-key': secret });
});

describe('authentication schemes', () => {
  test.each([
    ['bearer', 'authorization', `Bearer ${secret}`],
    ['raw', 'authorization', secret],
    ['basic', 'authorization', `Basic ${Buffer.from(secret).toString('base64')}`],
    ['header', 'x-desk-key', `Key ${secret}`],
  ])('scheme %s sends the credential in the header %s only', async (scheme, header, value) => {
    await set('key-agent', scheme, secret);
    await resultOf(call(`with_${scheme}`));
    const headers = server.requests.at(-1)?.headers ?? {};
    expect(headers[header]).toBe(value);
    const elsewhere = Object.entries(headers).filter(([name]) => name !== header);
    expect(JSON.stringify(elsewhere)).not.toContain(secret);
  });
});

test('the line breaks of a key file in JSON are not sent', async () => {
  await set('key-agent', 'json', '{\r\n  "key": "a\\nb"\n}');
  await resultOf(call('with_json'));
  expect(server.requests.at(-1)?.headers.authorization).toBe('Bearer {   "key": "a\\nb" }');
});

describe('limits of a credential', () => {
  test('a request with a credential follows no redirect, not even on the same server', async () => {
    await set('key-agent', 'bearer', secret);
    const before = server.requests.length;
    for (const tool of ['stays', 'leaves'])
      expect(await failureOf(call(tool))).toMatchObject({ code: 'network_denied' });
    expect(server.requests).toHaveLength(before + 2);
    expect(other.requests).toEqual([]);
  });

  test('a request without a credential follows the same redirect', async () => {
    await bench.host.secrets.unset('key-agent', 'bearer', 'test');
    const before = server.requests.length;
    await resultOf(call('stays'));
    expect(server.requests.slice(before).map((it) => it.url)).toEqual(['/redirect-here', '/echo']);
  });

  test('if the operator names other hosts for a credential, this server gets nothing', async () => {
    await set('key-agent', 'bearer', secret, ['elsewhere.example']);
    const before = server.requests.length;
    const denied = await failureOf(call('with_bearer'));
    expect(denied).toMatchObject({ status: 'denied', code: 'denied' });
    expect(denied.message).toContain('localhost');
    expect(denied.message).not.toContain(secret);
    expect(server.requests).toHaveLength(before);
  });

  test('a credential never appears in answers, errors or the audit log', async () => {
    await set('key-agent', 'bearer', secret);
    const leaked = await call('leak');
    const broken = await call('broken');
    expect(leaked.status).toBe('ok');
    expect(await failureOf(broken)).toMatchObject({ code: 'tool_failed' });
    const output = JSON.stringify([leaked, broken, await bench.host.auditTail(100)]);
    expect(output).not.toContain(secret);
    expect(output).not.toContain(Buffer.from(secret).toString('base64'));
    // Control: the server got the credential and sent it back.
    expect(server.requests.some((it) => it.headers.authorization === `Bearer ${secret}`)).toBe(true);
  });

  test('a credential with a line break cannot add a header', async () => {
    await set('key-agent', 'raw', `${secret}\r\nX-Admin: 1`).catch((error) => {
      expect(String(error)).not.toContain(secret);
    });
    const before = server.requests.length;
    const answer = await call('with_raw');
    expect(JSON.stringify(answer)).not.toContain(secret);
    for (const it of server.requests.slice(before)) expect(it.headers).not.toHaveProperty('x-admin');
    // Either the vault rejected it, or the request was not sent.
    if (answer.status === 'ok') expect(server.requests.at(-1)?.headers.authorization).toBe(secret);
    else expect(await failureOf(answer)).toMatchObject({ code: 'needs_setup' });
  });

  test('a session without the network grant sends nothing', async () => {
    await set('desk', 'DESK_KEY', secret);
    const plain = await bench.session();
    const before = server.requests.length;
    expect(await failureOf(plain.call({ tool: 'desk/ask', arguments: {} }))).toMatchObject({
      status: 'denied',
    });
    expect(server.requests).toHaveLength(before);
  });
});
