import { cleanText } from '../../../model/clean-text.js';

/** Letters of other scripts that look like Latin ones. */
const letters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    һ: 'h',
    і: 'i',
    ј: 'j',
    к: 'k',
    м: 'm',
    н: 'h',
    о: 'o',
    р: 'p',
    ѕ: 's',
    т: 't',
    у: 'y',
    х: 'x',
    ѵ: 'v',
    ԝ: 'w',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    '’': "'",
    '‘': "'",
    '“': '"',
    '”': '"',
    '–': '-',
    '—': '-',
    '…': '...',
  }),
);

/**
 * The text as rules read it: without invisible characters, compatibility forms replaced, look-alikes as Latin letters,
 * lower case, single spaces. Emphasis marks between letters are dropped.
 */
export function plainText(text: string): string {
  const folded = cleanText(text).normalize('NFKC').toLowerCase();
  const latin = /[^\u0000-\u007f]/.test(folded)
    ? [...folded].map((it) => letters.get(it) ?? it).join('')
    : folded;
  return latin
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[*_~`]{2,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
