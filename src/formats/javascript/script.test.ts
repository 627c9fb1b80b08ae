import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readScript } from './script.js';

describe('mistakes have the place where the author made them', () => {
  test.each([
    ['javascript', 'const a = 1;\nconst b = ;\n', 2, 11],
    ['javascript', 'export const a = {\n  b: [1, 2\n};\n', 3, 1],
    ['javascript', 'const a = 1;\nconst a = 2;\n', 2, 7],
    ['javascript', 'export { nothing };\n', 1, 10],
    ['typescript', 'const a: = 1;\n', 1, 10],
    ['typescript', 'interface A {\n  b: string;\n}\nfunction c( {\n', 5, 1],
    ['typescript', 'export const a: string = "x";\nexport const a: number = 1;\n', 2, 14],
  ] as const)('%s %j', (language, text, line, column) => {
    expect(readScript(text, language)).toMatchObject({ kind: 'mistake', range: { line, column } });
  });

  test('messages do not repeat the place', () => {
    for (const language of ['javascript', 'typescript'] as const) {
      const script = readScript('const = 1;', language);
      expect(script.kind === 'mistake' && script.message).toMatch(/^[a-z][^()]*$/);
    }
  });
});

test('a place in TypeScript is found again although its types are gone', () => {
  const text = 'type A = 1;\nexport const x: Record<string, A> = { run: 1 as A };\n';
  const script = readScript(text, 'typescript');
  if (script.kind !== 'program') throw new Error(script.kind);
  const last = script.program.body.at(-1);
  if (last === undefined) throw new Error('no statement');
  expect(script.place(last).line).toBe(2);
});

test.each([
  ['deep nesting', 'javascript', '('.repeat(100_000)],
  ['deep nesting', 'typescript', '['.repeat(100_000)],
  ['backtracking', 'typescript', `x = ${'f<A>('.repeat(200)}`],
] as const)('%s in %s is given up, not called a mistake', (_, language, text) => {
  expect(readScript(text, language).kind).toBe('unread');
});

test('never throws, and reads the same text the same way', () => {
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
      const script = readScript(source, language);
      expect(readScript(source, language).kind).toBe(script.kind);
    }),
    { numRuns: 2000 },
  );
});
