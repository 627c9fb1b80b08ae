// Input made to exhaust a parser. Each must be rejected with findings, quickly, and without side effects.
import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../../src/bundle/memory-bundle.js';
import type { FormatName } from '../../../src/formats/built-in-formats.js';
import { defaultParseOptions, formats } from '../../../src/formats/index.js';
import type { Format } from '../../../src/model/format.js';
import { processorMs } from '../../support/processor-time.js';

/** Much more than any of them needs on a slow machine; without limits these inputs would take hours. */
const deadlineMs = 15_000;
const mebibyte = 1024 * 1024;

const manifestOf: Readonly<Record<FormatName, string>> = {
  patch: 'tool.py',
  talos: 'manifest.json',
  toolspace: 'toolspace.json',
  findagent: 'findagent.json',
  nexo: 'plugin.toml',
  mcp: 'toolwharf-mcp.json',
};

interface Hostile {
  readonly name: string;
  readonly text: string;
  readonly files?: Readonly<Record<string, string>>;
  /** A finding that must be reported; if absent, any finding is enough. */
  readonly code?: string;
}

const many = (count: number, make: (index: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(between);

const jsonInputs: readonly Hostile[] = [
  { name: 'lists 200,000 deep', text: '['.repeat(200_000) + ']'.repeat(200_000), code: 'syntax.too-deep' },
  { name: 'objects 100,000 deep', text: '{"a":'.repeat(100_000), code: 'syntax.too-deep' },
  { name: 'an object that never closes', text: '{'.repeat(200_000), code: 'syntax.too-deep' },
  {
    name: 'more values than are read',
    text: `{${many(60_000, (it) => `"${it}":1`)}}`,
    code: 'syntax.too-many-values',
  },
  { name: 'as many unknown keys as are read', text: `{${many(49_000, (it) => `"k${it.toString(36)}":1`)}}` },
  {
    name: 'the same key again and again',
    text: `{${many(49_000, () => '"id":1')}}`,
    code: 'syntax.duplicate-key',
  },
  {
    name: '__proto__',
    text: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    code: 'syntax.forbidden-key',
  },
  {
    name: '__proto__ as an escape',
    text: '{"\\u005f_proto__":{"polluted":1}}',
    code: 'syntax.forbidden-key',
  },
  { name: 'a string of almost 1 MiB', text: `{"name":"${'a'.repeat(mebibyte - 64)}"}` },
  { name: 'a key of almost 1 MiB', text: `{"${'a'.repeat(mebibyte - 64)}":1}` },
  { name: 'a name of lone surrogates', text: `{"name":"${'\\ud800'.repeat(100_000)}"}` },
  { name: 'a name of invisible characters', text: `{"name":"${'\u200b'.repeat(300_000)}"}` },
  { name: 'a name of combining marks', text: `{"name":"a${'\u0301'.repeat(400_000)}"}` },
  { name: 'words of mixed scripts', text: `{"name":"${'aо '.repeat(200_000)}"}` },
  { name: 'flags that never end', text: `{"name":"${'\u{1F3F4}\u{E0067}'.repeat(100_000)}"}` },
  { name: 'a quote that never ends', text: `{"name":"${'\\\\'.repeat(500_000)}` },
  { name: 'numbers', text: `[${many(99_000, () => '1e999')}]` },
  { name: 'white space', text: `${' '.repeat(mebibyte - 3)}{}` },
  { name: 'nothing but commas', text: ','.repeat(mebibyte - 1) },
  { name: 'nothing but quotes', text: '"'.repeat(mebibyte - 1) },
];

const patterns = [
  '(a+)+$',
  '(a|a)*b',
  '((a{1,50}){1,50}){1,50}',
  '(?=(a+)+)b',
  `${'('.repeat(20_000)}a`,
  `${'a?'.repeat(10_000)}${'a'.repeat(10_000)}`,
  '\\1(a)',
  '[a-z]{0,100000}',
  `(${many(9000, (it) => `a${it}`, '|')})`,
];

const bombLines = many(
  40,
  (it) => `a${it}: &a${it} [${many(9, () => (it === 0 ? 'x' : `*a${it - 1}`))}]`,
  '\n# ',
);

const patchInputs: readonly Hostile[] = [
  { name: 'an alias bomb', text: block(bombLines), code: 'syntax.yaml-feature' },
  { name: 'an alias to itself', text: block('a: &a [*a]') },
  { name: 'flow lists 200,000 deep', text: block(`a: ${'['.repeat(200_000)}`) },
  {
    name: 'closed flow lists 50,000 deep',
    text: block(`a: ${'['.repeat(50_000)}${']'.repeat(50_000)}`),
  },
  { name: 'flow maps 100,000 deep', text: block(`a: ${'{a: '.repeat(100_000)}`) },
  { name: 'block lists on one line', text: block(`${'- '.repeat(100_000)}a`) },
  { name: 'block maps 1,000 deep', text: block(many(1000, (it) => `${' '.repeat(it)}a:`, '\n# ')) },
  { name: 'many keys', text: block(many(60_000, (it) => `k${it}: 1`, '\n# ')) },
  { name: 'the same key', text: block(many(60_000, () => 'name: a', '\n# ')), code: 'syntax.duplicate-key' },
  { name: 'explicit keys', text: block(many(100_000, () => '?', ' ')) },
  { name: 'a tag of almost 1 MiB', text: block(`a: !${'a'.repeat(1_000_000)} b`) },
  { name: 'an anchor of almost 1 MiB', text: block(`a: &${'a'.repeat(1_000_000)} b`) },
  { name: 'quotes', text: block(`a: ${"'".repeat(500_001)}`) },
  { name: 'a folded text of many lines', text: block(`a: >\n# ${many(100_000, () => ' a', '\n# ')}`) },
  { name: 'colons', text: block(`a${':'.repeat(500_000)}`) },
  { name: 'colons and spaces', text: block('a: '.repeat(300_000)) },
  { name: 'comments', text: block('#'.repeat(500_000)) },
  { name: 'a document marker', text: block('--- {a: 1}\n# --- {b: 1}') },
  { name: '__proto__', text: block('__proto__: {polluted: 1}'), code: 'syntax.forbidden-key' },
  { name: 'nothing but markers', text: '# ---\n'.repeat(150_000) },
  {
    name: 'spaces before a hash',
    text: `# ---\n${' '.repeat(900_000)}x\n# ---\n`,
    code: 'patch.line-not-comment',
  },
  { name: 'a body of brackets', text: block('name: a') + '('.repeat(900_000) },
  {
    name: 'a body of calls',
    text: block('name: a') + 'f()\n'.repeat(200_000),
    code: 'patch.import-side-effect',
  },
  {
    name: 'a body of calls on one line',
    text: block('name: a') + 'f();'.repeat(200_000),
    code: 'patch.import-side-effect',
  },
  { name: 'a body of decorators', text: `${block('name: a')}${'@f\n'.repeat(200_000)}def main(): pass\n` },
  {
    name: 'a body of nested blocks',
    text: block('name: a') + many(1200, (it) => `${' '.repeat(it)}if x:`, '\n'),
  },
  {
    name: 'main with many parameters',
    text: `${block('name: a\n# inputs: []')}def main(${many(100_000, (it) => `a${it}`)}): pass\n`,
  },
  {
    name: 'many inputs and many parameters',
    text: `${block(`inputs: [${many(20_000, (it) => `{name: b${it}}`)}]`)}def main(${many(10_000, (it) => `a${it}`)}): pass\n`,
  },
  { name: 'a body of attributes', text: `${block('name: a')}x${'.a'.repeat(400_000)}\n` },
  { name: 'a body of operators', text: `${block('name: a')}x = 1${' + 1'.repeat(200_000)}\n` },
  { name: 'strings in a body', text: block('name: a') + '"""'.repeat(300_000) },
];

const tomlInputs: readonly Hostile[] = [
  { name: 'lists 100,000 deep', text: `a = ${'['.repeat(100_000)}` },
  { name: 'inline tables 50,000 deep', text: `a = ${'{a='.repeat(50_000)}` },
  { name: 'a dotted key 100,000 deep', text: `${many(100_000, () => 'a', '.')} = 1` },
  { name: 'a table name 100,000 deep', text: `[${many(100_000, () => 'a', '.')}]` },
  { name: 'many tables', text: many(60_000, (it) => `[t${it}]`, '\n') },
  { name: 'many list tables', text: many(60_000, () => '[[t]]', '\n') },
  { name: 'many keys', text: many(80_000, (it) => `k${it} = 1`, '\n') },
  { name: 'the same key', text: many(80_000, () => 'a = 1', '\n'), code: 'syntax.duplicate-key' },
  {
    name: '__proto__',
    text: '[__proto__]\npolluted = 1\n[constructor.prototype]\npolluted = 1\n',
    code: 'syntax.forbidden-key',
  },
  { name: '__proto__ in quotes', text: '"__proto__" = {polluted = 1}\n"\\u005f_proto__".polluted = 1\n' },
  { name: 'a string of almost 1 MiB', text: `a = "${'a'.repeat(mebibyte - 64)}"` },
  { name: 'a string that never ends', text: `a = """${'"" '.repeat(300_000)}` },
  { name: 'a list that never ends', text: `a = [${many(90_000, () => '1')}` },
];

const talosManifest = (functions: string, extra = ''): string =>
  `{"id":"package","name":"A","description":"A.","version":"1.0.0","functions":[${functions}]${extra}}`;
const talosFunction = (parameters: string): string =>
  `{"name":"a","description":"A.","parameters":${parameters}}`;
const plainManifest = talosManifest(talosFunction('{"type":"object"}'));
const handler = (name: string, text: string, file = 'index.ts'): Hostile => ({
  name: `handlers: ${name}`,
  text: plainManifest,
  files: { [file]: text },
});

const talosInputs: readonly Hostile[] = [
  ...patterns.map((pattern) => ({
    name: `the pattern ${pattern.slice(0, 24)}`,
    text: talosManifest(talosFunction(JSON.stringify({ type: 'object', properties: { a: { pattern } } }))),
  })),
  { name: 'a version of digits', text: plainManifest.replace('1.0.0', `1.0.0-${'1'.repeat(500_000)}!`) },
  { name: 'a version of dots', text: plainManifest.replace('1.0.0', `1.0.0-${'1.'.repeat(250_000)}!`) },
  { name: 'many functions of one name', text: talosManifest(many(10_000, () => talosFunction('{}'))) },
  handler('generic calls in generic calls', `x = ${'f<A>(g<B>('.repeat(30)}`),
  handler('type assertions in each other', `x = ${'<T>('.repeat(40)}`),
  handler('arrow functions in each other', `x = ${'<T>(a = '.repeat(60)}1${') => 1'.repeat(60)}`),
  handler('brackets', '('.repeat(mebibyte - 1)),
  handler('braces', '{'.repeat(mebibyte - 1), 'index.js'),
  handler('less-than signs', `x = a${' < b'.repeat(200_000)}`),
  handler('templates in each other', 'x = `$\u007b'.repeat(1000)),
  handler('many names', `let ${many(150_000, (it) => `a${it}`)};`, 'index.js'),
  handler(
    'many exported names',
    many(50_000, (it) => `export let a${it};`, ''),
    'index.js',
  ),
  handler(
    'many names in blocks',
    `${'{'.repeat(1000)}${many(60_000, (it) => `var a${it};`, '')}`,
    'index.js',
  ),
  handler('a long chain', `export const x = a${'.b'.repeat(400_000)};`, 'index.js'),
  handler('a large table', `export const handlers = {${many(80_000, (it) => `a${it}(){}`)}};`, 'index.js'),
  {
    name: 'many functions and as many other handlers',
    text: talosManifest(
      many(8000, (it) => `{"name":"a${it}","description":"A.","parameters":{"type":"object"}}`),
    ),
    files: { 'index.js': `export const handlers = {${many(40_000, (it) => `b${it}(){}`)}};` },
    code: 'talos.handler-missing',
  },
  handler(
    'a chain of names',
    many(40_000, (it) => `const a${it + 1} = a${it};`, '\n'),
    'index.js',
  ),
  handler('a regular expression', `x = /${'('.repeat(300_000)}/`, 'index.js'),
  handler(
    'many imports',
    many(30_000, (it) => `import {a${it}} from 'x';`, ''),
    'index.ts',
  ),
];

/** A Patch file with this manifest and nothing else. */
function block(yaml: string): string {
  return `# ---\n# ${yaml}\n# ---\n`;
}

const inputsOf: Readonly<Record<FormatName, readonly Hostile[]>> = {
  patch: patchInputs,
  talos: [...jsonInputs, ...talosInputs],
  toolspace: jsonInputs,
  findagent: jsonInputs,
  nexo: tomlInputs,
  mcp: jsonInputs,
};

for (const format of formats) {
  describe(`hostile input: ${format.name}`, () => {
    for (const it of inputsOf[format.name]) {
      test(it.name, () => survives(format, it), deadlineMs * 2);
    }
  });
}

function survives(format: Format<FormatName>, it: Hostile): void {
  const manifest = manifestOf[format.name];
  const bundle = memoryBundle({ ...it.files, [manifest]: it.text }, manifest);
  const started = processorMs();
  format.claim({ path: `package/${manifest}`, text: () => it.text });
  const { diagnostics } = format.parse(bundle, defaultParseOptions);
  expect(processorMs() - started).toBeLessThan(deadlineMs);
  if (it.code === undefined) expect(diagnostics.length).toBeGreaterThan(0);
  else expect(diagnostics.map((one) => one.code)).toContain(it.code);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}
