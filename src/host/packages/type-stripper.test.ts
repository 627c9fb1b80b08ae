import { describe, expect, test } from 'vitest';
import { type BundleFiles, memoryBundle } from '../../bundle/memory-bundle.js';
import { HostError } from '../../model/host-error.js';
import type { Package } from '../../model/package.js';
import { typeStripper } from './type-stripper.js';

function packageIn(language: 'node' | 'python', entry = 'index.ts'): Package {
  const runtime = { language, packages: [] };
  const command = [{ parts: [{ kind: 'text', text: entry }] }];
  const target = { kind: 'process', command, runtime, directory: '', environment: [] };
  return { programs: [{ name: 'code', target }] } as unknown as Package;
}

function strip(files: BundleFiles, path: string, language: 'node' | 'python' = 'node') {
  const bundle = memoryBundle(files, 'manifest.json');
  const entry = bundle.read(path);
  if (entry.kind !== 'file') throw new Error(`no ${path}`);
  const made = typeStripper(packageIn(language), bundle)(path, entry.bytes);
  return made && { path: made.path, text: new TextDecoder().decode(made.bytes) };
}

function code(text: string, others: BundleFiles = {}, path = 'index.ts'): string {
  return strip({ [path]: text, ...others }, path)?.text.replace(/\n\/\/# sourceURL=.*\n$/, '') ?? '';
}

describe('type stripping', () => {
  test.each([
    ['index.ts', 'index.js'],
    ['lib/a.mts', 'lib/a.mjs'],
    ['a.b.cts', 'a.b.cjs'],
  ])('stages the JavaScript of %s as %s, with a source URL', (path, expected) => {
    expect(strip({ [path]: 'const a: number = 1;' }, path)).toEqual({
      path: expected,
      text: `${path.endsWith('.cts') ? '"use strict";' : ''}const a = 1;\n//# sourceURL=${path}\n`,
    });
  });

  test.each([
    ['types.d.ts', 'export type A = 1;'],
    ['index.js', 'export {};'],
    ['view.tsx', 'export {};'],
    ['node_modules/x/index.ts', 'this is not code'],
    ['film.ts', new Uint8Array([0x47, 0x40, 0xff, 0xfe])],
  ])('does not touch %s', (path, content) => {
    expect(strip({ [path]: content }, path)).toBeUndefined();
  });

  test('does not touch a package without programs for Node', () => {
    expect(strip({ 'index.ts': 'const a: number = 1;' }, 'index.ts', 'python')).toBeUndefined();
  });

  test('the sources of a JavaScript entry replace nothing and may use any syntax', () => {
    const files = {
      'index.js': 'export {};',
      'index.ts': 'export {};',
      'made.ts': 'const a: number = 1;',
      'decorated.ts': 'class A { @b c = 1; }',
    };
    const bundle = memoryBundle(files, 'manifest.json');
    const stripFor = (entry: string, path: keyof typeof files) =>
      typeStripper(packageIn('node', entry), bundle)(path, new TextEncoder().encode(files[path]))?.path;
    expect(stripFor('index.js', 'index.ts')).toBeUndefined();
    expect(stripFor('index.js', 'decorated.ts')).toBeUndefined();
    expect(stripFor('index.js', 'made.ts')).toBe('made.js');
    expect(stripFor('index.ts', 'index.ts')).toBe('index.js');
    expect(() => stripFor('index.ts', 'decorated.ts')).toThrow('decorators are not supported');
  });

  test('keeps line numbers', () => {
    const text = `interface A {
  a: string;
}
type B =
  | A
  | 1;
export function marker(
  a: A,
  b?: B,
): void {}
`;
    const lines = code(text).split('\n');
    expect(lines.findIndex((it) => it.includes('function marker'))).toBe(6);
    expect(lines.length).toBe(text.split('\n').length);
  });

  const tree = {
    'a.ts': '',
    'b.js': '',
    'both.ts': '',
    'both.js': '',
    'dir/index.ts': '',
    'm.mts': '',
    'data.json': '{}',
    'dotted.name.ts': '',
    'types.d.ts': '',
  };
  test.each([
    ['./a.ts', './a.js'],
    ['./a.js', './a.js'],
    ['./a', './a.js'],
    ['./b', './b.js'],
    ['./b.js', './b.js'],
    ['./both', './both.js'],
    ['./both.ts', './both.js'],
    ['./dir', './dir/index.js'],
    ['./dir/', './dir/index.js'],
    ['./dir/index', './dir/index.js'],
    ['./m.mts', './m.mjs'],
    ['./m.mjs', './m.mjs'],
    ['./data.json', './data.json'],
    ['./dotted.name', './dotted.name.js'],
    ['./nowhere', './nowhere'],
    ['../outside', '../outside'],
    ['a.ts', 'a.ts'],
    ['node:fs', 'node:fs'],
  ])('an import of %s becomes an import of %s', (from, to) => {
    const text = (it: string) =>
      `import { x } from "${it}"; export { y } from "${it}"; export * from "${it}"; use(x, import("${it}"), require("${it}"), "${it}");`;
    const last = (it: string) => it.replace(/"[^"]*"\);$/, `"${from}");`);
    expect(code(text(from), tree)).toBe(last(text(to)));
  });

  test('a namespace of types is removed, and the word in a string stays', () => {
    const text = 'namespace X {\n  export type A = 1;\n}\nlet a: X.A = f(`\nnamespace Y {`, Y);';
    expect(code(text)).toContain('let a = f(`\nnamespace Y {`, Y);');
    expect(code('declare namespace Z { const a: number; }\nuse(Z.a);')).toContain('use(Z.a);');
  });

  test('imports of types are removed', () => {
    const text =
      'import type { A } from "./a"; import { B, type C, used } from "./a"; let x: A | B | C = used;';
    expect(code(text, { 'a.ts': '' }).replace(/\s+/g, ' ').trim()).toMatch(
      /^import {\s*used } from "\.\/a\.js"; let x = used;$/,
    );
  });

  test('the output is CommonJS if package.json or the file extension says so', () => {
    const text = 'import { sep } from "node:path";\nexport const run = (): string => sep;';
    expect(code(text, { 'package.json': '{"type":"commonjs"}' })).toContain('exports.run');
    expect(code(text, { 'package.json': '{"type":"module"}' })).toContain('export const run');
    expect(code(text, { 'package.json': '{}' })).toContain('export const run');
    expect(code(text, { 'package.json': '{ broken' })).toContain('export const run');
    // The nearest package.json decides; a file extension that names the module system wins over it.
    expect(
      code(
        text,
        { 'package.json': '{"type":"module"}', 'a/package.json': '{"type":"commonjs"}' },
        'a/b/c.ts',
      ),
    ).toContain('exports.run');
    expect(code(text, { 'package.json': '{"type":"commonjs"}' }, 'x.mts')).toContain('export const run');
    expect(code(text, { 'package.json': '{"type":"module"}' }, 'x.cts')).toContain('exports.run');
  });

  test.each([
    ['export const a: = 1;', /^src\/index\.ts:1:17 is not valid TypeScript: /],
    ['const a = 1;\nexport function f( {', /^src\/index\.ts:2:\d+ is not valid TypeScript: /],
    ['class A {\n  @decorated a = 1;\n}', /^src\/index\.ts:2:\d+ is not valid TypeScript: /],
    ['const a = <b>1</b>;', /^src\/index\.ts:1:\d+ is not valid TypeScript: /],
    [
      `const a = ${'['.repeat(5000)}${']'.repeat(5000)};`,
      /^src\/index\.ts cannot be parsed as TypeScript: it is nested/,
    ],
  ])('a syntax error names its position', (text, message) => {
    let found: unknown;
    try {
      code(text, {}, 'src/index.ts');
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(HostError);
    expect(found).toMatchObject({ code: 'invalid_manifest', message: expect.stringMatching(message) });
  });
});
