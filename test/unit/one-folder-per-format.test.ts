// A format is one folder and one entry in the list of formats. A seventh format that only this test knows proves it: the
// list with one more entry is all that the search, the commands and the host are given.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSchemas } from '../../scripts/schemas.mjs';
import { discover } from '../../src/bundle/discover.js';
import { builtInFormats } from '../../src/formats/built-in-formats.js';
import { diagnosticCodesOf } from '../../src/formats/diagnostic-codes.js';
import { parseJson } from '../../src/formats/document/json.js';
import type { FormatDescriptor } from '../../src/formats/format-descriptor.js';
import { inspect } from '../../src/formats/inspect.js';
import { openFile } from '../../src/formats/opened-file.js';
import { createHost } from '../../src/index.js';
import type { FormatParser } from '../../src/model/format.js';
import { noGuardrails } from '../../src/model/guardrails.js';
import { isObject, type JsonObject } from '../../src/model/json.js';
import type { Package } from '../../src/model/package.js';
import { textTemplate } from '../../src/model/template.js';
import { runCommandLine } from '../../src/serve/cli/command/run.js';
import { testTerminal } from '../support/terminal.js';
import { patchTool, temporaryFolder } from '../support/toolwharf.js';

const memoCodes = { 'memo.empty': 'warning' } as const;

const memoParser: FormatParser = {
  schema: { title: 'Memo manifest', type: 'object', required: ['id', 'text'] },
  readFields: parseJson,
  parse(bundle) {
    const opened = openFile(bundle, { parse: parseJson, codes: memoCodes });
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { value, report } = opened;
    if (!isObject(value) || typeof value.id !== 'string' || typeof value.text !== 'string') {
      report.at('schema.required', [], '"id" or "text" is missing');
      return { diagnostics: report.diagnostics };
    }
    if (value.text === '') report.at('memo.empty', ['text'], 'the memo has no text');
    return { package: memoPackage(value.id, value.text), diagnostics: report.diagnostics };
  },
};

function memoPackage(id: string, text: string): Package {
  return {
    format: 'memo',
    id,
    version: '1.0.0',
    name: id,
    description: 'A memo.',
    programs: [],
    tools: [
      {
        name: 'read',
        description: 'Read the memo.',
        input: { type: 'object', additionalProperties: false },
        annotations: {},
        effect: 'none',
        effectDeclared: true,
        idempotent: true,
        untrustedInputs: [],
        approval: 'none',
        examples: [],
        action: { kind: 'prompt', template: textTemplate(text) },
      },
    ],
    prompts: [],
    hooks: [],
    needs: { binaries: [] },
    slots: [],
    permissions: {
      origin: 'declared',
      network: { kind: 'none' },
      filesystem: 'none',
      stateDirectory: false,
      scopes: [],
    },
    guardrails: noGuardrails,
    install: { kind: 'bundled' },
    announcesTools: false,
    targets: [],
    facts: [],
  };
}

const memo: FormatDescriptor = {
  name: 'memo',
  fileNames: { certain: ['memo.json'], likely: [], possible: ['*.memo'] },
  usualScope: 'file',
  ownsSubfolders: false,
  codes: memoCodes,
  claim: ({ path, text }) =>
    path.endsWith('.memo') && text().includes('"text"') ? { scope: 'file', levelsUp: 0 } : null,
  load: async () => memoParser,
  loadStarter: async () => (name) => [
    { path: 'memo.json', text: `{ "id": "${name}", "text": "Write something here." }\n` },
  ],
};

const formats = [...builtInFormats, memo];

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder({
    'tools/word_count.py': patchTool({ name: 'word_count' }),
    'memos/hello.memo': '{ "id": "hello", "text": "Hello, reader." }',
  });
});
afterEach(() => folder.remove());

function put(path: string, text: string): void {
  const file = join(folder.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Runs a command line with the list of seven formats. */
async function run(...argv: string[]) {
  const terminal = {
    ...testTerminal({ cwd: folder.path }),
    loadFormats: async () => formats,
    writeFile: (path: string, text: string) => put(path.slice(folder.path.length + 1), text),
  };
  const code = await runCommandLine(argv, terminal);
  return { code, ...terminal.printed };
}

async function validate(...argv: string[]) {
  const { code, out } = await run('validate', '--json', ...argv);
  const { files } = JSON.parse(out);
  return { code, files };
}

describe('a seventh format that only this test knows', () => {
  test('is found beside the others, and only when it is in the list', () => {
    const search = (list: readonly FormatDescriptor[]) =>
      discover(['.'], { cwd: folder.path, formats: list }).found.map((it) => `${it.format.name} ${it.file}`);
    expect(search(formats)).toEqual(['memo memos/hello.memo', 'patch tools/word_count.py']);
    expect(search(builtInFormats)).toEqual(['patch tools/word_count.py']);
  });

  test('is parsed into a package', async () => {
    const [found] = discover(['memos'], { cwd: folder.path, formats }).found;
    if (found === undefined) throw new Error('the memo was not found');
    const { package: pkg, diagnostics } = inspect(await found.format.load(), found.bundle);
    expect(diagnostics).toEqual([]);
    expect(pkg).toMatchObject({ format: 'memo', id: 'hello', tools: [{ name: 'read' }] });
  });

  test('has its own diagnostics, with their severity', async () => {
    put('memos/hello.memo', '{ "id": "hello", "text": "" }');
    const diagnostic = { code: 'memo.empty', severity: 'warning', line: 1, column: 26, pointer: '/text' };
    expect(await validate('memos')).toMatchObject({
      code: 0,
      files: [{ format: 'memo', ok: true, diagnostics: [diagnostic] }],
    });
    expect((await validate('memos', '--strict')).code).toBe(3);
  });

  test('is reported for a file with its name that it does not claim', async () => {
    put('memos/memo.json', '[');
    const { files } = await validate('.');
    expect(files).toMatchObject([
      { file: 'memos/hello.memo', format: 'memo', ok: true },
      { file: 'memos/memo.json', format: 'memo', diagnostics: [{ code: 'syntax.json' }] },
      { file: 'tools/word_count.py', format: 'patch', ok: true },
    ]);
  });

  test('reserves its file name', async () => {
    mkdirSync(join(folder.path, 'memo.json'));
    const { files } = await validate('.');
    expect(files).toContainEqual(
      expect.objectContaining({
        file: 'memo.json',
        diagnostics: [expect.objectContaining({ code: 'file.not-regular' })],
      }),
    );
  });

  test('can be chosen for a file with another name', async () => {
    put('note.txt', '{ "id": "note", "text": "A note." }');
    expect((await validate('note.txt')).files).toMatchObject([
      { diagnostics: [{ code: 'file.unknown-format', hint: expect.stringMatching(/\|memo$/) }] },
    ]);
    expect(await validate('note.txt', '--as', 'memo')).toMatchObject({
      code: 0,
      files: [{ format: 'memo', ok: true, package: { id: 'note' } }],
    });
  });

  test('has a package to start from, without problems', async () => {
    expect(await run('init', 'memo', 'first-memo')).toMatchObject({ code: 0 });
    expect(readdirSync(join(folder.path, 'first-memo'))).toEqual(['memo.json']);
    expect(await validate('first-memo', '--strict')).toMatchObject({
      code: 0,
      files: [{ format: 'memo', package: { id: 'first-memo' } }],
    });
  });

  test('has a schema to print', async () => {
    const { code, out } = await run('schema', 'memo');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(memoParser.schema);
  });

  test.each(['init', 'schema', 'validate'])('is in the help of %s', async (name) => {
    expect((await run(name, '--help')).out).toMatch(/\bmemo\b/);
  });

  test('is suggested where a name is wrong', async () => {
    expect(await run('init', 'mem')).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean memo?'),
    });
    expect(await run('schema', 'mem')).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean memo?'),
    });
  });

  test('has its codes in the list of codes', async () => {
    expect((await run('explain')).out.split('\n')).toContain('memo.empty');
  });

  test('is served by the host', async () => {
    const host = await createHost({
      state: join(folder.path, 'state'),
      warm: false,
      keychain: null,
      formats,
    });
    try {
      const session = await host.session({ directories: [join(folder.path, 'memos')], root: folder.path });
      expect((await session.tools()).map((it) => it.name)).toEqual(['hello/read']);
      const answer = await session.call({ tool: 'hello/read', arguments: {} });
      expect(answer).toMatchObject({ result: 'Hello, reader.' });
    } finally {
      await host.close();
    }
  });
});

const root = join(import.meta.dirname, '../..');

describe.each(builtInFormats)('the folder of $name', ({ name, codes, load }) => {
  const home = join(root, 'src', 'formats', name);

  test('has the files that every format has', () => {
    for (const file of ['claim', 'codes', 'descriptor', 'format', 'lower', 'rules', 'starter'])
      expect(existsSync(join(home, `${file}.ts`)), file).toBe(true);
    expect(existsSync(join(home, 'schema.json'))).toBe(true);
  });

  test('has codes that start with the name of the format', () => {
    expect(Object.keys(codes).filter((it) => !it.startsWith(`${name}.`))).toEqual([]);
  });

  test('has a schema that is published and refers only to codes that exist', async () => {
    const { schema } = await load();
    expect(readSchemas(root).find((it) => it.name === name)?.schema).toEqual(schema);
    const known = diagnosticCodesOf(builtInFormats);
    expect(annotatedCodes(schema).filter((it) => !Object.hasOwn(known, it))).toEqual([]);
  });
});

test('no source outside a folder of a format names that format to find or load it', () => {
  const names = builtInFormats.map((it) => it.name);
  const wrong = sources(join(root, 'src')).flatMap((path) => {
    const text = readFileSync(join(root, 'src', path), 'utf8');
    if (path === 'formats/built-in-formats.ts') return [];
    const own = /^formats\/([a-z]+)\//.exec(path)?.[1];
    return names
      .filter((it) => it !== own)
      .filter((it) => text.includes(`formats/${it}/`) || (path.startsWith('bundle/') && text.includes(it)))
      .map((it) => `${path}: ${it}`);
  });
  expect(wrong).toEqual([]);
});

function sources(folderPath: string): string[] {
  return readdirSync(folderPath, { recursive: true, encoding: 'utf8' }).filter(
    (it) => it.endsWith('.ts') && !it.endsWith('.test.ts') && !it.startsWith('generated/'),
  );
}

/** The codes in the "x-toolwharf" annotations of a schema. */
function annotatedCodes(schema: JsonObject): string[] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (Array.isArray(value)) return value.filter(isObject).flatMap(annotatedCodes);
    if (!isObject(value)) return [];
    if (key !== 'x-toolwharf') return annotatedCodes(value);
    return [value.code, value.missing].filter((it) => typeof it === 'string');
  });
}
