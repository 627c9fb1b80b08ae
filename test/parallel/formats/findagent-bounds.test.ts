import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../../src/bundle/memory-bundle.js';
import { findagent } from '../../../src/formats/findagent/format.js';
import { defaultParseOptions } from '../../../src/formats/index.js';
import { processorMs } from '../../support/processor-time.js';

const core = {
  name: 'Night Porter',
  system_prompt: 'You look after the doors of a small hotel while all guests are asleep.',
  example_prompts: ['Who came in after midnight?'],
  tools: [],
};

const parse = (text: string) =>
  findagent.parse(
    memoryBundle({ 'a.js': 'export function handler() {}', 'findagent.json': text }, 'findagent.json'),
    defaultParseOptions,
  );

describe('a hostile Find Agent manifest is parsed in bounded time', () => {
  const many = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, it) => make(it));
  const tool = (name: string, action: unknown, properties: unknown = {}) => ({
    name,
    description: 'x',
    input_schema: { type: 'object', properties },
    action,
  });
  const wide = (count: number) => Object.fromEntries(many(count, (it) => [`p${it}`.padEnd(40, 'x'), {}]));

  const cases: Record<string, () => unknown> = {
    'thousands of tools that call each other': () => ({
      ...core,
      tools: many(6000, (it) =>
        tool(`t${it}`, { type: 'compose', agent: 'Night Porter', tool: `t${it + 1}` }),
      ),
    }),
    'thousands of slots and references': () => ({
      ...core,
      tools: many(40, (it) =>
        tool(`t${it}`, {
          type: 'http',
          method: 'GET',
          url: 'https://a.example.com/',
          auth_ref: `nope${it}`.padEnd(60, 'y'),
        }),
      ),
      credential_slots: many(8000, (it) => ({
        ref: `slot${it}`.padEnd(60, 'x'),
        label: 'x',
        allowed_hosts: ['a.example.com'],
      })),
    }),
    'thousands of placeholders and properties': () => ({
      ...core,
      tools: [
        tool(
          't',
          {
            type: 'prompt-template',
            template: many(9000, (it) => `{q${String(it).padEnd(50, 'z')}}`).join(''),
          },
          wide(9000),
        ),
      ],
    }),
    'thousands of headers and properties': () => ({
      ...core,
      tools: [
        tool(
          't',
          {
            type: 'http',
            method: 'GET',
            url: 'https://a.example.com/',
            headers: Object.fromEntries(many(9000, (it) => [`h${it}`, `{p${it}}`])),
          },
          wide(9000),
        ),
      ],
    }),
    'thousands of rules for missing tools': () => ({
      ...core,
      tools: many(40, (it) => tool(`t${it}`.padEnd(60, 'x'), { type: 'prompt-template', template: 'x' })),
      guardrails: { actions: Object.fromEntries(many(12_000, (it) => [`r${it}`.padEnd(60, 'y'), {}])) },
    }),
    'thousands of hosts': () => ({
      ...core,
      kind: 'code-bundle',
      runtime: { kind: 'node' },
      entrypoint: { path: 'a.js' },
      allowed_hosts: many(15_000, (it) => `h${it}.example.com`),
      credential_slots: [{ ref: 'r', label: 'x', allowed_hosts: many(15_000, (it) => `k${it}.example.com`) }],
    }),
    'a host name of many dots': () => ({
      ...core,
      kind: 'code-bundle',
      allowed_hosts: ['a.'.repeat(400_000)],
    }),
    'patterns with many repetitions': () => ({
      ...core,
      guardrails: { input: { deny_patterns: many(5000, () => 'a{1000}'.repeat(20)) } },
    }),
    'a pattern of open groups': () => ({
      ...core,
      guardrails: { input: { deny_patterns: ['('.repeat(400_000)] } },
    }),
    'a URL of many braces': () => ({
      ...core,
      tools: [
        tool('t', { type: 'http', method: 'GET', url: `https://a.example.com/${'{a'.repeat(300_000)}` }),
      ],
    }),
    'a body of many braces': () => ({
      ...core,
      tools: [
        tool('t', {
          type: 'http',
          method: 'POST',
          url: 'https://a.example.com/',
          body_template: `${'{'.repeat(900_000)} {x}`,
        }),
      ],
    }),
    'thousands of skills': () => ({
      ...core,
      kind: 'skills-bundle',
      skills: many(15_000, (it) => ({ id: `s${it}`, name: 'x' })),
    }),
  };

  test.each(Object.keys(cases))('%s', (name) => {
    const text = JSON.stringify(cases[name]?.());
    expect(text.length).toBeLessThan(1024 * 1024);
    const started = processorMs();
    const { diagnostics } = parse(text);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(processorMs() - started).toBeLessThan(5000);
  });
});
