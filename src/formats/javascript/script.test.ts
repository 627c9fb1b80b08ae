import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseScript } from './script.js';

describe('syntax errors have their position in the original file', () => {
  test.each([
    ['javascript', 'const a = 1;\nconst b = ;\n', 2, 11],
    ['javascript', 'export const a = {\n  b: [1, 2\n};\n', 3, 1],
    ['javascript', 'const a = 1;\nconst a = 2;\n', 2, 7],
    ['javascript', 'export { nothing };\n', 1, 10],
    ['typescript', 'const a: = 1;\n', 1, 10],
    ['typescript', 'interface A {\n  b: string;\n}\nfunction c( {\n', 5, 1],
    ['typescript', 'export const a: string = "x";\nexport const a: number = 1;\n', 2, 14],
  ] as const)('%s %j', (language, text, line, column) => {
    expect(parseScript(text, language)).toMatchObject({ kind: 'syntax-error', range: { line, column } });
  });

  test('messages do not repeat the position', () => {
    for (const language of ['javascript', 'typescript'] as const) {
      const script = parseScript('const = 1;', language);
      expect(script.kind === 'syntax-error' && script.message).toMatch(/^[a-z][^()]*$/);
    }
  });
});

test('a node of a TypeScript file has its position in the original file', () => {
  const text = 'type A = 1;\nexport const x: Record<string, A> = { run: 1 as A };\n';
  const script = parseScript(text, 'typescript');
  if (script.kind !== 'program') throw new Error(script.kind);
  const last = script.program.body.at(-1);
  if (last === undefined) throw new Error('no statement');
  expect(script.rangeOf(last).line).toBe(2);
});

test.each([
  ['deep nesting', 'javascript', '('.repeat(100_000)],
  ['deep nesting', 'typescript', '['.repeat(100_000)],
  ['backtracking', 'typescript', `x = ${'f<A>('.repeat(200)}`],
] as const)('%s in %s is not parsed and not reported as a syntax error', (_, language, text) => {
  expect(parseScript(text, language).kind).toBe('unchecked');
});

test('parsing never throws, and the same text has the same result', () => {
  const piece = fc.constantFrom(
    ...'export const function async class { } ( ) [ ] < > = => ; , : ? . ... ` $ " \' / * + a b 1 \n as type import from default'.split(
      ' ',
    ),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 60 }).map((it) => it.join(' ')),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('javascript' as const, 'typescript' as const), (source, language) => {
      const script = parseScript(source, language);
      expect(parseScript(source, language).kind).toBe(script.kind);
    }),
    { numRuns: 2000 },
  );
});
