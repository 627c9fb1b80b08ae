import { describe, expect, test } from 'vitest';
import { invalidPython, validPython } from '../../../test/support/python-snippets.js';
import { SourceText } from '../document/source-text.js';
import { pythonProblem } from './syntax-problem.js';

const lineOf = (code: string, at: number) => new SourceText(code).range(at).line;

test.each(validPython.map((it) => it.code))('accepts %j', (code) => {
  expect(pythonProblem(code)).toBeUndefined();
});

test.each(invalidPython)('rejects %j at line %i: %s', (code, line, message) => {
  const problem = pythonProblem(code);
  expect(problem?.message).toContain(message);
  expect(lineOf(code, problem?.at ?? -1)).toBe(line);
});

describe('hostile code', () => {
  test.each([
    ['brackets', '('.repeat(5000)],
    ['closed brackets', `${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['unary operators', `x = ${'-'.repeat(100_000)}1`],
    ['negations', `x = ${'not '.repeat(50_000)}1`],
    ['conditions', `x = ${'a if b else '.repeat(20_000)}c`],
    ['powers', `x = ${'a ** '.repeat(20_000)}c`],
    ['lambdas', `x = ${'lambda: '.repeat(20_000)}c`],
    ['blocks', Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}if a:`).join('\n')],
    ['formatted strings', 'f"{'.repeat(2000)],
    ['elif', `if a: pass\n${'elif a: pass\n'.repeat(20_000)}`],
  ])('many %s do not exhaust the stack or the time', (_what, code) => {
    const start = performance.now();
    pythonProblem(code);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
