// One plain term per concept: test/unit/words.json says which words stand for it nowhere, and exported names mean one thing.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { builtInFormats } from '../../src/formats/built-in-formats.js';
import { commands } from '../../src/serve/cli/command/commands.js';
import { main, temporaryFolder } from '../support/toolwharf.js';

type Place = 'src' | 'test' | 'docs' | 'output';

interface WordRule {
  /** The term to use. */
  readonly term: string;
  /** A regular expression for the words that the term replaces. */
  readonly not: string;
  readonly in: readonly Place[];
  /** Regular expressions for lines in which the words mean something else. */
  readonly except?: readonly string[];
}

interface Line {
  readonly where: string;
  readonly text: string;
}

const root = join(import.meta.dirname, '../..');
const rules: readonly WordRule[] = JSON.parse(readFileSync(join(root, 'test/unit/words.json'), 'utf8'));

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((it) => it.endsWith(ending) && !/(^|\/)(generated|fixtures|node_modules)\//.test(it))
    .map((it) => join(folder, it));
}

function linesOf(files: readonly string[]): Line[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .map((text, index) => ({ where: `${relative('.', file)}:${index + 1}`, text })),
  );
}

function wrongWords({ not, except = [] }: WordRule, lines: readonly Line[]): string[] {
  const wrong = new RegExp(not);
  const allowed = except.map((it) => new RegExp(it));
  return lines
    .filter(({ text }) => wrong.test(text) && !allowed.some((it) => it.test(text)))
    .map(({ where, text }) => `${where}: ${text.trim()}`);
}

const topPages = ['README.md', 'ARCHITECTURE.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'];
const files: Record<Exclude<Place, 'output'>, readonly string[]> = {
  src: filesBelow('src', '.ts'),
  test: filesBelow('test', '.ts'),
  docs: [...topPages, ...filesBelow('docs', '.md'), ...filesBelow('examples', '.md')],
};

describe.each(['src', 'test', 'docs'] as const)('the words of %s', (place) => {
  const lines = linesOf(files[place].filter((it) => it !== 'test/unit/words.test.ts'));
  for (const rule of rules.filter((it) => it.in.includes(place)))
    test(`say "${rule.term}"`, () => expect(wrongWords(rule, lines)).toEqual([]));
});

describe('what commands print', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const examples = [
    ['validate', 'examples'],
    ['list', 'examples'],
    ['info', 'examples/patch/draw_lots.py'],
    ['info', 'examples/talos/webhook-signatures'],
    ['info', 'examples/toolspace/json-diff'],
    ['info', 'examples/findagent/log-digest'],
    ['info', 'examples/nexo/subnet-desk'],
    ['call', 'examples/patch/word_count.py', '{"text":"a"}'],
    ['call', 'examples/patch/draw_lots.py', '{"names":["a"]}'],
    ['policy', 'explain', 'draw_lots/draw_lots'],
    ['approvals', 'list'],
    ['audit', 'tail'],
    ['audit', 'verify'],
    ['review', '--dir', 'examples'],
    ['secret', 'list'],
    ['token', 'list'],
    ['config', 'list'],
    ['doctor'],
    ['pin', 'status'],
    ['kill', 'list'],
    ['call', 'nothing/here'],
    ['info', 'no-such-folder'],
    ['explain', 'schema.required'],
  ];
  const helps = commands.map((it) => [it.name, '--help']);
  let printed: Line[] | undefined;
  const output = () => {
    printed ??= [['--help'], ['help', 'exit-codes'], ...helps, ...examples].flatMap((args) => {
      const env = { ...process.env, TOOLWHARF_HOME: join(folder.path, 'state') };
      const done = spawnSync(process.execPath, [main, ...args], { cwd: root, env, encoding: 'utf8' });
      expect(done.stderr, args.join(' ')).not.toMatch(/^Node\.js v/m);
      return `${done.stdout}${done.stderr}`
        .split('\n')
        .map((text) => ({ where: `toolwharf ${args.join(' ')}`, text }));
    });
    return printed;
  };

  test('was collected', () => expect(output().length).toBeGreaterThan(500));
  for (const rule of rules.filter((it) => it.in.includes('output')))
    test(`says "${rule.term}"`, () => expect(wrongWords(rule, output())).toEqual([]));
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
