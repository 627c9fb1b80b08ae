import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { memoryBundle } from '../../../bundle/memory-bundle.js';
import { builtInFormats } from '../../../formats/built-in-formats.js';
import { SourceText } from '../../../formats/document/source-text.js';
import { isObject, type Json, type JsonPath, toPointer } from '../../../model/json.js';
import { codePointName } from '../../../model/unicode.js';
import { checkContribution } from '../check-contribution.js';
import { foreignWords } from './foreign-words.js';

const hiddenPoints = [
  0x200b,
  0x200c,
  0x200d,
  0x2060,
  0xfeff,
  0xad,
  0x34f,
  0x61c,
  0x180e,
  0x2028,
  0x3164,
  0xffa0,
  0x2800,
  0xfff9, // invisible
  0x202a,
  0x202e,
  0x2066,
  0x2069,
  0x200e, // direction
  0xe0041,
  0xe007f,
  0xe0001, // tags
  0x1b,
  0x7f,
  0x85,
  0x9b,
  0x07, // control
];

/** Every text of a document and its path. */
function leaves(value: Json | undefined, path: JsonPath = []): JsonPath[] {
  if (typeof value === 'string') return value.length > 1 ? [path] : [];
  if (Array.isArray(value)) return value.flatMap((it, index) => leaves(it, [...path, index]));
  return isObject(value) ? Object.entries(value).flatMap(([key, it]) => leaves(it, [...path, key])) : [];
}

describe.each(builtInFormats)('in a manifest of $name', ({ load, loadStarter }) => {
  async function starterPackage() {
    const format = await load();
    const written = (await loadStarter())('harbor_tides', 'harbor_tides', {});
    const files = Object.fromEntries(written.map((it) => [it.path.replace(/^harbor_tides\//, ''), it.text]));
    const manifest = Object.keys(files).find((it) => {
      const value = format.readFields(files[it] as string).value;
      return isObject(value) && /\.(?:json|toml|py)$/.test(it) && it !== 'package.json';
    }) as string;
    const check = (text: string) =>
      checkContribution({
        bundle: memoryBundle({ ...files, [manifest]: text }, manifest, 'harbor_tides'),
        format,
        randomId: () => '0',
      });
    return { format, text: files[manifest] as string, check };
  }

  test('a hidden character in any field rejects the package, and the finding names field, kind and code point', async () => {
    const { format, text, check } = await starterPackage();
    expect((await check(text)).findings.filter((it) => it.severity === 'reject')).toEqual([]);
    const fields = format.readFields(text);
    const paths = leaves(fields.value);
    expect(paths.length).toBeGreaterThan(2);
    const source = new SourceText(text);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.constantFrom(...hiddenPoints), async (path, point) => {
        const range = fields.locate(path);
        const start = source.offset(range.line) + range.column - 1;
        const end = source.offset(range.endLine) + range.endColumn - 1;
        // In the middle of the text, and as an escape where the syntax has escapes.
        const middle = Math.floor((start + end) / 2);
        const changed = text.slice(0, middle) + String.fromCodePoint(point) + text.slice(middle);
        const { decision, findings } = await check(changed);
        expect(decision).toBe('reject');
        const named = findings.filter((it) => it.message.includes(codePointName(point)));
        const isSyntax = findings.some((it) => it.code.startsWith('syntax.'));
        expect(named.length > 0 || isSyntax, JSON.stringify(findings)).toBe(true);
        if (!isSyntax) expect(named.map((it) => it.pointer)).toContain(toPointer(path));
      }),
      { numRuns: 60 },
    );
  });

  test('an escape hides it from people who read the file, and not from the checks', async () => {
    const { format, text, check } = await starterPackage();
    const fields = format.readFields(text);
    const source = new SourceText(text);
    for (const path of leaves(fields.value)) {
      const range = fields.locate(path);
      const start = source.offset(range.line) + range.column - 1;
      if (text[start] !== '"' || text.startsWith('"""', start)) continue;
      const { decision, findings } = await check(
        `${text.slice(0, start + 1)}\\u200b${text.slice(start + 1)}`,
      );
      expect(decision).toBe('reject');
      expect(findings.filter((it) => it.message.includes('U+200B')).map((it) => it.pointer)).toContain(
        toPointer(path),
      );
    }
  });
});

describe('in the other files of a package', () => {
  async function findingsOf(files: Record<string, string>) {
    const format = builtInFormats.find((it) => it.name === 'mcp') ?? builtInFormats[0];
    const bundle = memoryBundle({ 'm.json': '{}', ...files }, 'm.json');
    const verdict = await checkContribution({ bundle, format: await format.load(), randomId: () => '0' });
    return verdict.findings
      .filter((it) => it.file !== 'm.json' || it.code === 'contribute.file-name')
      .map((it) => `${it.severity} ${it.code.replace('contribute.', '')} ${it.range.line}`);
  }

  test.each<[string, Record<string, string>, string]>([
    ['a prompt', { 'prompt.md': '# Do\n\nthis\u{E0041}' }, 'reject hidden-text 3'],
    ['source code', { 'a.mjs': 'const a = 1;\nif (a /*\u202e*/) {}' }, 'reject hidden-text 2'],
    ['a read-me', { 'README.md': 'one\u200btwo' }, 'reject hidden-text 1'],
    [
      'another manifest',
      { '.mcp.json': '{"mcpServers":{"a":{"description":"x\\u200b"}}}' },
      'reject hidden-text 1',
    ],
    ['data', { 'words.csv': 'one\u200btwo' }, 'warn hidden-data 1'],
    ['the name of a file', { 'a\u202egnp.js': '' }, 'reject file-name 1'],
  ])('%s is searched', async (_, files, expected) => {
    expect(await findingsOf(files)).toContain(expected);
  });

  test.each([
    ['emoji', 'family 👨‍👩‍👧, flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿, heart ❤️'],
    ['Persian', 'می‌خواهم'],
    ['Hindi', 'क्‍ष'],
    ['Russian', 'Описание инструмента'],
    ['a page break between parts', 'one\n\f\ntwo'],
  ])('%s is ordinary text', async (_, text) => {
    expect(await findingsOf({ 'README.md': text })).toEqual([]);
  });

  test.each(['pаypal account', 'the ԁосѕ page', 'Use the рауԛау account'])(
    '%s has a word that looks like another one',
    async (text) => {
      expect(await findingsOf({ 'README.md': text })).toEqual(['review look-alike-word 1']);
    },
  );
});

test('words of another language are not disguises', () => {
  expect(foreignWords('Это обычный текст о погоде')).toEqual([]);
  expect(foreignWords('The μ value and the word Москва')).toEqual([]);
  expect(foreignWords('Log in to рауԛау now')).toHaveLength(1);
});
