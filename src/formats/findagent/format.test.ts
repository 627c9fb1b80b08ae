import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../bundle/memory-bundle.js';
import type { Candidate, ParseResult } from '../../model/format.js';
import type { JsonObject } from '../../model/json.js';
import { defaultParseOptions } from '../index.js';
import { claimFindagent } from './claim.js';
import { findagent } from './format.js';
import schema from './schema.json' with { type: 'json' };

const core = {
  name: 'Night Porter',
  system_prompt: 'You look after the doors of a small hotel while everybody else is asleep.',
  example_prompts: ['Who came in after midnight?'],
  tools: [],
};

function parse(manifest: unknown, files: Record<string, string> = {}): ParseResult {
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
  return findagent.parse(
    memoryBundle({ ...files, 'findagent.json': text }, 'findagent.json'),
    defaultParseOptions,
  );
}

const errors = (result: ParseResult) => result.diagnostics.filter((it) => it.severity === 'error');
const codes = (result: ParseResult) => result.diagnostics.map((it) => it.code);

describe('claim', () => {
  const candidate = (path: string, text: string): Candidate => ({ path, text: () => text });
  const agent = JSON.stringify(core);

  test.each([
    ['x/findagent.json', '', { scope: 'folder', levelsUp: 0 }],
    ['findagent.json', 'not json', { scope: 'folder', levelsUp: 0 }],
    ['x/.findagent.json', '', { scope: 'folder', levelsUp: 0 }],
    ['x/.findagent/manifest.json', '', { scope: 'folder', levelsUp: 1 }],
    ['x/.findagent/findagent.json', '', { scope: 'folder', levelsUp: 1 }],
    ['x/agent.json', agent, { scope: 'file', levelsUp: 0 }],
    ['x/agent.json', JSON.stringify({ system_prompt: '', tools: [] }), { scope: 'file', levelsUp: 0 }],
    ['x/agent.json', JSON.stringify({ ...core, skills: [] }), { scope: 'folder', levelsUp: 0 }],
    ['x/agent.json', JSON.stringify({ system_prompt: '' }), null],
    ['x/agent.json', JSON.stringify({ nested: core }), null],
    ['x/agent.json', `${agent},`, null],
    ['x/agent.txt', agent, null],
    ['x/notfindagent.json', '{}', null],
    ['x/findagent/manifest.json', '{}', null],
    ['x/package.json', '{"name":"x"}', null],
  ])('%s has the expected claim (%#)', (path, text, expected) => {
    expect(claimFindagent(candidate(path, text))).toEqual(expected);
  });
});

describe("the specification's own example", () => {
  const seed = join(import.meta.dirname, '../../../../shared/seeds/003_f8cd6b91b4179f17.txt');

  test.skipIf(!existsSync(seed))(
    'has one error: a system prompt of 41 characters (needs ../shared/seeds)',
    () => {
      const page = readFileSync(seed, 'utf8');
      const example = page.slice(page.indexOf('{', page.indexOf('\nfindagent.json\n')));
      const result = parse(example);
      expect(errors(result).map((it) => [it.code, it.pointer, it.message])).toEqual([
        ['schema.length', '/system_prompt', 'system_prompt has 41 characters; it must have at least 50'],
      ]);
      expect(result.diagnostics.filter((it) => it.severity === 'warning')).toEqual([]);
      expect(result.package).toBeUndefined();
      const fixed = JSON.parse(example) as Record<string, unknown>;
      fixed.system_prompt = core.system_prompt;
      expect(parse(fixed).package?.id).toBe('ga-report-builder');
    },
  );
});

describe('ids', () => {
  test.each([
    ['Night Porter', 'night-porter'],
    ['  --Night__Porter!! ', 'night-porter'],
    ['Ünïted Dôors 24/7', 'united-doors-24-7'],
    ['夜の番人', 'agent'],
    ['a'.repeat(80), 'a'.repeat(64)],
    [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
  ])('the name %j becomes the id %s', (name, id) => {
    expect(parse({ ...core, name }).package?.id).toBe(id);
  });
});

test('lengths count characters, not code units', () => {
  expect(parse({ ...core, name: '🌊🌊🌊' }).package?.name).toBe('🌊🌊🌊');
  expect(codes(parse({ ...core, name: '🌊🌊' }))).toEqual(['schema.length']);
  expect(codes(parse({ ...core, system_prompt: '🌊'.repeat(49) }))).toEqual(['schema.length']);
});

test.each([false, 'false', 'False', ' NO ', 'off', '0', 0, null, 'none', 'disabled'])(
  'the secret scan cannot be disabled with %j',
  (value) => {
    const result = parse({ ...core, guardrails: { output: { secret_leak_scan: value } } });
    expect(codes(result)).toEqual(['findagent.secret-scan-off']);
    expect(result.package).toBeUndefined();
  },
);

test.each([
  ['deny this', []],
  ['(?i)ignore previous', []],
  ['\\bsk-[A-Za-z0-9]{20,}\\b', []],
  ['\\u0041+', []],
  ['(?<name>x)', []],
  ['(', ['findagent.deny-pattern-invalid']],
  ['[z-a]', ['findagent.deny-pattern-invalid']],
  ['*a', ['findagent.deny-pattern-invalid']],
  ['a(?=b)', ['findagent.deny-pattern-slow']],
  ['(?<!a)b', ['findagent.deny-pattern-slow']],
  ['(a)\\1', ['findagent.deny-pattern-slow']],
  ['a{5000}', ['findagent.deny-pattern-slow']],
  ['(((a{99}){99}){99}){99}', ['findagent.deny-pattern-slow']],
])('the deny pattern %j has the diagnostics %j', (pattern, expected) => {
  expect(codes(parse({ ...core, guardrails: { input: { deny_patterns: [pattern] } } }))).toEqual(expected);
});

describe('safety fields', () => {
  const safetyFields: string[] = [];
  const visit = (node: unknown, name: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const note = (node as JsonObject)['x-toolwharf'] as JsonObject | undefined;
    if (note?.safety === true) safetyFields.push(name);
    for (const [key, member] of Object.entries(node)) visit(member, key);
  };
  visit(schema, '');

  test('are the fields whose absence would weaken a tool', () => {
    expect([...new Set(safetyFields)].sort()).toEqual([
      'actions',
      'allowed_hosts',
      'approval',
      'auth_ref',
      'credential_slots',
      'deny_patterns',
      'destructiveHint',
      'guardrails',
      'input',
      'max_amount',
      'max_length',
      'output',
      'pii_redaction',
      'rate_limit',
      'secret_leak_scan',
    ]);
  });
});

test('parse reports diagnostics and never throws, whatever JSON a field has', () => {
  const rich = {
    ...core,
    kind: 'code-bundle',
    tools: [
      {
        name: 'a',
        description: 'x',
        input_schema: { type: 'object' },
        annotations: {},
        action: {
          type: 'http',
          method: 'GET',
          url: 'https://a.example.com/',
          headers: {},
          body_template: {},
          auth_ref: 'r',
        },
      },
    ],
    credential_slots: [
      { ref: 'r', label: 'x', allowed_hosts: ['a.example.com'], auth_scheme: 'header', header_name: 'X' },
    ],
    guardrails: {
      input: { deny_patterns: ['x'], pii_redaction: ['email'] },
      output: { schema: {} },
      actions: { a: { approval: 'human' } },
    },
    delivery: { mcp: { stdio: { command: 'x' }, remote: { url: 'https://a.example.com/' } } },
    skills: [{ id: 's', name: 's' }],
    router_skill_id: 's',
    skills_source: { kind: 'r2', key: 'k' },
    entrypoint: { path: 'a.js', export: 'handler' },
    runtime: { kind: 'node', version: '20' },
    mcp: { mode: 'native', command: 'node', args: ['a.js'] },
    ui: { path: 'web' },
    env: [{ name: 'X', description: 'x' }],
    allowed_hosts: ['a.example.com'],
    targets: ['cli'],
  };
  const paths: (string | number)[][] = [];
  const collect = (value: unknown, path: (string | number)[]): void => {
    paths.push(path);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value))
      collect(member, [...path, Array.isArray(value) ? Number(key) : key]);
  };
  collect(rich, []);
  const arbitraryJson = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
    fc.constantFrom<unknown>(
      '',
      '..',
      '/',
      '{a}',
      '{{a}}',
      '__proto__',
      'constructor',
      -0,
      1e308,
      '\u0000',
      '\ud800',
      '*',
    ),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat({ max: paths.length - 1 }), arbitraryJson), { minLength: 1, maxLength: 3 }),
      (changes) => {
        let copy: unknown = structuredClone(rich);
        for (const [index, value] of changes)
          copy = replaceAt(copy, paths[index] as (string | number)[], value);
        const result = parse(copy ?? null, { 'a.js': 'export function handler() {}', 'web/index.html': '' });
        expect(result.package === undefined).toBe(errors(result).length > 0);
        expect(result.package === undefined || Object.isFrozen(result.package)).toBe(true);
      },
    ),
    { numRuns: 1500 },
  );
});

function replaceAt(root: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof root !== 'object' || root === null) return root;
  const copy = (Array.isArray(root) ? [...root] : { ...root }) as Record<string | number, unknown>;
  copy[step] = replaceAt(copy[step], rest, value);
  return copy;
}
