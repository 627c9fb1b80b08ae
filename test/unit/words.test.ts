// One plain term per concept: test/support/words.json says which words stand for it nowhere, and exported names mean one thing.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtInFormats } from '../../src/formats/built-in-formats.js';
import { readWordRules, type TextLine, type WordPlace, wrongWords } from '../support/word-rules.js';

const root = join(import.meta.dirname, '../..');
const rules = readWordRules();

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((it) => it.endsWith(ending) && !/(^|\/)(generated|fixtures|node_modules)\//.test(it))
    .map((it) => join(folder, it));
}

function linesOf(files: readonly string[]): TextLine[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((text, index) => ({ where: `${relative('.', file)}:${index + 1}`, text })),
  );
}

const topPages = ['README.md', 'ARCHITECTURE.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
const files: Record<Exclude<WordPlace, 'output'>, readonly string[]> = {
  src: [...filesBelow('src', '.ts'), ...filesBelow('src', '.tsx')],
  test: filesBelow('test', '.ts'),
  docs: [...topPages, ...filesBelow('docs', '.md'), ...filesBelow('examples', '.md')],
};

describe.each(['src', 'test', 'docs'] as const)('the words of %s', (place) => {
  const lines = linesOf(files[place].filter((it) => it !== 'test/unit/words.test.ts'));
  for (const rule of rules.filter((it) => it.in.includes(place)))
    test(`say "${rule.term}"`, () => expect(wrongWords(rule, lines)).toEqual([]));
});

test('a rule finds the words that it is about, and leaves its exceptions alone', () => {
  const rule = { term: 'fix', not: '\\bmends?\\b', in: ['src'], except: ['amendment'] } as const;
  const line = (text: string) => ({ where: 'a', text });
  expect(wrongWords(rule, [line('he mends it'), line('recommended'), line('an amendment mends')])).toEqual([
    'a: he mends it',
  ]);
});

describe('exported names', () => {
  /** Formats are siblings: a function that each of them has is called the same in each. */
  const names = builtInFormats.map((it) => it.name).join('|');
  const siblings = new RegExp(`^src/formats/(${names})/([\\w-]+)\\.ts$`);

  test('are declared once', () => {
    const places = new Map<string, string[]>();
    for (const file of files.src.filter((it) => !it.endsWith('.test.ts'))) {
      const text = readFileSync(join(root, file), 'utf8');
      const exported =
        /^export (?:async |abstract |declare )*(?:function\*?|class|const|let|interface|type) (\w+)/gm;
      for (const [, name] of text.matchAll(exported))
        places.set(name as string, [...(places.get(name as string) ?? []), file]);
    }
    const twice = [...places].filter(([, found]) => {
      const names = new Set(found.map((it) => siblings.exec(it)?.[2] ?? it));
      return found.length > 1 && names.size > 1;
    });
    expect(twice.map(([name, found]) => `${name}: ${found.join(', ')}`)).toEqual([]);
  });
});
