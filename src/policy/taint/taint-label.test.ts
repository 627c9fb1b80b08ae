import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cleanLabel, joinLabels, lowestLabel, type TaintLabel } from './taint-label.js';

const label = fc.record<TaintLabel>({
  integrity: fc.constantFrom('trusted', 'untrusted'),
  secrecy: fc.constantFrom('public', 'private', 'secret'),
});
const rank = { public: 0, private: 1, secret: 2 };

test('joining never lowers a label', () => {
  fc.assert(
    fc.property(label, label, (a, b) => {
      const joined = joinLabels(a, b);
      expect(joined).toEqual(joinLabels(b, a));
      expect(joinLabels(joined, a)).toEqual(joined);
      if (a.integrity === 'untrusted') expect(joined.integrity).toBe('untrusted');
      expect(rank[joined.secrecy]).toBe(Math.max(rank[a.secrecy], rank[b.secrecy]));
      expect(joinLabels(a, cleanLabel)).toEqual(a);
      expect(joinLabels(a, lowestLabel)).toEqual(lowestLabel);
    }),
  );
});
