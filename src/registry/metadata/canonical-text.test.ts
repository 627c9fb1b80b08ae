import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../model/json.js';
import { canonicalText } from './canonical-text.js';

const { canonicalize } = createRequire(import.meta.url)('@tufjs/canonical-json') as {
  canonicalize: (value: unknown) => string;
};

test('a value has the canonical text of another implementation, or none', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a"b', 'a\\b', '\\', '"', 'ä'),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (made) => {
      const value = JSON.parse(JSON.stringify(made)) as Json;
      let ours: string;
      try {
        ours = canonicalText(value);
      } catch {
        expect(JSON.stringify(value)).toMatch(/\\|[.e]|[\u007f-\u009f]|\d{16}/);
        return;
      }
      expect(ours).toBe(canonicalize(value));
      expect(JSON.parse(ours)).toEqual(value);
    }),
    { numRuns: 2000 },
  );
});

test.each([['\n'], ['\u0000'], ['\u007f'], ['\ud800'], [1.5], [1e300]])('%j cannot be signed', (value) => {
  expect(() => canonicalText({ a: value })).toThrow(/cannot be signed/);
});
