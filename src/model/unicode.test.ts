import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codePointName, findHidden, findLookalikes } from './unicode.js';

const hidden = (text: string) =>
  findHidden(text).map((it) => `${it.index} ${it.kind} ${codePointName(it.codePoint)}`);

describe('hidden characters are found', () => {
  test.each([
    ['a\u200bb', '1 invisible U+200B'],
    ['a\u2060b', '1 invisible U+2060'],
    ['a\ufeffb', '1 invisible U+FEFF'],
    ['a\u00adb', '1 invisible U+00AD'],
    ['a\u034fb', '1 invisible U+034F'],
    ['a\u3164b', '1 invisible U+3164'],
    ['a\u2800b', '1 invisible U+2800'],
    ['a\u200db', '1 invisible U+200D'],
    ['a\u200cb', '1 invisible U+200C'],
    ['a\ufe0fb', '1 invisible U+FE0F'],
    ['a\u2028b', '1 invisible U+2028'],
    ['a\u{E0100}b', '1 invisible U+E0100'],
    ['a\u{1D173}b', '1 invisible U+1D173'],
    ['a\u202eb', '1 bidi U+202E'],
    ['a\u2066b', '1 bidi U+2066'],
    ['a\u200fb', '1 bidi U+200F'],
    ['a\u061cb', '1 bidi U+061C'],
    ['a\u{E0041}b', '1 tag U+E0041'],
    ['\u{1F3F4}\u{E0041}', '2 tag U+E0041'],
    ['a\u0000b', '1 control U+0000'],
    ['a\u001b[31m', '1 control U+001B'],
    ['a\u007fb', '1 control U+007F'],
    ['a\u0085b', '1 control U+0085'],
    ['a\ud800b', '1 control U+D800'],
  ])('%j', (text, expected) => {
    expect(hidden(text)).toEqual([expected]);
  });
});

describe('ordinary text has no hidden characters', () => {
  test.each([
    'plain text, with tabs\tand\r\nlines',
    'Zażółć gęślą jaźń, ÄÖÜß, naïve',
    '日本語とカタカナ、한국어, 中文。',
    'السلام عليكم',
    'می‌خواهم',
    'שלום עולם',
    'नमस्ते क्‍ष क्ष',
    'ภาษาไทย',
    '👨‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇩🇪 ❤️ ☎️ 1️⃣ 👁️‍🗨️',
    '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}',
    'ᠮᠣᠩᠭᠣᠯ\u180b',
    '葛\u{E0100}',
    '∑ ≠ → € “quotes” – …',
  ])('%s', (text) => {
    expect(hidden(text)).toEqual([]);
  });
});

describe('words that mix two scripts are found', () => {
  test.each([
    ['pаypal', 'Cyrillic'],
    ['admin и user', undefined],
    ['Привет', undefined],
    ['αdmin', 'Greek'],
    ['5 μm and kΩ', undefined],
    ['ｐassword', 'fullwidth'],
    ['ＡＢＣ', undefined],
    ['ᎪBC', 'Cherokee'],
    ['hоst', 'Cyrillic'],
    ['naïve café', undefined],
    ['日本語text', undefined],
  ])('%s', (text, script) => {
    expect(findLookalikes(text).map((it) => it.script)).toEqual(script === undefined ? [] : [script]);
  });
});

test('every reported character and word is at the reported index', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const it of findHidden(text)) expect(text.codePointAt(it.index)).toBe(it.codePoint);
      for (const it of findLookalikes(text))
        expect(text.slice(it.index, it.index + it.word.length)).toBe(it.word);
    }),
    { numRuns: 1000 },
  );
});

test('removing hidden characters ends after at most as many rounds as the text has characters', () => {
  const piece = fc.constantFrom(
    'a',
    'م',
    '\u200d',
    '\u200c',
    '👩',
    '\ufe0f',
    '\u{E0067}',
    '🏴',
    '\u{E007F}',
    '\u202e',
    '葛',
    '\u{E0100}',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      let text = pieces.join('');
      for (let round = 0; round <= pieces.length; round++) {
        const found = findHidden(text);
        if (found.length === 0) return;
        for (const it of found.reverse()) {
          text = text.slice(0, it.index) + text.slice(it.index + String.fromCodePoint(it.codePoint).length);
        }
      }
      expect(findHidden(text)).toEqual([]);
    }),
  );
});

test('printable ASCII text is never reported', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
      expect(findHidden(text)).toEqual([]);
      expect(findLookalikes(text)).toEqual([]);
    }),
  );
});

const corpus = join(import.meta.dirname, '../../../shared/data/blns.json.gz');

describe.skipIf(!existsSync(corpus))('naughty strings (needs ../shared/data)', () => {
  test('every string is checked without an exception, and known hidden characters are found', () => {
    const strings = naughty();
    expect(strings.length).toBeGreaterThan(300);
    const caught = strings.filter((text) => findHidden(text).length > 0);
    for (const text of strings) {
      for (const it of findHidden(text)) expect(text.codePointAt(it.index)).toBe(it.codePoint);
      expect(() => findLookalikes(text)).not.toThrow();
    }
    expect(caught.some((text) => text.includes('\u202a'))).toBe(true);
    expect(caught.some((text) => text.includes('\u200b'))).toBe(true);
    // Printable ASCII is never reported.
    expect(caught.filter((text) => /^[\x20-\x7e\t\n\r]*$/.test(text))).toEqual([]);
  });
});

function naughty(): string[] {
  const data: unknown = JSON.parse(gunzipSync(readFileSync(corpus)).toString('utf8'));
  const strings: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === 'string') strings.push(value);
    else if (typeof value === 'object' && value !== null) for (const it of Object.values(value)) visit(it);
  };
  visit(data);
  return strings;
}
