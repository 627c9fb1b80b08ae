import { describe, expect, test } from 'vitest';
import { fixture, parseValue } from '../../../test/support/toolspace-sample.js';
import { noGuardrails } from '../../model/guardrails.js';
import type { Json, JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';

function packageOf(manifest: Json): Package {
  const { package: pkg, diagnostics } = parseValue(manifest);
  if (pkg === undefined) throw new Error(diagnostics.map((it) => it.message).join('\n'));
  return pkg;
}

const text = (it: string) => ({ parts: [{ kind: 'text', text: it }] });
const slot = (it: string) => ({ parts: [{ kind: 'slot', slot: it }] });

test('a manifest of a Python module with every field is converted completely', () => {
  const environment = [
    { name: 'LINE_LIMIT', value: slot('LINE_LIMIT') },
    { name: 'LICENSE_KEY', value: slot('LICENSE_KEY') },
  ];
  const runtime = { language: 'python', packages: [] };
  expect(packageOf(fixture('accept-everything'))).toEqual({
    format: 'toolspace',
    id: 'line-counter',
    version: '1.0.0',
    name: 'Line counter',
    description: 'Counts the lines of a text file.',
    programs: [
      {
        name: 'command',
        role: 'tool',
        lifetime: 'call',
        protocol: 'argv',
        callerContext: false,
        target: {
          kind: 'process',
          command: [text('-m'), text('line_counter')],
          runtime,
          directory: 'lib/line',
          environment,
        },
      },
      {
        name: 'smoke',
        role: 'smoke',
        lifetime: 'call',
        protocol: 'argv',
        callerContext: false,
        target: {
          kind: 'process',
          command: [text('-m'), text('line_counter'), text('--version')],
          runtime,
          directory: '',
          environment,
        },
      },
    ],
    tools: [
      {
        name: 'count',
        description: 'Count the lines of a file.\n\nReads the file once.',
        input: {
          type: 'object',
          properties: { file: { type: 'string' } },
          required: ['file'],
          additionalProperties: false,
        },
        output: { type: 'object', properties: { lines: { type: 'integer' } } },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
        effect: 'read',
        effectDeclared: true,
        idempotent: true,
        idempotentDeclared: true,
        untrustedInputs: [],
        approval: 'none',
        scopes: ['fs.local'],
        access: { network: { kind: 'none' }, filesystem: 'read-only' },
        examples: [{ description: 'A short file.', input: { file: 'a.txt' }, output: { lines: 3 } }],
        action: {
          kind: 'exec',
          program: 'command',
          arguments: [text('count'), text('--'), { parts: [{ kind: 'input', path: ['file'] }] }],
          stdin: 'none',
          output: { format: 'json', errorEnvelope: true },
        },
      },
    ],
    prompts: [],
    hooks: [],
    needs: { binaries: [] },
    slots: [
      {
        name: 'LINE_LIMIT',
        label: 'LINE_LIMIT',
        prompt: 'Longest line.',
        secret: false,
        required: false,
        type: 'text',
        source: { kind: 'operator' },
        delivery: { kind: 'environment', variable: 'LINE_LIMIT' },
        audience: { kind: 'public' },
        default: '200',
        pattern: '[0-9]{1,5}',
        obtainUrl: 'https://example.com/limits',
      },
      {
        name: 'LICENSE_KEY',
        label: 'LICENSE_KEY',
        prompt: 'Your key.',
        providerScopes: ['files.read'],
        secret: true,
        required: false,
        type: 'text',
        source: { kind: 'operator' },
        delivery: { kind: 'environment', variable: 'LICENSE_KEY' },
        audience: { kind: 'unbound' },
      },
    ],
    permissions: {
      origin: 'declared',
      network: { kind: 'none' },
      filesystem: 'read-only',
      stateDirectory: false,
      scopes: [
        {
          resource: 'fs.local',
          verbs: ['read'],
          rationale: 'Files are counted.',
          providerScope: 'files.read',
        },
      ],
    },
    guardrails: noGuardrails,
    install: { kind: 'pip', package: 'line-counter', version: '==1.0.0' },
    smoke: {
      check: { kind: 'program', program: 'smoke' },
      timeoutSeconds: 300,
      success: { exitCode: 0, stdoutPattern: '^1\\.', pointers: [], noErrorField: false },
    },
    killSwitch: { kind: 'manual', instructionsUrl: 'https://tools.example.com/line-counter/remove' },
    cost: {
      installFeeCents: 0,
      monthlyFeeCents: 500,
      usageModel: 'external',
      estimateUrl: 'https://example.com/estimate',
    },
    announcesTools: false,
    targets: [],
    facts: [
      { label: 'about', value: 'Works on **UTF-8** files.' },
      { label: 'homepage', value: 'https://tools.example.com/line-counter' },
      {
        label: 'author',
        value: { name: 'A. Author', email: 'author@example.com', url: 'https://example.com/author' },
      },
      { label: 'license', value: 'MIT' },
      { label: 'tags', value: ['text', 'files'] },
      { label: 'issues', value: 'https://example.com/issues' },
      { label: 'security contact', value: 'security@example.com' },
      { label: 'manual', value: 'https://example.com/docs' },
    ],
  });
});

describe('http actions', () => {
  test('requests go only to the endpoint', () => {
    const pkg = packageOf(fixture('accept-http'));
    expect(pkg.programs).toEqual([]);
    expect(pkg.announcesTools).toBe(false);
    expect(pkg.tools[0]?.action).toEqual({
      kind: 'http',
      method: 'GET',
      url: {
        origin: 'https://api.desk.example.com',
        path: {
          parts: [
            { kind: 'text', text: '/v2/teams/' },
            { kind: 'slot', slot: 'DESK_TEAM' },
            { kind: 'text', text: '/tickets/' },
            { kind: 'input', path: ['number'] },
          ],
        },
        query: [],
      },
      headers: [
        {
          name: 'Authorization',
          value: {
            parts: [
              { kind: 'text', text: 'Bearer ' },
              { kind: 'slot', slot: 'DESK_TOKEN' },
            ],
          },
        },
      ],
      body: { kind: 'none' },
      output: { format: 'json', errorEnvelope: false },
    });
    expect(pkg.permissions.network).toEqual({
      kind: 'hosts',
      hosts: [{ host: 'api.desk.example.com', port: null }],
    });
    expect(pkg.slots.map((it) => it.audience)).toEqual([
      { kind: 'hosts', hosts: ['api.desk.example.com'] },
      { kind: 'public' },
    ]);
    expect(pkg.killSwitch).toEqual({ kind: 'url', url: 'https://api.desk.example.com/v2/tokens/current' });
    expect(pkg.smoke?.check).toMatchObject({
      kind: 'http',
      method: 'GET',
      headers: [{ name: 'Authorization', value: { parts: [{ text: 'Bearer ' }, { slot: 'DESK_TOKEN' }] } }],
    });
  });

  test.each([
    ['https://h.example/api/', '/a', '/api/a', []],
    ['https://h.example/api', 'a', '/api/a', []],
    ['https://h.example', '', '/', []],
    ['https://h.example/mcp/', '', '/mcp/', []],
    ['https://h.example', '@evil.example/x', '/@evil.example/x', []],
    ['https://h.example', '//evil.example/x', '//evil.example/x', []],
    ['https://h.example:8443/?k=1', '/a?b=2&c&d=x+y%2Bz', '/a', ['k=1', 'b=2', 'c=', 'd=x%20y%2Bz']],
  ])('the endpoint %s and the path %j are joined', (endpoint, path, expected, query) => {
    const { action } = packageOf(withAction({ kind: 'http', method: 'POST', path }, endpoint)).tools[0] ?? {};
    if (action?.kind !== 'http') throw new Error('not an http action');
    expect(action.url.origin).toBe(new URL(endpoint).origin);
    expect(action.url.path.parts).toEqual([{ kind: 'text', text: expected }]);
    const shown = action.url.query.map(
      ({ name, value }) => `${name}=${value.parts.map((it) => (it.kind === 'text' ? it.text : '')).join('')}`,
    );
    expect(shown).toEqual(query);
  });

  test.each([
    ['POST', `/n/\${input.number}`, { kind: 'input', except: [['number']] }],
    ['POST', '/n', { kind: 'input', except: [] }],
    ['PUT', `/n?x=\${input.number}`, { kind: 'input', except: [['number']] }],
    ['DELETE', `/n/\${input.number}`, { kind: 'none' }],
    ['DELETE', '/n', { kind: 'input', except: [] }],
    ['GET', `/n/\${input.number}`, { kind: 'none' }],
  ])('%s %s sends the right body', (method, path, body) => {
    expect(packageOf(withAction({ kind: 'http', method, path })).tools[0]?.action).toMatchObject({ body });
  });

  test('a managed header is not sent', () => {
    const { action } = packageOf(fixture('header-managed')).tools[0] ?? {};
    expect(action).toMatchObject({ headers: [] });
  });
});

describe('programs', () => {
  test('a server without actions announces its tools', () => {
    const pkg = packageOf(fixture('accept-mcp-stdio-without-actions'));
    expect(pkg.announcesTools).toBe(true);
    expect(pkg.tools).toEqual([]);
    expect(pkg.programs.map((it) => [it.name, it.role, it.lifetime, it.protocol])).toEqual([
      ['server', 'mcp-server', 'persistent', 'mcp'],
      ['kill-switch', 'kill-switch', 'call', 'argv'],
    ]);
    expect(pkg.programs[0]?.target).toMatchObject({
      command: [text('server.mjs')],
      runtime: { language: 'node', packages: [] },
    });
    expect(pkg.killSwitch).toEqual({ kind: 'program', program: 'kill-switch' });
    expect(pkg.smoke?.check).toEqual({ kind: 'upstream', tool: 'list_notes', arguments: {} });
    expect(pkg.install).toEqual({ kind: 'npm', package: '@notes/server', version: '^0.3.1' });
  });

  test('with actions, only the listed tools are offered', () => {
    const pkg = packageOf(fixture('accept-mcp-stdio-with-actions'));
    expect(pkg.announcesTools).toBe(false);
    expect(pkg.tools[0]?.action).toEqual({ kind: 'upstream', program: 'server', tool: 'list_notes' });
    expect(pkg.tools[0]?.input).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  });

  test('the single secret of a remote server is its bearer token', () => {
    const pkg = packageOf(fixture('accept-mcp-http-tool'));
    expect(pkg.programs).toEqual([
      {
        name: 'server',
        role: 'mcp-server',
        lifetime: 'persistent',
        protocol: 'mcp',
        callerContext: false,
        target: {
          kind: 'url',
          url: 'https://api.desk.example.com/v2',
          headers: [
            {
              name: 'Authorization',
              value: { parts: [...text('Bearer ').parts, ...slot('DESK_TOKEN').parts] },
            },
          ],
        },
      },
    ]);
    expect(pkg.slots[0]?.delivery).toEqual({ kind: 'request', scheme: { kind: 'bearer' } });
  });

  test('a container runs its image', () => {
    const [program] = packageOf(fixture('accept-container')).programs;
    expect(program?.target).toEqual({
      kind: 'container',
      image: `registry.example.com/tools/count@sha256:${'0123456789abcdef'.repeat(4)}`,
      command: [text('count')],
    });
  });

  test.each([
    ['python3.12', { language: 'python', version: '3.12', packages: [] }],
    ['python', { language: 'python', packages: [] }],
    ['node', { language: 'node', packages: [] }],
    ['./python3', undefined],
    ['python2', undefined],
  ])('the command %s gets the right runtime', (program, runtime) => {
    const manifest = fixture('accept-argv') as { runtime: JsonObject };
    const entrypoint = { command: [program, 'x'] };
    const pkg = packageOf({ ...manifest, runtime: { ...manifest.runtime, entrypoint } });
    const target = pkg.programs[0]?.target;
    if (target?.kind !== 'process') throw new Error('not a process');
    expect(target.runtime).toEqual(runtime);
    expect(target.command).toEqual(runtime === undefined ? [text(program), text('x')] : [text('x')]);
  });
});

describe('permissions', () => {
  const scope = (resource: string, ...actions: string[]) => ({ resource, actions, rationale: 'Because.' });

  test.each<[string, Json, string, Json]>([
    ['no scopes', [], 'none', { kind: 'none' }],
    ['files, read', [scope('fs.local', 'read', 'execute')], 'read-only', { kind: 'none' }],
    ['files, write', [scope('fs.local', 'read'), scope('fs.cache', 'write')], 'read-write', { kind: 'none' }],
    ['files, delete', [scope('fs', 'delete')], 'read-write', { kind: 'none' }],
    ['a service without endpoint', [scope('mail.inbox', 'read')], 'none', { kind: 'hosts', hosts: [] }],
    [
      'the public network',
      [scope('net.outbound', 'send'), scope('fs.x', 'read')],
      'read-only',
      { kind: 'public' },
    ],
    ['a name that only starts with fs', [scope('fsx.files', 'write')], 'none', { kind: 'hosts', hosts: [] }],
  ])('%s: permissions are derived from the scopes', (_, scopes, filesystem, network) => {
    const { permissions } = packageOf({ ...fixture('accept-argv'), scopes });
    expect(permissions).toMatchObject({ filesystem, network });
  });

  test('an action gets only declared scopes', () => {
    const [tool] = packageOf(fixture('unknown-scope')).tools;
    expect(tool?.scopes).toEqual([]);
    // An http action always may call its endpoint.
    const endpoint = { kind: 'hosts', hosts: [{ host: 'api.desk.example.com', port: null }] };
    expect(tool?.access).toEqual({ network: endpoint, filesystem: 'none' });
  });

  test.each<[string, readonly string[], string, Json]>([
    ['only reading', ['fs.look'], 'read-only', { kind: 'none' }],
    ['writing', ['fs.look', 'fs.change'], 'read-write', { kind: 'none' }],
    ['a service, not the public network', ['mail.inbox'], 'none', { kind: 'hosts', hosts: [] }],
    ['the public network', ['net.outbound'], 'none', { kind: 'public' }],
    ['nothing', [], 'none', { kind: 'none' }],
  ])('an action that lists %s gets less than its package', (_, used, filesystem, network) => {
    const manifest = fixture('accept-argv') as { actions: readonly JsonObject[] };
    const scopes = [
      scope('fs.look', 'read'),
      scope('fs.change', 'write'),
      scope('mail.inbox', 'read'),
      scope('net.outbound', 'send'),
    ];
    const pkg = packageOf({ ...manifest, scopes, actions: [{ ...manifest.actions[0], scopes_used: used }] });
    expect(pkg.tools[0]?.access).toEqual({ filesystem, network });
    expect(pkg.permissions).toMatchObject({ filesystem: 'read-write', network: { kind: 'public' } });
  });

  test('an action without a list of scopes has no access of its own', () => {
    const { scopes_used: _, ...action } = (fixture('accept-argv') as { actions: JsonObject[] })
      .actions[0] as JsonObject;
    expect(packageOf({ ...fixture('accept-argv'), actions: [action] }).tools[0]).not.toHaveProperty('access');
  });
});

test('a destructive action needs approval', () => {
  const manifest = fixture('accept-argv') as { actions: readonly JsonObject[] };
  const [action] = manifest.actions;
  const tool = packageOf({ ...manifest, actions: [{ ...action, side_effects: 'destructive' }] }).tools[0];
  expect(tool).toMatchObject({ effect: 'destructive', approval: 'human', idempotent: false });
  expect(tool?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
});

describe('input schemas reject undeclared members by default', () => {
  test.each<[JsonObject, JsonObject]>([
    [{}, { type: 'object', additionalProperties: false }],
    [
      { properties: { a: { type: 'object', properties: {} } } },
      {
        properties: { a: { type: 'object', properties: {}, additionalProperties: false } },
        type: 'object',
        additionalProperties: false,
      },
    ],
    [{ additionalProperties: true }, { additionalProperties: true, type: 'object' }],
    [{ allOf: [{}] }, { allOf: [{}], type: 'object', unevaluatedProperties: false }],
  ])('%j is closed', (input, expected) => {
    expect(packageOf(withAction({ kind: 'stdin-json' }, undefined, input)).tools[0]?.input).toEqual(expected);
  });
});

describe('outputs', () => {
  test.each([
    [undefined, 'text'],
    ['json', 'json'],
    ['text', 'text'],
    ['binary', 'binary'],
    ['ndjson-stream', 'records'],
    ['none', 'none'],
  ])('the format %s is read as %s', (format, reader) => {
    const manifest = fixture('accept-argv') as { actions: readonly JsonObject[] };
    const output = format === undefined ? {} : { output: { format } };
    const pkg = packageOf({ ...manifest, actions: [{ ...manifest.actions[0], ...output }] });
    expect(pkg.tools[0]?.action).toMatchObject({ output: { format: reader } });
  });
});

test('conditions that do not apply to the check are dropped', () => {
  expect(packageOf(fixture('foreign-success-http')).smoke?.success).toEqual({
    pointers: [],
    noErrorField: false,
  });
  expect(packageOf(fixture('accept-smoke-action-call')).smoke).toEqual({
    check: { kind: 'tool', tool: 'count', arguments: { file: 'README.md' } },
    timeoutSeconds: 30,
    success: {
      pointers: [
        { pointer: '/lines', equals: 0 },
        { pointer: '', equals: { lines: 0 } },
      ],
      noErrorField: false,
    },
  });
});

/** A manifest with one action that uses this invocation. */
function withAction(invocation: JsonObject, endpoint?: string, input?: JsonObject): JsonObject {
  const http = invocation.kind === 'http';
  const manifest = fixture(http ? 'accept-http' : 'accept-argv') as {
    actions: readonly JsonObject[];
    runtime: JsonObject;
  } & JsonObject;
  const [action] = manifest.actions;
  const runtime = endpoint === undefined ? manifest.runtime : { ...manifest.runtime, endpoint_url: endpoint };
  const actions = [{ ...action, invocation, ...(input === undefined ? {} : { input }) }];
  return { ...manifest, runtime, actions };
}
