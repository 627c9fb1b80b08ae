import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { heldFacts, printFacts } from './held-call.js';
import { width, wrapLossless } from './width.js';

const held = (value: string) => ({
  tool: 'a/b',
  arguments: { note: value, amount: 5 },
  evidence: [
    { kind: 'destination' as const, text: 'https://payments.example.com/accounts/transfer', at: '/to' },
  ],
  reasons: ['its author asks for a person before each call, because it spends money'],
});

describe('a held call on a narrow terminal', () => {
  const text = 'one two three four five six seven eight nine ten eleven twelve';

  test('fits the width and keeps its labels in a column', () => {
    const shown = printFacts(heldFacts(held(text)), 40);
    for (const line of shown.split('\n')) expect(width(line)).toBeLessThanOrEqual(40);
    expect(shown).toContain('\n  arguments  {\n');
    expect(shown).toContain('\n               "amount": 5\n');
  });

  test('wraps values so that none can imitate another line', () => {
    const forged = `xxxxxx amount: 1, ${'y'.repeat(30)}`;
    const shown = printFacts(heldFacts(held(forged)), 40);
    const lines = shown.split('\n').filter((it) => it.includes('amount'));
    expect(lines).toEqual([expect.stringContaining('↪ amount: 1'), '               "amount": 5']);
  });

  test('shows the same text as on a wide terminal', () => {
    const wide = printFacts(heldFacts(held(text)));
    expect(wide).not.toContain('↪');
    const joined = printFacts(heldFacts(held(text)), 40).replace(/\n *↪ /g, '');
    expect(joined).toBe(wide);
  });
});

test('lossless wrapping drops nothing and fits the width', () => {
  const texts = fc.array(fc.constantFrom(' ', '  ', 'a', 'bcd', 'é', '漢', '👩‍👧'), { maxLength: 60 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 4, max: 30 }), (fragments, cells) => {
      const text = fragments.join('');
      const parts = wrapLossless(text, cells);
      expect(parts.join('')).toBe(text);
      for (const it of parts) expect(width(it)).toBeLessThanOrEqual(cells);
    }),
    { numRuns: 300 },
  );
});
