// The packages in examples/toolspace have no findings, match their manifests, and answer as their examples
// show, in an empty environment.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discover } from '../../../src/bundle/discover.js';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { formatNamed, inspect } from '../../../src/formats/index.js';

const root = join(import.meta.dirname, '../../../examples/toolspace');
const names = readdirSync(root).sort();

interface Action {
  readonly name: string;
  readonly invocation: { readonly kind: string; readonly argv_template?: readonly string[] };
  readonly examples?: readonly { readonly input?: unknown; readonly output?: unknown }[];
}

interface Manifest {
  readonly tool: { readonly id: string };
  readonly runtime: {
    readonly install: { readonly method: string; readonly url?: string; readonly sha256?: string };
    readonly entrypoint?: { readonly command: readonly string[] };
  };
  readonly actions?: readonly Action[];
  readonly smoke: Record<string, unknown>;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, name, 'toolspace.json'), 'utf8'));
}

function run(name: string, more: readonly string[], input: string) {
  const [program, ...rest] = manifestOf(name).runtime.entrypoint?.command ?? [];
  const path = program === 'node' ? process.execPath : String(program);
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', PYTHONDONTWRITEBYTECODE: '1' };
  return spawnSync(path, [...rest, ...more], { cwd: join(root, name), input, encoding: 'utf8', env });
}

describe.each(names)('toolspace example %s', (name) => {
  const manifest = manifestOf(name);

  test('the manifest has no findings', () => {
    const { found, problems } = discover([name], { cwd: root, formats: builtInFormats });
    expect(problems).toEqual([]);
    expect(found.map((it) => it.format.name)).toEqual(['toolspace']);
    expect(found.flatMap((it) => inspect(formatNamed('toolspace'), it.bundle).diagnostics)).toEqual([]);
    expect(manifest.tool.id).toBe(name);
  });

  const { install } = manifest.runtime;
  if (install.method === 'url') {
    test('the hash is that of the file next to the manifest', () => {
      const bytes = readFileSync(join(root, name, basename(install.url ?? '')));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(install.sha256);
    });
  }

  const shown = (manifest.actions ?? []).flatMap((action) =>
    action.invocation.kind === 'stdin-json'
      ? (action.examples ?? []).map(({ input, output }) => ({ action, input, output }))
      : [],
  );
  for (const { action, input, output } of shown) {
    test(`${action.name} answers as its example shows`, () => {
      const answer = run(name, action.invocation.argv_template ?? [], JSON.stringify(input));
      expect(answer.stderr).toBe('');
      expect(JSON.parse(answer.stdout)).toEqual(output);
    });
  }
});

test('todo-marks lists marks and files', () => {
  const found = run('todo-marks', ['find', '--mark', 'TODO', '--', root], '');
  expect(found.stdout).toContain('/todo-marks/README.md:1:# TODO marks');
  expect(run('todo-marks', ['find', '--mark', 'XXX', '--', join(root, 'date-desk')], '')).toMatchObject({
    status: 0,
    stdout: '',
  });
  const largest = run('todo-marks', ['largest', '--limit', '2', '--', root], '');
  expect(largest.stdout.trim().split('\n')).toHaveLength(2);
  expect(run('todo-marks', ['largest', '--limit', '2', '--', '-x'], '').status).toBe(1);
});

test('date-desk speaks MCP and passes its own smoke test', () => {
  const { smoke } = manifestOf('date-desk');
  const requests = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18' } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
    { id: 3, method: 'tools/call', params: { name: smoke.tool_name, arguments: smoke.arguments } },
    { id: 4, method: 'tools/call', params: { name: 'describe_day', arguments: { date: '2026-02-30' } } },
    {
      id: 5,
      method: 'tools/call',
      params: { name: 'add_days', arguments: { date: '2026-01-31', months: 1 } },
    },
    { id: 6, method: 'nope' },
  ];
  const lines = requests.map((it) => `${JSON.stringify({ jsonrpc: '2.0', ...it })}\n`).join('');
  const answers = run('date-desk', [], lines)
    .stdout.trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map((it) => it.id)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(answers[0].result.protocolVersion).toBe('2025-06-18');
  expect(answers[1].result.tools).toHaveLength(5);
  expect(answers[2].result.structuredContent).toEqual({ days: 5 });
  expect(answers[3].result.isError).toBe(true);
  expect(answers[4].result.structuredContent).toEqual({ date: '2026-02-28', weekday: 'Saturday' });
  expect(answers[5].error.code).toBe(-32601);
});
