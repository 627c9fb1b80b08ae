import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markChanges } from './text-difference.js';

const joined = (parts: readonly { readonly text: string }[]) => parts.map((it) => it.text).join('');
const changed = (parts: readonly { readonly text: string; readonly isChanged: boolean }[]) =>
  parts.flatMap((it) => (it.isChanged ? [it.text.trim()] : []));

test('only the words that differ are marked, on their side', () => {
  const { before, after } = markChanges(
    'Count the words of a text. It sends nothing.',
    'Count the words of a text and post them. It sends everything.',
  );
  expect(changed(before)).toEqual(['text.', 'nothing.']);
  expect(changed(after)).toEqual(['text and post them.', 'everything.']);
});

test('a text that was only added to has nothing marked on the old side', () => {
  const { before, after } = markChanges('One two', 'One two three');
  expect(changed(before)).toEqual([]);
  expect(changed(after)).toEqual(['three']);
  expect(markChanges('same', 'same')).toEqual({
    before: [{ text: 'same', isChanged: false }],
    after: [{ text: 'same', isChanged: false }],
  });
});

test('the parts of each side are its whole text, whatever it is', () => {
  const words = fc.array(fc.constantFrom('a', 'b', ' ', '\n', '         ', '\u202e', 'paypal.com', '.'), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(words, words, (first, second) => {
      const [before, after] = [first.join(''), second.join('')];
      const marked = markChanges(before, after);
      expect([joined(marked.before), joined(marked.after)]).toEqual([before, after]);
      const kept = (side: typeof marked.before) => joined(side.filter((it) => !it.isChanged));
      expect(kept(marked.before).trim()).toBe(kept(marked.after).trim());
    }),
  );
});

test('two very long texts without anything in common are marked as a whole, and soon', () => {
  const text = (word: string) => `${word} `.repeat(20_000);
  const start = performance.now();
  const { before, after } = markChanges(text('old'), text('new'));
  expect([before.length, after.length, before[0]?.isChanged]).toEqual([1, 1, true]);
  expect(performance.now() - start).toBeLessThan(1000);
});
