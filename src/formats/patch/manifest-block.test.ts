import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SourceText } from '../document/source-text.js';
import { readManifestBlock } from './manifest-block.js';

const read = (text: string) => readManifestBlock(new SourceText(text));

describe('comment marks are removed', () => {
  test.each([
    ['# ---\n# a: 1\n# ---\n', 'a: 1'],
    ['# ---\n#a: 1\n# ---\n', 'a: 1'],
    ['# ---\n#\n# a: 1\n#\n# ---\n', '\na: 1\n'],
    ['# ---\n\n# a: 1\n   \n# ---\n', '\na: 1\n'],
    ['# ---\n#   a: 1\n# ---\n', '  a: 1'],
    ['  # a\n # ---\n  # a: 1\n\t# ---  \n', 'a: 1'],
    ['# ---\r\n# a: 1\r\n# ---\r\n', 'a: 1'],
    ['# ---\n## a\n# ---\n', '# a'],
    ['# ---\n# ---', ''],
  ])('%j', (text, yaml) => {
    const block = read(text);
    expect('yaml' in block && block.yaml).toBe(yaml);
  });
});

test.each([
  ['x = 1\n', 'patch.no-manifest', 1],
  ['#---\n#---\n', 'patch.no-manifest', 1],
  ['#\t---\n#\t---\n', 'patch.no-manifest', 1],
  ['x = 1\n# ---\n# a: 1\n', 'patch.unclosed-manifest', 2],
  ['# ---\nx = 1\n# ---\n', 'patch.line-not-comment', 2],
  ['# ---\n# ---\n# ---\n# name: other\n# ---\n', 'patch.second-manifest', 3],
])('%j has no valid manifest block', (text, code, line) => {
  expect(read(text)).toMatchObject({ code, range: { line } });
});

test('every offset of the YAML maps to the same character of the file', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const line = fc
    .tuple(fc.constantFrom('# ', '#', '  # ', '\t#'), word)
    .map(([mark, text]) => ({ mark, text }));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
      const file = ['#!/bin/x', '# ---', ...lines.map((it) => it.mark + it.text), '# ---', ''].join(end);
      const block = read(file);
      if (!('yaml' in block)) throw new Error(block.code);
      const rows = file.split('\n');
      for (let at = 0; at < block.yaml.length; at++) {
        if (block.yaml[at] === '\n') continue;
        const { line: row, column } = block.rangeOf(at, at + 1);
        expect(rows[row - 1]?.[column - 1]).toBe(block.yaml[at]);
      }
    }),
  );
});
