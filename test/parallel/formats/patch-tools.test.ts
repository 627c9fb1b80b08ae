// Typical published tools: each is one Python file that uses only the standard library, with cases next to it.
// All run unchanged, through the library and through the built command.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { discover } from '../../../src/bundle/discover.js';
import { builtInFormats } from '../../../src/formats/built-in-formats.js';
import { formatNamed, inspect } from '../../../src/formats/index.js';
import { type Answer, createHost, type Host, type Json } from '../../../src/index.js';
import { temporaryFolder, toolwharf } from '../../support/toolwharf.js';

interface Case {
  readonly input: Json;
  readonly output?: Json;
  /** Error code, instead of an output. */
  readonly error?: string;
  /** A part of the error message. */
  readonly message?: string;
  /** A part of each warning. */
  readonly warnings?: readonly string[];
  /** A part of the log. */
  readonly log?: string;
  /** The workspace before the call; a tool without a workspace mount must not need it. */
  readonly files?: Record<string, string>;
  /** Files of the workspace after the call; null: the file must not exist. */
  readonly after?: Record<string, string | null>;
}

const tools = join(import.meta.dirname, '../../support/patch-tools');
const names = readdirSync(tools)
  .filter((it) => it.endsWith('.py'))
  .map((it) => it.slice(0, -3));
const cases = new Map(
  names.map((name) => [name, JSON.parse(readFileSync(join(tools, `${name}.json`), 'utf8')) as Case[]]),
);
const text = (name: string) => readFileSync(join(tools, `${name}.py`), 'utf8');

describe('the set of tools', () => {
  const { found, problems } = discover([tools], { cwd: tools, formats: builtInFormats });

  test('is large, and every tool has cases', () => {
    expect(names.length).toBeGreaterThanOrEqual(30);
    expect([...cases.values()].flat().length).toBeGreaterThanOrEqual(90);
    for (const [name, list] of cases) {
      expect(
        list.some((it) => it.output !== undefined),
        name,
      ).toBe(true);
      for (const one of list)
        expect((one.output === undefined) !== (one.error === undefined), name).toBe(true);
    }
  });

  test('covers all types of inputs and outputs, file permissions, line endings and failures', () => {
    const packages = found.map((it) => inspect(formatNamed('patch'), it.bundle).package);
    const all = packages.map((it) => it?.tools[0]);
    const typesOf = (schemas: readonly unknown[]) =>
      new Set(schemas.map((it) => (it as { type?: string }).type));
    const every = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
    expect([...typesOf(all.map((it) => it?.describedOutput))].sort()).toEqual(every);
    const inputs = all.flatMap((it) =>
      Object.values((it?.input as { properties?: object } | undefined)?.properties ?? {}),
    );
    expect([...typesOf(inputs)].sort()).toEqual(every);
    expect(new Set(packages.map((it) => it?.permissions.filesystem))).toEqual(
      new Set(['none', 'read-only', 'read-write']),
    );
    expect(names.filter((it) => text(it).includes('\r\n'))).toEqual(['html_to_text']);
    expect(names.filter((it) => text(it).startsWith('#!')).length).toBeGreaterThan(1);
    const failures = [...cases.values()].flat().flatMap((it) => it.error ?? []);
    expect([...new Set(failures)].sort()).toEqual([
      'invalid_input',
      'tool_bad_output',
      'tool_failed',
      'tool_no_output',
    ]);
  });

  test('has no findings', () => {
    expect(problems).toEqual([]);
    expect(found.map((it) => it.file).sort()).toEqual(names.map((it) => `${it}.py`).sort());
    for (const it of found) {
      const { diagnostics } = inspect(formatNamed('patch'), it.bundle);
      expect(diagnostics.filter((one) => one.severity !== 'info')).toEqual([]);
    }
  });
});

let folder: ReturnType<typeof temporaryFolder>;
let host: Host;
const bugs: unknown[] = [];

beforeAll(async () => {
  folder = temporaryFolder();
  host = await createHost({ state: join(folder.path, 'state'), onBug: (error) => bugs.push(error) });
});

afterAll(async () => {
  await host.close();
  folder.remove();
  expect(bugs).toEqual([]);
});

describe('every case works through the library', () => {
  test.each(names)('%s', async (name) => {
    await Promise.all(
      (cases.get(name) ?? []).map(async (one) => {
        const root = workspace(one.files);
        const session = await host.session({ directories: [join(tools, `${name}.py`)], root });
        const answer = await session.call({ tool: name, arguments: one.input });
        expectAnswer(answer, one);
        if (answer.status === 'ok') expectLog(answer.log, one);
        expectFiles(root, one);
        await session.close();
      }),
    );
  });
});

describe('a sample works through the command', () => {
  const sample = ['html_to_text', 'find_primes', 'parse_number', 'count_lines', 'sort_lines'];

  test.each(sample)('%s', async (name) => {
    for (const one of cases.get(name) ?? []) {
      const root = workspace(one.files);
      const done = await toolwharf(
        [
          'call',
          join(tools, `${name}.py`),
          JSON.stringify(one.input),
          '--json',
          '--root',
          root,
          '--state',
          join(folder.path, 'state-of-commands'),
        ],
        { cwd: folder.path },
      );
      expect(done.code === 0, done.stderr).toBe(one.error === undefined);
      expectAnswer(JSON.parse(done.stdout), one);
      expectFiles(root, one);
    }
  });
});

/** A folder that processes in the sandbox can use, whatever their user ID is. */
function workspace(files: Record<string, string> = {}): string {
  const root = mkdtempSync(join(folder.path, 'workspace-'));
  chmodSync(root, 0o777);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
    chmodSync(join(root, name), 0o666);
  }
  return root;
}

function expectAnswer(answer: Answer, one: Case): void {
  if (one.error !== undefined) {
    expect(answer).toMatchObject({ status: 'error', error: { code: one.error } });
    expect('error' in answer && answer.error?.message).toContain(one.message ?? '');
    return;
  }
  expect(answer).toMatchObject({ status: 'ok', result: one.output });
  if (answer.status !== 'ok') return;
  expect(answer.result).toEqual(one.output);
  // The command omits an empty list.
  expect(answer.warnings ?? []).toEqual((one.warnings ?? []).map((it) => expect.stringContaining(it)));
}

function expectLog(log: string | undefined, one: Case): void {
  if (one.log === undefined) expect(log).toBeUndefined();
  else expect(log).toContain(one.log);
}

function expectFiles(root: string, one: Case): void {
  for (const [name, content] of Object.entries(one.after ?? {})) {
    const path = join(root, name);
    expect(existsSync(path) ? readFileSync(path, 'utf8') : null, name).toBe(content);
  }
}
