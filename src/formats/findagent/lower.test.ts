import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import { textTemplate } from '../../model/template.js';
import { defaultParseOptions } from '../index.js';
import { findagent } from './format.js';

const core = {
  name: 'Night Porter',
  system_prompt: 'You look after the doors of a small hotel while everybody else is asleep.',
  example_prompts: ['Who came in after midnight?'],
};

function packageOf(manifest: JsonObject, files: Record<string, string> = {}): Package {
  const bundle = memoryBundle({ ...files, 'findagent.json': JSON.stringify(manifest) }, 'findagent.json');
  const result = findagent.parse(bundle, defaultParseOptions);
  expect(result.diagnostics.filter((it) => it.severity === 'error')).toEqual([]);
  return result.package as Package;
}

const input = (name: string) => ({ kind: 'input', path: [name] }) as const;
const text = (it: string) => ({ kind: 'text', text: it }) as const;

test('a manifest with every field is converted completely', () => {
  const doors = {
    type: 'object',
    properties: { door: { type: 'string' }, floor: { type: 'integer' } },
    required: ['door'],
  };
  const rename = {
    type: 'object',
    properties: { door: { type: 'string' }, label: { type: 'string' } },
    required: ['door', 'label'],
  };
  const answer = { type: 'object', properties: { open: { type: 'boolean' } } };
  const pkg = packageOf({
    ...core,
    version: '2.1.0',
    description: 'Doors and locks.',
    kind: 'mcp-tool',
    category: 'hospitality',
    tags: ['doors'],
    tools: [
      {
        name: 'door_state',
        description: 'Whether a door is open.',
        input_schema: doors,
        output_schema: answer,
        annotations: { title: 'Door state', readOnlyHint: true },
        action: {
          type: 'http',
          method: 'GET',
          url: 'https://locks.hotel.example/v2/doors/{door}?floor={floor}&unit=eu',
          headers: { 'X-Floor': 'floor {floor}' },
          auth_ref: 'lock_key',
        },
      },
      {
        name: 'rename_door',
        description: 'Give a door another label.',
        input_schema: rename,
        action: {
          type: 'http',
          method: 'PUT',
          url: 'https://locks.hotel.example:8443/v2/doors/{door}',
          body_template: { label: '{label}', by: 'porter' },
        },
      },
      {
        name: 'forget_door',
        description: 'Remove a door for good.',
        input_schema: doors,
        annotations: { readOnlyHint: true },
        action: { type: 'http', method: 'POST', url: 'https://locks.hotel.example/v2/forget/{door}' },
      },
      {
        name: 'greet',
        description: 'A greeting.',
        action: { type: 'prompt-template', template: 'Greet {guest}.' },
      },
      {
        name: 'weather',
        description: 'Ask next door.',
        action: { type: 'compose', agent: 'Sea Weather', tool: 'now' },
      },
      { name: 'idea', description: 'Not there yet.' },
    ],
    credential_slots: [
      {
        ref: 'lock_key',
        label: 'Lock key',
        env: 'LOCK_KEY',
        allowed_hosts: ['Hotel.Example'],
        type: 'secret',
        description: 'From the lock maker.',
        required: false,
        auth_scheme: 'header',
        header_name: 'X-Lock',
        prefix: 'Key ',
      },
    ],
    guardrails: {
      input: { max_length: 500, deny_patterns: ['open all'], pii_redaction: ['email', 'phone', 'email'] },
      output: { secret_leak_scan: true, schema: { type: 'object' } },
      actions: {
        door_state: { approval: 'none', rate_limit: '10/hour' },
        rename_door: { approval: 'human', max_amount: 2.5, idempotent: true },
      },
    },
    targets: ['cli', 'web'],
  });
  expect(pkg).toEqual({
    format: 'findagent',
    id: 'night-porter',
    version: '2.1.0',
    name: 'Night Porter',
    description: 'Doors and locks.',
    programs: [],
    tools: [
      {
        name: 'door_state',
        description: 'Whether a door is open.',
        input: doors,
        output: answer,
        annotations: {
          title: 'Door state',
          readOnlyHint: true,
          idempotentHint: true,
          openWorldHint: true,
        },
        effect: 'read',
        effectDeclared: true,
        idempotent: true,
        untrustedInputs: [],
        approval: 'none',
        examples: [],
        action: {
          kind: 'http',
          method: 'GET',
          url: {
            origin: 'https://locks.hotel.example',
            path: { parts: [text('/v2/doors/'), input('door')] },
            query: [
              { name: 'floor', value: { parts: [input('floor')] } },
              { name: 'unit', value: textTemplate('eu') },
            ],
          },
          headers: [{ name: 'X-Floor', value: { parts: [text('floor '), input('floor')] } }],
          body: { kind: 'none' },
          credential: 'lock_key',
          output: { format: 'json', errorEnvelope: false },
        },
      },
      {
        name: 'rename_door',
        description: 'Give a door another label.',
        input: rename,
        annotations: {
          readOnlyHint: false,
          idempotentHint: true,
          openWorldHint: true,
        },
        effect: 'write',
        effectDeclared: true,
        idempotent: true,
        idempotentDeclared: true,
        untrustedInputs: [],
        approval: 'human',
        examples: [],
        action: {
          kind: 'http',
          method: 'PUT',
          url: {
            origin: 'https://locks.hotel.example:8443',
            path: { parts: [text('/v2/doors/'), input('door')] },
            query: [],
          },
          headers: [],
          body: {
            kind: 'json',
            body: {
              kind: 'object',
              members: [
                { name: 'label', value: { kind: 'template', template: { parts: [input('label')] } } },
                { name: 'by', value: { kind: 'literal', value: 'porter' } },
              ],
            },
          },
          output: { format: 'auto', errorEnvelope: false },
        },
      },
      {
        name: 'forget_door',
        description: 'Remove a door for good.',
        input: doors,
        annotations: {
          readOnlyHint: false,
          openWorldHint: true,
        },
        effect: 'write',
        effectDeclared: true,
        idempotent: false,
        untrustedInputs: [],
        approval: 'none',
        examples: [],
        action: {
          kind: 'http',
          method: 'POST',
          url: {
            origin: 'https://locks.hotel.example',
            path: { parts: [text('/v2/forget/'), input('door')] },
            query: [],
          },
          headers: [],
          body: { kind: 'input', except: [['door']] },
          output: { format: 'auto', errorEnvelope: false },
        },
      },
      {
        name: 'greet',
        description: 'A greeting.',
        input: {
          type: 'object',
          properties: { guest: { type: ['string', 'number', 'boolean'] } },
          required: ['guest'],
          additionalProperties: false,
        },
        annotations: { readOnlyHint: true, idempotentHint: true },
        effect: 'none',
        effectDeclared: true,
        idempotent: true,
        untrustedInputs: [],
        approval: 'none',
        examples: [],
        action: { kind: 'prompt', template: { parts: [text('Greet '), input('guest'), text('.')] } },
      },
      {
        name: 'weather',
        description: 'Ask next door.',
        input: { type: 'object', additionalProperties: true },
        annotations: {},
        effect: 'write',
        effectDeclared: false,
        idempotent: false,
        untrustedInputs: [],
        approval: 'none',
        examples: [],
        action: { kind: 'compose', package: 'sea-weather', tool: 'now' },
      },
      {
        name: 'idea',
        description: 'Not there yet.',
        input: { type: 'object', additionalProperties: true },
        annotations: {},
        effect: 'write',
        effectDeclared: false,
        idempotent: false,
        untrustedInputs: [],
        approval: 'none',
        examples: [],
        action: null,
      },
    ],
    prompts: [
      {
        kind: 'instructions',
        name: 'instructions',
        title: 'Night Porter',
        description: 'Doors and locks.',
        body: { kind: 'text', text: core.system_prompt },
        examples: core.example_prompts,
        tags: [],
        first: true,
      },
    ],
    hooks: [],
    needs: { binaries: [] },
    slots: [
      {
        name: 'lock_key',
        label: 'Lock key',
        prompt: 'From the lock maker.',
        secret: true,
        required: false,
        type: 'text',
        source: { kind: 'operator' },
        delivery: { kind: 'request', scheme: { kind: 'header', name: 'X-Lock', prefix: 'Key ' } },
        audience: { kind: 'hosts', hosts: ['hotel.example'] },
      },
    ],
    permissions: {
      origin: 'declared',
      network: {
        kind: 'hosts',
        hosts: [
          { host: 'locks.hotel.example', port: null },
          { host: 'locks.hotel.example', port: 8443 },
        ],
      },
      filesystem: 'none',
      stateDirectory: false,
      scopes: [],
    },
    guardrails: {
      input: { maxLength: 500, denyPatterns: ['open all'], redact: ['email', 'phone'] },
      output: { schema: { type: 'object' } },
      tools: [
        { tool: 'door_state', approval: 'none', rateLimit: { count: 10, per: 'hour' } },
        { tool: 'rename_door', approval: 'human', maxAmount: 2.5, idempotent: true },
      ],
    },
    install: { kind: 'bundled' },
    announcesTools: false,
    targets: ['cli', 'web'],
    facts: [
      { label: 'kind', value: 'mcp-tool' },
      { label: 'category', value: 'hospitality' },
      { label: 'tags', value: ['doors'] },
    ],
  });
});

test('a manifest with only the required fields has no slots and no network', () => {
  expect(packageOf({ ...core, tools: [] })).toMatchObject({
    id: 'night-porter',
    version: '0.0.0',
    description: '',
    tools: [],
    slots: [],
    permissions: { network: { kind: 'none' } },
    facts: [],
  });
});

test('a remote server becomes an MCP server program', () => {
  const pkg = packageOf({
    ...core,
    tools: [{ name: 'ask', description: 'Ask.' }],
    delivery: { mcp: { remote: { url: 'https://mcp.hotel.example/mcp' } } },
  });
  expect(pkg).toMatchObject({
    announcesTools: true,
    programs: [
      {
        name: 'remote',
        role: 'mcp-server',
        lifetime: 'persistent',
        protocol: 'mcp',
        target: { kind: 'url', url: 'https://mcp.hotel.example/mcp', headers: [] },
      },
    ],
    tools: [{ name: 'ask', action: { kind: 'upstream', program: 'remote', tool: 'ask' } }],
    permissions: { network: { kind: 'hosts', hosts: [{ host: 'mcp.hotel.example', port: null }] } },
  });
});

describe('the credential of a remote server', () => {
  const url = 'https://mcp.hotel.example/mcp';
  const key = { ref: 'key', label: 'Key', allowed_hosts: ['hotel.example'] };
  const spare = { ...key, ref: 'spare' };
  const otherHost = { ...key, ref: 'other-host', allowed_hosts: ['other.example'] };
  const target = (rest: JsonObject, remote: JsonObject) =>
    packageOf({ ...core, tools: [], delivery: { mcp: { remote: { url, ...remote } } }, ...rest }).programs.at(
      -1,
    )?.target;

  test.each<[string, JsonObject, JsonObject, string | undefined]>([
    ['is the only slot that allows its host', { credential_slots: [otherHost, key] }, {}, 'key'],
    ['is not chosen among several slots', { credential_slots: [key, spare] }, {}, undefined],
    ['is the slot that auth_ref names', { credential_slots: [key, spare] }, { auth_ref: 'spare' }, 'spare'],
    ['is never a slot for other hosts', { credential_slots: [otherHost] }, {}, undefined],
    ['is absent without slots', {}, {}, undefined],
  ])('%s', (_title, rest, remote, expected) => {
    expect(target(rest, remote)).toEqual({
      kind: 'url',
      url,
      headers: [],
      ...(expected === undefined ? {} : { credential: expected }),
    });
  });
});

test('commands under delivery never become programs', () => {
  const pkg = packageOf({
    ...core,
    tools: [],
    delivery: { mcp: { stdio: { command: 'porter-mcp', args: ['run'] } } },
  });
  expect(pkg.programs).toEqual([]);
  expect(pkg.announcesTools).toBe(false);
});

test('wrapped code becomes a function program', () => {
  const pkg = packageOf(
    {
      ...core,
      kind: 'code-bundle',
      entrypoint: { path: './src//porter.py', export: 'answer' },
      runtime: { kind: 'python', version: '3.11' },
      allowed_hosts: ['Locks.Hotel.Example'],
      env: [{ name: 'FLOORS', description: 'How many floors there are.' }],
      credential_slots: [{ ref: 'lock-key', label: 'Lock key', allowed_hosts: ['locks.hotel.example'] }],
      ui: { path: 'web/index.html' },
    },
    { 'src/porter.py': 'def answer(event):\n    return event\n', 'web/index.html': '<p>doors</p>' },
  );
  expect(pkg).toMatchObject({
    announcesTools: false,
    interface: 'web/index.html',
    programs: [
      {
        name: 'code',
        role: 'tool',
        lifetime: 'persistent',
        protocol: 'function',
        target: {
          kind: 'process',
          command: [textTemplate('src/porter.py')],
          runtime: { language: 'python', version: '3.11', packages: [] },
          directory: '',
        },
      },
    ],
    tools: [
      {
        name: 'run',
        input: { type: 'object', additionalProperties: true },
        effect: 'write',
        effectDeclared: false,
        action: { kind: 'function', program: 'code', export: 'answer', convention: 'envelope' },
      },
    ],
    slots: [
      {
        name: 'lock-key',
        secret: true,
        plainEntry: true,
        required: true,
        delivery: { kind: 'environment', variable: 'LOCK_KEY' },
        audience: { kind: 'hosts', hosts: ['locks.hotel.example'] },
      },
      {
        name: 'FLOORS',
        prompt: 'How many floors there are.',
        secret: false,
        required: false,
        delivery: { kind: 'environment', variable: 'FLOORS' },
        audience: { kind: 'public' },
      },
    ],
    permissions: { network: { kind: 'hosts', hosts: [{ host: 'locks.hotel.example', port: null }] } },
  });
});

test.each([
  ['node', ['server.js', '--quiet'], ['server.js', '--quiet'], 'node', []],
  ['python3', ['./server.py'], ['server.py'], 'python', []],
  ['node', ['--no-warnings', 'server.js'], ['node', '--no-warnings', 'server.js'], undefined, []],
  ['./bin/serve', ['-q'], ['./bin/serve', '-q'], undefined, []],
  ['uvx', ['porter'], ['uvx', 'porter'], undefined, ['uvx']],
])(
  'a native server with the command %s %j becomes an MCP server program',
  (command, args, expected, language, binaries) => {
    const pkg = packageOf(
      { ...core, kind: 'code-bundle', runtime: { kind: 'node' }, mcp: { mode: 'native', command, args } },
      { 'server.js': '', 'server.py': '', 'bin/serve': '' },
    );
    expect(pkg.announcesTools).toBe(true);
    expect(pkg.needs).toEqual({ binaries });
    const [program] = pkg.programs;
    expect(program).toMatchObject({ role: 'mcp-server', protocol: 'mcp', lifetime: 'persistent' });
    expect(program?.target).toMatchObject({ kind: 'process', command: expected.map(textTemplate) });
    expect(program?.target.kind === 'process' && program.target.runtime?.language).toBe(language);
  },
);

test('skills come from the bundle, the router skill first', () => {
  const pkg = packageOf(
    {
      ...core,
      kind: 'skills-bundle',
      skills: [
        { id: 'keys', name: 'Keys', description: 'Which key is which.', tags: ['keys'] },
        { id: 'start', name: 'Start here' },
      ],
      router_skill_id: 'start',
      skills_source: { kind: 'r2', key: 'hotel/porter.zip' },
    },
    { 'skills/keys/SKILL.md': '# Keys\n', 'start.md': '# Start\n' },
  );
  expect(pkg.install).toEqual({ kind: 'bundled' });
  expect(pkg.prompts.map((it) => [it.kind, it.name, it.first, it.body])).toEqual([
    ['instructions', 'instructions', false, { kind: 'text', text: core.system_prompt }],
    ['skill', 'start', true, { kind: 'file', path: 'start.md' }],
    ['skill', 'keys', false, { kind: 'file', path: 'skills/keys/SKILL.md' }],
  ]);
});

test('skills that are not in the bundle come from the object store', () => {
  const pkg = packageOf({
    ...core,
    kind: 'skills-bundle',
    skills: [{ id: 'keys', name: 'Keys' }],
    skills_source: { kind: 'r2', key: 'hotel/porter.zip' },
  });
  expect(pkg.install).toEqual({ kind: 'object', key: 'hotel/porter.zip' });
  const places = ['skills/keys/SKILL.md', 'keys/SKILL.md', 'keys.md'];
  expect(pkg.prompts[1]?.body).toEqual({
    kind: 'stored',
    slot: 'skills_bucket',
    keys: ['hotel/porter.zip', 'hotel/porter'].flatMap((folder) => places.map((it) => `${folder}/${it}`)),
  });
  expect(pkg.slots.map((it) => [it.name, it.required, it.secret])).toEqual([['skills_bucket', true, false]]);
});
