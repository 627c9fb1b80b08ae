import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from './json.js';
import {
  answerLimits,
  JsonExcessError,
  JsonMeter,
  jsonExcess,
  parseBounded,
  requestLimits,
} from './json-bounds.js';

/** Levels and tokens of a parsed value, counted by recursion: the reference. */
function shape(value: Json): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const isList = Array.isArray(value);
  const members = Object.values(value) as Json[];
  const inside = members.map(shape);
  return {
    depth: 1 + Math.max(0, ...inside.map((it) => it.depth)),
    values:
      1 +
      Math.max(0, members.length - 1) +
      (isList ? 0 : members.length) +
      inside.reduce((sum, it) => sum + it.values, 0),
  };
}

/** Texts that would mislead a check that does not understand strings. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ':', 'é', '漢', '🙂', '\n', 'x') }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('\\'.repeat(40), '\\"'.repeat(40), `${'x'.repeat(50)}\\`, `"${'['.repeat(100)}`),
);
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom<Json[]>(null, true, 0, -1.5e9),
    text,
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
}));

/** What the meter says when the bytes arrive in pieces. */
function metered(source: string, cuts: readonly number[], limits: typeof requestLimits) {
  const bytes = new TextEncoder().encode(source);
  const meter = new JsonMeter(limits);
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    const excess = meter.add(bytes.subarray(from, from + cut));
    if (excess !== undefined) return excess;
    from = Math.min(bytes.length, from + cut);
  }
  return undefined;
}

describe('bounds of JSON', () => {
  test('agree with the parsed value, for texts and for bytes in any pieces', () => {
    fc.assert(
      fc.property(
        json,
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 60 }),
        fc.constantFrom(undefined, 1, '\t'),
        (value, cuts, space) => {
          const source = JSON.stringify(value, null, space);
          const { depth, values } = shape(JSON.parse(source) as Json);
          const exact = { bytes: 1e9, depth, values };
          expect(jsonExcess(source, exact)).toBeUndefined();
          expect(metered(source, cuts, exact)).toBeUndefined();
          if (depth === 0) return;
          const oneLevelLess = { limit: 'depth', max: depth - 1 };
          expect(jsonExcess(source, { ...exact, depth: depth - 1 })).toEqual(oneLevelLess);
          expect(metered(source, cuts, { ...exact, depth: depth - 1 })).toEqual(oneLevelLess);
          const oneValueLess = { limit: 'values', max: values - 1 };
          expect(jsonExcess(source, { ...exact, values: values - 1 })).toEqual(oneValueLess);
          expect(metered(source, cuts, { ...exact, values: values - 1 })).toEqual(oneValueLess);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('text that is not JSON is measured alike, whole and in pieces', () => {
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 60 }), (source, cuts) => {
        const limits = { bytes: 1e9, depth: 3, values: 6 };
        expect(metered(source, cuts, limits)).toEqual(jsonExcess(source, limits));
      }),
      { numRuns: 2000 },
    );
  });

  test('an excess is found in the first piece that has it', () => {
    const meter = new JsonMeter(requestLimits);
    expect(meter.add(new TextEncoder().encode('['.repeat(128)))).toBeUndefined();
    expect(meter.add(new TextEncoder().encode('['))).toEqual({ limit: 'depth', max: 128 });
  });

  test('the size is limited too', () => {
    const limits = { bytes: 4, depth: 9, values: 9 };
    expect(jsonExcess('"123"', limits)).toEqual({ limit: 'bytes', max: 4 });
    expect(metered('"123"', [3], limits)).toEqual({ limit: 'bytes', max: 4 });
  });

  test.each([
    ['nested lists', `${'['.repeat(2_500_000)}${']'.repeat(2_500_000)}`, /nested more than 210 levels/],
    ['nested objects', '{"a":'.repeat(1_000_000), /nested more than 210 levels/],
    ['a list of empty lists', `[${'[],'.repeat(1_600_000)}0]`, /too many values/],
    ['a list of zeros', `[${'0,'.repeat(2_500_000)}0]`, /too many values/],
    ['a text that never ends a string', `["${'['.repeat(5_000_000)}`, SyntaxError],
  ])('is not parsed: %s', (_, source, expected) => {
    expect(() => parseBounded(source, answerLimits)).toThrow(expected);
    if (expected !== SyntaxError) expect(() => parseBounded(source, answerLimits)).toThrow(JsonExcessError);
  });
});
