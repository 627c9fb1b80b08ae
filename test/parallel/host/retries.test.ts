// Promise: a call runs at most once, unless its tool is declared idempotent. Then it is tried again after failures that
// may be gone a moment later, with the same key.
import { readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JsonObject, Session } from '../../../src/index.js';
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

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

let bench: Workbench;
let session: Session;
let server: LoopbackServer;
/** Idempotency keys of all requests. */
let keys: (string | undefined)[] = [];
/** Answers in order; after the last one, every request succeeds. */
let replies: Reply[] = [];

const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Reply =>
  (_request, response) =>
    response.writeHead(code, headers).end(body);
const reset: Reply = (request) => request.socket.destroy();

const action = (name: string, method: string, rest: JsonObject = {}): JsonObject => ({
  name,
  invocation: { kind: 'http', method, path: `/${name}` },
  side_effects: 'write',
  idempotent: true,
  output: { format: 'json' },
  ...rest,
});

/** A program that is killed by a signal until it has run often enough. It counts its runs in the workspace. */
const crashing = `#!/bin/sh
echo "$TOOLWHARF_IDEMPOTENCY_KEY" >> "$2"
[ "$(wc -l < "$2")" -ge "$1" ] || kill -SEGV $$
echo '{"done":true}'
`;

beforeAll(async () => {
  server = await loopbackServer((request, response) => {
    request.resume();
    request.on('end', () => {
      keys.push(request.headers['idempotency-key'] as string | undefined);
      const reply = replies.shift() ?? status(200, { 'content-type': 'application/json' }, '{"ok":true}');
      reply(request, response);
    });
  });
  const endpoint = `http://127.0.0.1:${server.port}`;
  bench = await workbench({
    'desk/toolspace.json': toolspace({
      id: 'desk',
      endpoint,
      actions: [
        action('put', 'PUT'),
        action('post', 'POST', { idempotent: false }),
        action('get', 'GET', { side_effects: 'read' }),
      ],
    }),
    'program/toolspace.json': toolspace({
      id: 'program',
      command: ['/bin/sh', 'run.sh'],
      scopes: [{ resource: 'fs.workspace', actions: ['read', 'write'], rationale: 'It counts its runs.' }],
      actions: [
        {
          ...action('thrice', 'PUT', { input: inputOf({ file: { type: 'string' } }) }),
          invocation: { kind: 'subcommand', argv_template: ['3', `\${input.file}`] },
        },
        {
          ...action('once', 'PUT', { idempotent: false, input: inputOf({ file: { type: 'string' } }) }),
          invocation: { kind: 'subcommand', argv_template: ['2', `\${input.file}`] },
        },
      ],
    }),
    'program/run.sh': crashing,
    'agent/findagent.json': findagent('Agent', {
      tools: ['declared', 'plain'].map((name) => ({
        name,
        description: 'Change something.',
        input_schema: { type: 'object', properties: {}, additionalProperties: false },
        action: { type: 'http', method: 'POST', url: `https://example.test/${name}` },
      })),
      guardrails: { actions: { declared: { idempotent: true } } },
    }),
  });
  session = await bench.session({ allow: [`net:127.0.0.1:${server.port}`, `write:${bench.root}`] });
});
afterAll(async () => {
  await bench.close();
  await server.close();
});
beforeEach(() => {
  keys = [];
  replies = [];
  rmSync(join(bench.root, 'runs'), { force: true });
});

const call = (tool: string, timeoutMs?: number) =>
  session.call({
    tool,
    arguments: tool.startsWith('program/') ? { file: join(bench.root, 'runs') } : {},
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
const runs = () => readFileSync(join(bench.root, 'runs'), 'utf8').trimEnd().split('\n');

async function entriesOf(callId: string) {
  const all = await bench.host.auditTail(50);
  return all.filter((it) => it.body.callId === callId).map(({ kind, body }) => ({ kind, body }));
}

test('a tool that is declared idempotent is tried again, with the same key, and each try is in the audit log', async () => {
  replies = [status(503), reset];
  const answer = await call('desk/put');
  expect(await resultOf(answer)).toEqual({ ok: true });
  expect(keys).toEqual([answer.callId, answer.callId, answer.callId]);
  expect(await entriesOf(answer.callId)).toMatchObject([
    { kind: 'intent' },
    { kind: 'retry', body: { try: 2, code: 'tool_failed' } },
    { kind: 'retry', body: { try: 3, code: 'network_failed' } },
    { kind: 'outcome', body: { status: 'ok', tries: 3 } },
  ]);
});

test('a tool that is not declared idempotent sends exactly one request', async () => {
  for (const reply of [status(503), reset, status(429, { 'retry-after': '0' })]) {
    keys = [];
    replies = [reply];
    await failureOf(call('desk/post'));
    expect(keys).toHaveLength(1);
  }
});

test.each([
  ['bad gateway', status(502)],
  ['gateway timeout', status(504)],
  ['rate limit that says when', status(429, { 'retry-after': '0' })],
])('it is tried again after: %s', async (_what, reply) => {
  replies = [reply];
  await resultOf(call('desk/put'));
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});

test.each([
  ['a rate limit without a time', status(429)],
  ['a rejected request', status(400)],
  ['a missing thing', status(404)],
  ['a conflict', status(409)],
  ['an error of the service itself', status(500)],
  ['an answer that is not JSON', status(200, { 'content-type': 'application/json' }, 'no')],
])('the answer of the tool stands: %s', async (_what, reply) => {
  replies = [reply];
  await failureOf(call('desk/put'));
  expect(keys).toHaveLength(1);
});

test('there are at most three tries, and the last failure is the answer', async () => {
  replies = [reset, reset, status(503, {}, 'busy'), status(200)];
  const { message } = await failureOf(call('desk/put'));
  expect([keys.length, message]).toEqual([3, expect.stringContaining('503')]);
});

test('tries end with the timeout of the call', async () => {
  replies = [status(503, { 'retry-after': '5' })];
  const { message } = await failureOf(call('desk/put', 2000));
  expect([keys.length, message]).toEqual([1, expect.stringContaining('503')]);
});

test('a read is tried again without a key, which GET does not need', async () => {
  replies = [status(503)];
  await resultOf(call('desk/get'));
  expect(keys).toEqual([undefined, undefined]);
});

test('a program that crashes is started again with the same key in its environment', async () => {
  const answer = await call('program/thrice');
  expect(await resultOf(answer)).toEqual({ done: true });
  expect(runs()).toEqual([answer.callId, answer.callId, answer.callId]);
});

test('a program of a tool that is not declared idempotent is not started again', async () => {
  expect((await failureOf(call('program/once'))).message).toContain('SIGSEGV');
  expect(runs()).toEqual(['']);
});

test('FindAgent declares it per tool in its guardrails', async () => {
  const tools = await session.tools();
  const declared = (name: string) => tools.find((it) => it.name === name)?.tool.idempotentDeclared === true;
  expect([declared('agent/declared'), declared('agent/plain')]).toEqual([true, false]);
});
