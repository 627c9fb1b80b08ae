import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText } from './clean-text.js';

describe('legitimate text is not changed', () => {
  test.each([
    ['a family', '👨‍👩‍👧‍👦 and 👩🏽‍💻'],
    ['flags', '🇩🇪 🏴󠁧󠁢󠁳󠁣󠁴󠁿 🏳️‍🌈'],
    ['a heart', 'I ❤️ it, © and ™️'],
    ['Arabic', 'مرحبا بالعالم'],
    ['Hebrew', 'שָׁלוֹם עוֹלָם'],
    ['Hindi', 'क्‍ष और क्ष'],
    ['Thai', 'สวัสดีชาวโลก'],
    ['Persian', 'می‌خواهم'],
    ['Chinese', '你好，世界'],
    ['code', 'if (a < b) {\n\treturn `x`;\r\n}\n'],
  ])('%s', (_name, text) => expect(cleanText(text)).toBe(text));
});

describe('hidden characters and escape sequences are removed', () => {
  test.each([
    [
      'tags',
      `hi${[...'ignore'].map((it) => String.fromCodePoint(0xe0000 + it.charCodeAt(0))).join('')}!`,
      'hi!',
    ],
    ['reversed reading direction', 'a\u202egnp.exe\u202c', 'agnp.exe'],
    ['isolates', '\u2066x\u2069', 'x'],
    ['zero width', 'pass\u200bword\ufeff', 'password'],
    ['colors', '\u001b[31mred\u001b[0m', 'red'],
    ['a title', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a link', '\u001b]8;;https://evil.example\u001b\\here\u001b]8;;\u001b\\', 'here'],
    ['one byte sequences', '\u009b2Jx', 'x'],
    ['an unfinished sequence', 'x\u001b[', 'x'],
    ['control characters', 'a\u0007\u0008b\u0000', 'ab'],
    ['a carriage return without a line feed', 'safe\rEVIL', 'safe\nEVIL'],
    ['lone surrogates', 'a\ud800b\udc00', 'ab'],
    ['other line separators', 'a\u2028b', 'a\nb'],
    ['variation selectors', 'a\u{e0100}\u{e0101}b', 'ab'],
    ['a joiner between letters', 'ad\u200dmin', 'admin'],
  ])('%s', (_name, text, clean) => expect(cleanText(text)).toBe(clean));
});

test('cleaning is idempotent and leaves no hidden character', () => {
  const odd = fc.constantFrom(
    '\u200d',
    '\u200c',
    '\ufe0f',
    '\u{e0067}',
    '\u{e007f}',
    '\u{1f3f4}',
    '👩',
    '💻',
    '\u001b',
    '[',
    'm',
    '\u202e',
    'ا',
    'क',
    'a',
    '\r',
    '\n',
    '\ud83d',
    '\udc69',
    '\u009b',
    '1',
  );
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 40 }), (parts) => {
      const once = cleanText(parts.join(''));
      expect(cleanText(once)).toBe(once);
      expect(once).not.toMatch(/[\u202e\u001b\u009b]|\r(?!\n)/);
    }),
    { numRuns: 1500 },
  );
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const once = cleanText(text);
      expect(cleanText(once)).toBe(once);
      expect(Buffer.from(once).toString()).toBe(once);
    }),
  );
});
