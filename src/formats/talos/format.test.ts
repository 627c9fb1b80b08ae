import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import type { Json } from '../../model/json.js';
import { defaultParseOptions, detect } from '../index.js';
import { talosFields } from './claim.js';
import { talos } from './format.js';
import schema from './schema.json' with { type: 'json' };
import { starter } from './starter.js';

const parse = (files: Record<string, string>, folder: string) =>
  talos.parse(memoryBundle(files, 'manifest.json', folder), defaultParseOptions);

test('the fields used for claims are those of the schema', () => {
  expect([...talosFields].sort()).toEqual(Object.keys(schema.properties).sort());
});

describe('manifests of this format are claimed', () => {
  const claims = (value: Json | string, path = 'notes/manifest.json') =>
    detect({ path, text: () => (typeof value === 'string' ? value : JSON.stringify(value)) })?.format.name;

  test.each<[string, Json | string, string | undefined]>([
    ['a whole manifest', { id: 'a', name: 'A', functions: [] }, 'talos'],
    ['functions alone', { functions: [] }, 'talos'],
    ['functions misspelt', { id: 'a', name: 'A', funtions: [] }, 'talos'],
    ['without functions', { id: 'a', name: 'A', description: 'A.', version: '1.0.0' }, 'talos'],
    ['broken JSON with functions', '{"id": "a", "functions": [,]}', 'talos'],
    ['a web app', { name: 'A', start_url: '/', icons: [], display: 'standalone' }, undefined],
    ['a web app with an id', { id: '/', name: 'A', start_url: '/' }, undefined],
    ['a browser extension', { manifest_version: 3, name: 'A', version: '1.0', permissions: [] }, undefined],
    [
      'a desktop extension bundle',
      { dxt_version: '0.1', name: 'a', version: '1.0.0', server: {} },
      undefined,
    ],
    ['an MCP bundle with tools', { manifest_version: '0.3', name: 'a', server: {}, tools: [] }, undefined],
    ['a note-taking plugin', { id: 'a', name: 'A', version: '1.0.0', minAppVersion: '1.0.0' }, undefined],
    ['a container image', { schemaVersion: 2, mediaType: 'x', layers: [] }, undefined],
    ['a build manifest', { 'src/main.ts': { file: 'main.js' } }, undefined],
    ['an empty object', {}, undefined],
    ['a list', ['functions'], undefined],
    ['a number', 1, undefined],
    ['nothing', '', undefined],
    ['broken JSON of an extension', '{"manifest_version": 3, "functions": [,]}', undefined],
  ])('%s', (_, value, expected) => {
    expect(claims(value)).toBe(expected);
  });

  test('only files named manifest.json are claimed, and none of another format', () => {
    const value = { id: 'a', name: 'A', functions: [] };
    expect(claims(value, 'notes/package.json')).toBeUndefined();
    expect(claims(value, 'notes/my-manifest.json')).toBeUndefined();
    expect(claims(value, 'a/.findagent/manifest.json')).not.toBe('talos');
    expect(claims(value, 'manifest.json')).toBe('talos');
  });
});

test('a manifest with all fields is converted to exactly this package', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const manifest = {
    id: 'weather',
    name: 'Weather',
    description: 'Look up the weather.',
    version: '2.1.0-rc.1',
    category: 'travel',
    author: 'Ada',
    defaultEnabled: true,
    credentials: [
      { name: 'api_key', label: 'API key', description: 'From your account.', required: true },
      { name: 'account', label: 'Account', required: false, secret: false },
    ],
    settings: [
      {
        name: 'units',
        label: 'Units',
        type: 'select',
        options: ['metric', { value: 'us', label: 'US' }],
        default: 'metric',
      },
      { name: 'days', label: 'Days', type: 'number', default: 3 },
      { name: 'pin', label: 'PIN', type: 'password' },
      { name: 'loud', label: 'Loud', type: 'toggle', default: false },
      { name: 'motto', label: 'Motto', type: 'haiku' },
    ],
    functions: [
      { name: 'now', description: 'The weather now.', parameters },
      { name: 'air-quality', description: 'The air now.', parameters },
    ],
  };
  const files = {
    'manifest.json': JSON.stringify(manifest),
    'index.mjs': "export const handlers = { now() {}, 'air-quality': async () => 1 };",
    'prompt.md': 'Name the city in full.',
  };
  const result = parse(files, 'weather');
  const tool = {
    input: parameters,
    annotations: {},
    effect: 'write',
    effectDeclared: false,
    idempotent: false,
    untrustedInputs: [],
    approval: 'none',
    examples: [],
  };
  const slot = { source: { kind: 'operator' }, delivery: { kind: 'context' } };
  const open = { ...slot, secret: false, required: false, audience: { kind: 'public' } };
  expect(result.diagnostics.map((it) => it.code)).toEqual(['talos.setting-type']);
  expect(result.package).toEqual({
    format: 'talos',
    id: 'weather',
    version: '2.1.0-rc.1',
    name: 'Weather',
    description: 'Look up the weather.',
    programs: [
      {
        name: 'handlers',
        role: 'tool',
        lifetime: 'persistent',
        protocol: 'function',
        callerContext: false,
        target: {
          kind: 'process',
          command: [{ parts: [{ kind: 'text', text: 'index.mjs' }] }],
          runtime: { language: 'node', packages: [] },
          directory: '',
          inWorkspace: true,
          environment: [],
        },
      },
    ],
    tools: [
      {
        ...tool,
        name: 'now',
        description: 'The weather now.',
        action: {
          kind: 'function',
          program: 'handlers',
          export: 'now',
          convention: 'arguments-context',
          startWith: ['init', 'start'],
        },
      },
      {
        ...tool,
        name: 'air-quality',
        description: 'The air now.',
        action: {
          kind: 'function',
          program: 'handlers',
          export: 'air-quality',
          convention: 'arguments-context',
          startWith: ['init', 'start'],
        },
      },
    ],
    prompts: [
      {
        kind: 'instructions',
        name: 'weather',
        title: 'Weather',
        description: 'Look up the weather.',
        body: { kind: 'file', path: 'prompt.md' },
        examples: [],
        tags: [],
        first: true,
      },
    ],
    hooks: [],
    needs: { binaries: [] },
    slots: [
      {
        ...slot,
        name: 'api_key',
        label: 'API key',
        prompt: 'From your account.',
        secret: true,
        required: true,
        type: 'text',
        audience: { kind: 'unbound' },
      },
      { ...open, name: 'account', label: 'Account', type: 'text' },
      {
        ...open,
        name: 'units',
        label: 'Units',
        type: 'choice',
        choices: ['metric', 'us'],
        default: 'metric',
      },
      { ...open, name: 'days', label: 'Days', type: 'number', default: '3' },
      { ...open, name: 'pin', label: 'PIN', type: 'text', secret: true, audience: { kind: 'unbound' } },
      { ...open, name: 'loud', label: 'Loud', type: 'boolean', default: 'false' },
      { ...open, name: 'motto', label: 'Motto', type: 'text' },
    ],
    permissions: {
      origin: 'default',
      network: { kind: 'public' },
      filesystem: 'read-write',
      stateDirectory: true,
      scopes: [],
    },
    guardrails: { input: { denyPatterns: [], redact: [] }, output: {}, tools: [] },
    install: { kind: 'bundled' },
    announcesTools: false,
    targets: [],
    facts: [
      { label: 'category', value: 'travel' },
      { label: 'author', value: 'Ada' },
      { label: 'enabled by default', value: true },
    ],
  });
});

test('a missing handler is reported with the file and the position of the handlers', () => {
  const manifest = {
    id: 'a',
    name: 'A',
    description: 'A.',
    version: '1.0.0',
    functions: [{ name: 'run', description: 'Run.', parameters: { type: 'object' } }],
  };
  const files = {
    'manifest.json': JSON.stringify(manifest),
    'index.ts': 'type T = 1;\nexport const handlers: T = {\n  rum() {},\n};\n',
  };
  const [missing] = parse(files, 'a').diagnostics.filter((it) => it.code === 'talos.handler-missing');
  expect(missing).toMatchObject({
    file: 'manifest.json',
    pointer: '/functions/0/name',
    hint: 'index.ts has "rum"; use the same name in both places',
    related: [{ file: 'index.ts', range: { line: 2 } }],
  });
});

describe('the starter for any name has no diagnostics', () => {
  test.each(['notes', 'my-tool', 'Über Tool', '42', '---', 'x'.repeat(100), 'handlers'])('%s', (name) => {
    const files = Object.fromEntries(starter(name, name).map((it) => [it.path, it.text]));
    const { id } = JSON.parse(files['manifest.json'] as string);
    const result = parse(files, id);
    expect(result.diagnostics).toEqual([]);
    expect(result.package?.tools.map((it) => it.name)).toEqual(['add', 'list']);
    expect(files['README.md']).toContain('toolwharf call');
  });
});

const seeds = join(import.meta.dirname, '../../../../shared/seeds');
const seed = existsSync(seeds) ? readdirSync(seeds).find((it) => it.startsWith('001_')) : undefined;

describe.skipIf(seed === undefined)('the specification of the format (needs ../shared/seeds)', () => {
  test('both of its examples have no diagnostics', () => {
    const text = readFileSync(join(seeds, seed as string), 'utf8');
    const examples = [...text.matchAll(/```json\n(.*?)```/gs)].map((it) => it[1] as string);
    expect(examples).toHaveLength(2);
    for (const example of examples) {
      const { id, functions } = JSON.parse(example) as { id: string; functions: { name: string }[] };
      const handlers = functions.map((it) => `export async function ${it.name}(args, context) {}`).join('\n');
      expect(parse({ 'manifest.json': example, 'index.js': handlers }, id).diagnostics).toEqual([]);
    }
  });
});
