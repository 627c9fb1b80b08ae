import { describe, expect, test } from 'vitest';
import { parseScript } from './script.js';

const problemOf = (text: string) => {
  const script = parseScript(text, 'typescript');
  return script.kind === 'syntax-error'
    ? `${script.range.line}:${script.range.column} ${script.message}`
    : script.kind;
};

describe('a namespace that contains values is rejected where it starts', () => {
  const rejected = (line: number, column: number, name: string) =>
    `${line}:${column} the namespace ${name} contains values; only namespaces of types are supported`;
  test.each([
    ['namespace A { export const a = 1; }', rejected(1, 1, 'A')],
    // Not used in this file: another file imports it.
    ['export namespace A {\n  export function f(): void {}\n}', rejected(1, 1, 'A')],
    ['export type T = 1;\n\nexport namespace A.B { export let c: number; }', rejected(3, 1, 'A.B')],
    ['export namespace A {\n  export namespace B { export enum C { D } }\n}', rejected(1, 1, 'A')],
    ['f(); namespace A { f(); }', rejected(1, 6, 'A')],
    ['module A { export class B {} }', rejected(1, 1, 'A')],
    ['// namespace A { }\nnamespace A { export const b = 1 }', rejected(2, 1, 'A')],
    ['const $n = 1, $q = 2, _n = 3;\nnamespace A { export const b = 1 }', rejected(2, 1, 'A')],
  ])('%j', (text, expected) => {
    expect(problemOf(text)).toBe(expected);
  });
});

describe('namespaces of types and the word elsewhere are accepted', () => {
  test.each([
    'export namespace A { export type B = 1; /* only types */ export interface C { d: string } }\nlet a: A.B;',
    'namespace A { namespace B { export type C = 1 } }',
    'declare namespace A { const b: number; namespace C { function d(): void } }\nA.b;',
    'declare module "x" { export const a: number; }',
    'declare global { var a: number }',
    'const text = `\nnamespace A { export const b = 1 }`;',
    '// namespace A { export const b = 1 }\nexport const c = 1;',
    'const namespace = 1; export { namespace };',
    'const a = { namespace: 1, module: {} };',
  ])('%j', (text) => {
    expect(problemOf(text)).toBe('program');
  });
});

test.each([
  'class A {\n  @decorated a = 1;\n}',
  'class A {\n  @decorated() b(): void {}\n}',
  'class A {\n  b(@inject c: string) {}\n}',
  'const a = 1;\n@decorated class B {}',
  'const a = 1;\nexport @decorated class B {}',
])('a decorator is rejected with its own message: %j', (text) => {
  expect(problemOf(text)).toMatch(/^2:\d+ decorators are not supported$/);
});

test('a file full of namespaces is checked quickly', () => {
  const text = `${'export namespace A { export type B = 1 }\n'.repeat(20_000)}${'module '.repeat(20_000)}`;
  // Processor time: other programs on the machine do not count.
  const before = process.cpuUsage();
  parseScript(text, 'typescript');
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(5000);
});
