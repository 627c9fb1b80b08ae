import { lateInstallations } from '../../../../src/host/lifecycle/late-installations.js';
import { noTasks } from '../../../support/no-tasks.js';
// Compares our MCP server with the official one: both get the same requests, over lines, in both eras. Intended
// differences are listed with their reasons, and the list must be exact.

import { PassThrough } from 'node:stream';
import { Server, type ServerOptions } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { afterAll, describe, expect, test } from 'vitest';
import type { Answer, ListedPrompt, ListedTool, PackageReport, Session } from '../../../../src/index.js';
import { HostError } from '../../../../src/model/host-error.js';
import { createMcpServer } from '../../../../src/serve/mcp/server.js';
import type { LineConnection } from '../../../../src/wire/line-connection.js';
import {
  BareClient,
  type Era,
  envelope,
  lineTransport,
  type Message,
  partsFor,
} from '../../../support/mcp-wire.js';

const schemas = {
  words: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
  list: { type: 'array', items: { type: 'string' } },
  choice: { anyOf: [{ type: 'string' }, { type: 'null' }] },
} as const;
const values = { words: { n: 2 }, list: ['a', 'b'], choice: null, plain: 'just words' } as const;
const skill = { uri: 'skill://shop/refunds', mimeType: 'text/markdown', text: 'How to refund.' };
type Name = keyof typeof values;

const listed = (name: Name): ListedTool => ({
  name: `shop/${name}`,
  exposed: name,
  definition: 'd',
  tool: {
    name,
    description: `Gives ${name}.`,
    input: { type: 'object', properties: { n: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } },
    ...(name === 'plain' ? {} : { output: schemas[name] }),
    annotations: { title: name },
    effect: 'read',
    effectDeclared: true,
    idempotent: true,
    untrustedInputs: [],
    approval: 'none',
    examples: [],
    action: null,
  },
});
const tools = (['choice', 'list', 'plain', 'words'] as const).map(listed);
const prompts: ListedPrompt[] = [
  {
    name: 'shop_greet',
    package: 'shop',
    kind: 'template',
    title: 'Greet',
    description: 'A greeting.',
    arguments: [{ name: 'who', description: 'Whom to greet.', required: true }],
    examples: [],
    tags: [],
  },
  {
    name: 'shop_refunds',
    package: 'shop',
    kind: 'skill',
    title: 'Refunds',
    description: 'Refunding.',
    arguments: [],
    examples: [],
    tags: [],
  },
];

const unexpected = () => Promise.reject(new Error('unexpected call'));
const session: Session = {
  packages: async (): Promise<PackageReport> => ({
    packages: [],
    summary: { scanned: 0, found: 0, nested: 0, invalid: 0, disabled: 0, unavailable: 0 },
  }),
  tools: async () => tools,
  async call({ tool }): Promise<Answer> {
    const base = { tool: `shop/${tool}`, callId: 'call', durationMs: 1 };
    if (!Object.hasOwn(values, tool))
      return { ...base, status: 'error', error: { code: 'tool_not_found', message: 'no such tool' } };
    return { ...base, status: 'ok', result: values[tool as Name], warnings: [] };
  },
  message: unexpected,
  source: unexpected,
  page: unexpected,
  subscribe: unexpected,
  note: unexpected,
  prompts: async () => prompts,
  prompt: async (name, given) => (name === 'shop_greet' ? `Hello ${given.who}` : skill.text),
  promptMessages: async (name, given) => ({
    description: prompts.find((it) => it.name === name)?.description ?? '',
    messages: [{ role: 'user', content: { type: 'text', text: await session.prompt(name, given) } }],
  }),
  resources: async () => [],
  resource: () => Promise.reject(new HostError('not_found', 'no such resource')),
  onChange: () => () => {},
  instructions: async () => [],
  complete: async () => ({ values: [] }),
  explain: unexpected,
  review: unexpected,
  accept: unexpected,
  install: unexpected,
  registries: {
    list: unexpected,
    search: unexpected,
    info: unexpected,
    reviews: unexpected,
    decideReview: unexpected,
  },
  learning: { watch: unexpected, propose: unexpected, apply: unexpected, undo: unexpected },
  consoleLink: unexpected,
  requestInstall: unexpected,
  installations: lateInstallations(unexpected),
  signIns: {
    list: unexpected,
    check: unexpected,
    begin: unexpected,
    finish: unexpected,
    signOut: unexpected,
  },
  waivers: unexpected,
  acceptWaiver: unexpected,
  named: () => session,
  close: async () => {},
};

const front = createMcpServer({
  ...partsFor(),
  session,
  approvals: { approve: unexpected, deny: unexpected, get: unexpected, onChange: () => () => {} },
  tasks: noTasks,
  principal: 'agent',
  holder: 'agent',
  expose: 'all',
  approver: null,
});

const ours = () => new BareClient(front);
const lists = { ttlMs: 5_000, cacheScope: 'private' } as const;
const lasting = { ttlMs: 600_000, cacheScope: 'private' } as const;
const options: ServerOptions = {
  capabilities: {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    completions: {},
    logging: {},
  },
  cacheHints: {
    'server/discover': lasting,
    'tools/list': lists,
    'prompts/list': lists,
    'resources/list': lists,
    'resources/templates/list': lasting,
    'resources/read': { ttlMs: 60_000, cacheScope: 'private' },
  },
};

/** A server of the official SDK with the same tools, prompts and resources. */
function oracle(): Server {
  const server = new Server({ name: 'toolwharf', title: 'Toolwharf', version: '9.9.9' }, options);
  const fault = (message: string, data?: object) =>
    Object.assign(new Error(message), { code: -32602, ...(data === undefined ? {} : { data }) });
  server.setRequestHandler('tools/list', async ({ params }) => {
    if (params?.cursor !== undefined) throw fault('unknown cursor');
    return {
      tools: tools.map(({ exposed, tool }) => ({
        name: exposed,
        description: tool.description,
        inputSchema: tool.input as { type: 'object' },
        ...(tool.output === undefined ? {} : { outputSchema: tool.output as Record<string, unknown> }),
        annotations: { title: exposed, readOnlyHint: true, idempotentHint: true },
      })),
    };
  });
  server.setRequestHandler('tools/call', async ({ params }) => {
    if (!Object.hasOwn(values, params.name)) throw fault('no such tool');
    const name = params.name as Name;
    const value = values[name];
    const content = [
      { type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) },
    ];
    if (name === 'plain') return { content };
    return server.projectCallToolResult(
      { content, structuredContent: value as unknown as Record<string, unknown> },
      schemas[name],
    );
  });
  server.setRequestHandler('prompts/list', async () => ({
    prompts: prompts.map(({ name, title, description, arguments: given }) => ({
      name,
      title,
      description,
      ...(given.length === 0 ? {} : { arguments: [...given] }),
    })),
  }));
  server.setRequestHandler('completion/complete', async () => ({ completion: { values: [] } }));
  server.setRequestHandler('prompts/get', async ({ params }) => {
    if (params.name !== 'shop_greet' || params.arguments?.who === undefined) throw fault('no such prompt');
    const text = `Hello ${params.arguments.who}`;
    return { description: 'A greeting.', messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  server.setRequestHandler('resources/list', async () => ({
    resources: [
      {
        uri: skill.uri,
        name: 'shop_refunds',
        title: 'Refunds',
        description: 'Refunding.',
        mimeType: skill.mimeType,
      },
    ],
  }));
  server.setRequestHandler('resources/subscribe', async () => ({}));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [
      {
        uriTemplate: 'toolwharf://result/{id}{?offset,limit}',
        name: 'result',
        title: 'A large result',
        description: 'A tool result that was too long, whole or in parts. Available for ten minutes.',
      },
    ],
  }));
  server.setRequestHandler('resources/read', async ({ params }) => {
    if (params.uri !== skill.uri) throw fault('no such resource', { uri: params.uri });
    return { contents: [skill] };
  });
  return server;
}

/** The official server over the same line connection. */
function theirs(): BareClient {
  return new BareClient({
    ...front,
    async lines(connection: LineConnection) {
      const out = new PassThrough();
      out.on('data', (chunk) => connection.write(chunk.toString()));
      serveStdio(oracle, { transport: lineTransport(out, connection.input as PassThrough) as never });
    },
  });
}

afterAll(() => front.close());

const old = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
const requestsOf: Record<Era, readonly [string, string, object][]> = {
  '2025': [
    ...['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '1999-01-01'].map(
      (protocolVersion): [string, string, object] => [
        `initialize ${protocolVersion}`,
        'initialize',
        { ...old, protocolVersion },
      ],
    ),
    ['initialize without a version', 'initialize', {}],
    ['ping', 'ping', {}],
    ['server/discover', 'server/discover', {}],
    ['subscriptions/listen', 'subscriptions/listen', { notifications: {} }],
  ],
  '2026': [
    ['server/discover', 'server/discover', envelope()],
    ['ping', 'ping', envelope()],
    ['initialize', 'initialize', old],
    ['no envelope', 'tools/list', {}],
    ['no capabilities', 'tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }],
    [
      'another version',
      'tools/list',
      envelope({}, { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }),
    ],
    [
      'a version that is not a string',
      'tools/list',
      envelope({}, { 'io.modelcontextprotocol/protocolVersion': 7 }),
    ],
    ['a client without a name', 'tools/list', envelope({}, { 'io.modelcontextprotocol/clientInfo': {} })],
    ['invalid capabilities', 'tools/list', envelope({}, { 'io.modelcontextprotocol/clientCapabilities': 1 })],
    ['an invalid progress token', 'tools/list', envelope({}, { progressToken: {} })],
    ['subscriptions/listen without a filter', 'subscriptions/listen', envelope()],
  ],
};
const both: readonly [string, string, object][] = [
  ['tools/list', 'tools/list', {}],
  ['tools/list with a cursor that is not a string', 'tools/list', { cursor: 1 }],
  ['tools/list with an unknown cursor', 'tools/list', { cursor: 'x' }],
  ...Object.keys(values).map((name): [string, string, object] => [
    `tools/call ${name}`,
    'tools/call',
    { name, arguments: { n: 1 } },
  ]),
  ['tools/call without arguments', 'tools/call', { name: 'words' }],
  ['tools/call of a missing tool', 'tools/call', { name: 'missing' }],
  ['tools/call without a name', 'tools/call', { arguments: {} }],
  ['tools/call with an array as arguments', 'tools/call', { name: 'words', arguments: [] }],
  ['prompts/list', 'prompts/list', {}],
  ['prompts/get', 'prompts/get', { name: 'shop_greet', arguments: { who: 'you' } }],
  ['prompts/get without its argument', 'prompts/get', { name: 'shop_greet' }],
  ['prompts/get with a number as argument', 'prompts/get', { name: 'shop_greet', arguments: { who: 1 } }],
  ['prompts/get of a missing prompt', 'prompts/get', { name: 'missing' }],
  ['resources/list', 'resources/list', {}],
  ['resources/templates/list', 'resources/templates/list', {}],
  ['resources/read', 'resources/read', { uri: skill.uri }],
  ['resources/read of a missing resource', 'resources/read', { uri: 'skill://shop/none' }],
  ['resources/read without a uri', 'resources/read', {}],
  ['resources/subscribe', 'resources/subscribe', { uri: skill.uri }],
  ['logging/setLevel', 'logging/setLevel', { level: 'debug' }],
  [
    'completion/complete',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } },
  ],
  ['roots/list', 'roots/list', {}],
  ['nothing/such', 'nothing/such', {}],
  ['__proto__', '__proto__', {}],
  ['constructor', 'constructor', {}],
];

const invalidParams = 'params of the wrong shape are an error of the client: -32602, not -32603';
const tasks = 'the official server has no tasks';
/** Requests that we answer differently, and why. */
const differences: Record<Era, Record<string, string>> = {
  '2025': {
    'initialize 2025-11-25': tasks,
    'initialize 1999-01-01': tasks,
    'initialize without a version': invalidParams,
    'tools/list with a cursor that is not a string': invalidParams,
    'prompts/get with a number as argument': invalidParams,
    'resources/read without a uri': invalidParams,
  },
  '2026': {
    'server/discover': tasks,
    'tools/list with a cursor that is not a string': invalidParams,
    'prompts/get with a number as argument': invalidParams,
    'resources/read without a uri': invalidParams,
    'another version': 'every request names its version, so we check every request, not only the first',
    'an invalid progress token': 'the official server drops the message; we answer every request',
  },
};

/** Error texts and our own metadata are not compared. */
function comparable(message: Message): unknown {
  const error = message.error as { code: number; data?: unknown } | undefined;
  if (error !== undefined) return { error: { code: error.code } };
  return strip(message.result);
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((it) => it?.name !== 'patch_confirm_action').map(strip);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).flatMap(([key, it]): [string, unknown][] => {
    if (key.startsWith('toolwharf/') || key === 'instructions') return [];
    const inner = strip(it);
    return key === '_meta' && Object.keys(inner as object).length === 0 ? [] : [[key, inner]];
  });
  return Object.fromEntries(kept);
}

describe.each<Era>(['2025', '2026'])('both servers answer the same in %s', (era) => {
  test('every listed difference belongs to a request of this test', () => {
    const names = [...requestsOf[era], ...both].map(([name]) => name);
    expect(Object.keys(differences[era]).filter((it) => !names.includes(it))).toEqual([]);
  });

  const requests = [...requestsOf[era], ...both];

  test.each(requests)('%s', async (name, method, params) => {
    const opened = era === '2025' ? { ...params } : { ...envelope(), ...params };
    const exact = requestsOf[era].some(([it]) => it === name) ? params : opened;
    const answers = await Promise.all(
      [ours(), theirs()].map(async (client) => {
        if (era === '2025') await client.request('initialize', old, 'first');
        else await client.request('tools/list', envelope(), 'first');
        const answer = await client.request(method, exact, 2, 2_000).then(comparable, () => 'no answer');
        client.leave();
        return answer;
      }),
    );
    if (Object.hasOwn(differences[era], name)) expect(answers[0]).not.toEqual(answers[1]);
    else expect(answers[0]).toEqual(answers[1]);
  });
});
