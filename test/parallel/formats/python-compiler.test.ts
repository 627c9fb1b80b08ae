// The check of Python code agrees with the real compiler. Nothing is executed: the code is only compiled.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SourceText } from '../../../src/formats/document/source-text.js';
import { pythonProblem } from '../../../src/formats/python/syntax-problem.js';
import { invalidPython, validPython } from '../../support/python-snippets.js';

const compiler = `
import json, sys, warnings
warnings.simplefilter('ignore')
def line(code):
    try:
        compile(code.encode(), 'code', 'exec', dont_inherit=True)
    except SyntaxError as error:
        return error.lineno
    return None
print(json.dumps({'minor': sys.version_info[1], 'lines': [line(it) for it in json.load(sys.stdin)]}))
`;
const modules = `
import glob, json, os, sysconfig, warnings
warnings.simplefilter('ignore')
found = []
for path in sorted(glob.glob(os.path.join(sysconfig.get_paths()['stdlib'], '*.py'))):
    with open(path, 'rb') as file:
        code = file.read()
    try:
        code.decode()
        compile(code, path, 'exec', dont_inherit=True)
        found.append(path)
    except ValueError:
        pass
print(json.dumps(found))
`;

function python(script: string, input: unknown): unknown {
  return JSON.parse(
    execFileSync('python3', ['-I', '-c', script], { input: JSON.stringify(input), encoding: 'utf8' }),
  );
}

/** The line that the compiler reports for each code; null if it compiles. */
function compiled(codes: readonly string[]): { minor: number; lines: (number | null)[] } {
  return python(compiler, codes) as { minor: number; lines: (number | null)[] };
}

test('the compiler accepts what the check accepts', () => {
  const { minor, lines } = compiled(validPython.map((it) => it.code));
  const wrong = validPython.filter((it, index) => (it.minor ?? 0) <= minor && lines[index] !== null);
  expect(wrong).toEqual([]);
});

test('the compiler rejects what the check rejects, at the same line', () => {
  const { minor, lines } = compiled(invalidPython.map(([code]) => code));
  // Older compilers report some of these at another line.
  const wrong = invalidPython.filter(([, line], index) =>
    minor >= 12 ? lines[index] !== line : lines[index] === null,
  );
  expect(wrong).toEqual([]);
});

test('the check accepts all modules of the standard library, and notices a line that was cut', () => {
  const paths = python(modules, null) as string[];
  expect(paths.length).toBeGreaterThan(100);
  const texts = paths.map((it) => [it, readFileSync(it, 'utf8')] as const);
  const problems = texts.flatMap(([path, text]) => {
    const problem = pythonProblem(text);
    return problem === undefined
      ? []
      : [`${path}:${new SourceText(text).range(problem.at).line} ${problem.message}`];
  });
  expect(problems).toEqual([]);
  const cut = texts
    .filter(([, text]) => text.length < 20_000)
    .flatMap(([, text], index) => {
      const lines = text.split('\n');
      const at = (index * 37) % lines.length;
      const line = lines[at] as string;
      return [[...lines.slice(0, at), line.slice(0, line.length >> 1), ...lines.slice(at + 1)].join('\n')];
    });
  const { minor, lines } = compiled(cut);
  const verdicts = cut.map((it) => pythonProblem(it) !== undefined);
  // Code that compiles is never rejected. Before 3.12 the compiler rejects some strings that are valid today.
  expect(
    lines.flatMap((line, index) => (line === null && verdicts[index] === true ? [cut[index]] : [])),
  ).toEqual([]);
  const missed = lines.filter((line, index) => line !== null && verdicts[index] === false).length;
  expect(missed).toBeLessThanOrEqual(minor >= 12 ? 0 : 2);
}, 60_000);
