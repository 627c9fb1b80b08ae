import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { parseSimpleYaml } from './simple-yaml.js';

/** The value of the full parser; undefined if it reports any problem. */
function full(text: string): { value: unknown } | undefined {
  const parsed = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    prettyErrors: false,
    logLevel: 'error',
  });
  return parsed.errors.length + parsed.warnings.length > 0 ? undefined : { value: parsed.toJS() };
}

/** Whenever the fast parser has a result, the full parser must have the same result. */
function agrees(text: string): boolean {
  const fast = parseSimpleYaml(text);
  if (fast === undefined) return false;
  expect(fast, text).toEqual(full(text));
  return true;
}

const fixtures = join(import.meta.dirname, '../../../test/fixtures/patch');
const manifests = readdirSync(fixtures).flatMap((name) => {
  const text = readFileSync(join(fixtures, name, 'tool.py'), { encoding: 'utf8' });
  const lines = text.split('\n').map((it) => it.trimEnd());
  const open = lines.indexOf('# ---');
  const close = lines.indexOf('# ---', open + 1);
  return open === -1 || close === -1
    ? []
    : [
        lines
          .slice(open + 1, close)
          .map((it) => it.replace(/^# ?/, ''))
          .join('\n'),
      ];
});

describe('the fast parser', () => {
  test('handles most manifests', () => {
    const read = manifests.filter(agrees);
    expect(read.length).toBeGreaterThan(manifests.length / 2);
  });

  test.each([
    'a: 1',
    'a: 1.50',
    'a: 007',
    'a: 0x1F',
    'a: 0o7',
    'a: 1e3',
    'a: .5',
    'a: 5.',
    'a: .inf',
    'a: .nan',
    'a: +1',
    'a: -1',
    'a: ~',
    'a: Null',
    'a: TRUE',
    'a: yes',
    'a: 1.0.0',
    'a: 2026-05-04T12:34:56Z',
    'a: 12:30',
    'a: 1_000',
    'a: "x',
    "a: 'it''s'",
    'a: "\\n"',
    'a: b: c',
    'a: b:',
    'a:b',
    'a: [b',
    'a: [1, two, "3"]',
    'a: [b, ]',
    'a: [,]',
    'a: {b: 1}',
    'a: {b}',
    'a: {b: }',
    'a: [a: b]',
    'a: &x b',
    'a: *x',
    'a: !t b',
    'a: |',
    'a: >-',
    'a: b\n  c',
    'a:\n- b\n-  c',
    'a:\n - b\nc: d',
    'a:\n  b: 1\n c: 2',
    '- a',
    'a',
    '? a',
    'a: 1\na: 2',
    '1: a',
    'true: a',
    '__proto__: 1',
    'a: b # c',
    'a: b#c',
    'a:\t1',
    '--- \na: 1',
    '...',
    'a: %x',
    'a: @x',
    'a: `x',
    'a: - b',
    'a: -b',
    'a: ?b',
    'a: :b',
    'a: ,b',
    'a: ]',
    'a: (b) c',
    'a: b, c',
    'a: "b" c',
    'a: 1e',
    'a: 1.5e3',
    'a: 0',
    'a: 00',
    'a: 12345678901234567890',
    'a: é',
    'a:  two  spaces  ',
    'a: x}',
    'a-b: 1',
    'a b: 1',
    '"a": 1',
    'a:\n  - b: 1\n    c: 2\n  - d: 3',
    'a:\n  - b:\n      - c',
    'a:\n  -\n    b',
    'a:\n- - b',
    'a: {b: [c]}',
    'a:\n\n\n  b: 1\n\n',
    'a: null',
    'a: nUll',
    'a:\n  b\n  c',
    'a: <<',
    '<<: {a: 1}',
    'a: /x',
    'a: .x',
    'a: _x',
    'a: https://x.y/z',
    'a: [https://x.y]',
    'a: 1.2.3.4',
    'a: 1.2.3e4',
  ])('agrees with the full parser on %j', (text) => {
    agrees(text);
  });

  test('never differs from the full parser, however a manifest is changed', () => {
    const pieces = fc.constantFrom(
      ...' -:#[]{},"\'&*!|>%@`?~.+01eEx_a\n\t',
      '- ',
      ': ',
      '\n  ',
      '\n- ',
      'true',
      'null',
      '1.0',
      '0x1',
      '.5',
      '<<: ',
      '---\n',
    );
    const change = fc.record({ manifest: fc.nat(), at: fc.nat(), cut: fc.nat({ max: 6 }), put: pieces });
    let answered = 0;
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        let text = manifests[(changes[0]?.manifest ?? 0) % manifests.length] as string;
        for (const { at, cut, put } of changes) {
          const place = at % (text.length + 1);
          text = text.slice(0, place) + put + text.slice(place + cut);
        }
        if (agrees(text)) answered++;
      }),
      { numRuns: 4000 },
    );
    expect(answered).toBeGreaterThan(200);
  });

  test('never differs from the full parser on short texts', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      ':',
      ': ',
      ' ',
      '  ',
      '\n',
      '- ',
      '-',
      '1',
      '.',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ',',
      '0',
      'x',
      'e',
      'true',
      '~',
      '|',
      '\n  ',
      '\n- ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (parts) => void agrees(parts.join(''))),
      { numRuns: 20_000 },
    );
  });
});
