import { digitsOf, isInsideWord, passesLuhn, type SpanFinder, type TextSpan } from './text-span.js';

/** Card numbers: groups of digits with one space or hyphen between them. A date or code may follow. */
export const findCards: SpanFinder = (text) => {
  const found: TextSpan[] = [];
  for (const run of text.matchAll(/\d+(?:[ -]\d+)*/g)) {
    // Decimal places are not a card number.
    if (/[\d\uF8FF][.,]$/.test(text.slice(Math.max(0, run.index - 2), run.index))) continue;
    const groups = [...run[0].matchAll(/\d+/g)].map((it) => ({
      start: run.index + it.index,
      end: run.index + it.index + it[0].length,
    }));
    for (let first = 0; first < groups.length; ) {
      const last = cardEnd(text, groups, first);
      if (last === undefined) {
        first++;
        continue;
      }
      found.push({ start: (groups[first] as TextSpan).start, end: (groups[last] as TextSpan).end });
      first = last + 1;
    }
  }
  return found;
};

/** Index of the last group of the longest card number that begins with the group `first`. */
function cardEnd(text: string, groups: readonly TextSpan[], first: number): number | undefined {
  const { start } = groups[first] as TextSpan;
  let best: number | undefined;
  let digits = '';
  for (let last = first; last < groups.length && digits.length <= 19; last++) {
    const group = groups[last] as TextSpan;
    digits += text.slice(group.start, group.end);
    if (isCard(digits) && !isInsideWord(text, { start, end: group.end })) best = last;
  }
  return best;
}

/** First digits of card issuers, and the lengths they use. */
const issuers: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^5[0-9]/, [13, 14, 15, 16, 17, 18, 19]],
  [/^2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|095|[689])/, [14, 16, 19]],
  [/^35/, [16, 17, 18, 19]],
  [/^6/, [13, 14, 15, 16, 17, 18, 19]],
  [/^1/, [15]],
];

function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19) return false;
  const known = issuers.some(([prefix, lengths]) => lengths.includes(digits.length) && prefix.test(digits));
  return known && passesLuhn(digitsOf(digits));
}

const ibanLengths: Readonly<Record<string, number>> = Object.fromEntries(
  [
    'NO15 BE16 DK18 FI18 FK18 FO18 GL18 NL18 SD18 MK19 SI19 AT20 BA20 EE20 KZ20 LT20 LU20 MN20 XK20',
    'CH21 HR21 LI21 LV21 BG22 BH22 CR22 DE22 GB22 GE22 IE22 ME22 RS22 VA22 AE23 GI23 IL23 IQ23 OM23',
    'SO23 TL23 AD24 CZ24 ES24 MD24 PK24 RO24 SA24 SE24 SK24 TN24 VG24 LY25 PT25 ST25 IS26 TR26 BI27',
    'DJ27 FR27 GR27 IT27 MC27 MR27 SM27 AL28 AZ28 BY28 CY28 DO28 GT28 HN28 HU28 LB28 NI28 PL28 SV28',
    'BR29 EG29 PS29 QA29 UA29 JO30 KW30 MU30 YE30 MT31 SC31 LC32 RU33',
  ]
    .join(' ')
    .split(' ')
    .map((it) => [it.slice(0, 2), Number(it.slice(2))]),
);

/** IBANs with the length of their country, in one piece or with single spaces or hyphens. */
export const findIbans: SpanFinder = (text) => {
  const found: TextSpan[] = [];
  for (const { index: start } of text.matchAll(/[A-Za-z]{2}[ -]?\d[ -]?\d/g)) {
    const length = ibanLengths[text.slice(start, start + 2).toUpperCase()];
    const end = length === undefined ? undefined : endAfter(text, start, length);
    if (end === undefined || isInsideWord(text, { start, end })) continue;
    if (mod97(text.slice(start, end).replace(/[ -]/g, '').toUpperCase()) === 1) found.push({ start, end });
  }
  return found;
};

function endAfter(text: string, start: number, length: number): number | undefined {
  let left = length;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (/[A-Za-z0-9]/.test(character)) left--;
    else if (!/[ -]/.test(character) || !/[A-Za-z0-9]/.test(text.charAt(at + 1))) return undefined;
    if (left === 0) return at + 1;
  }
  return undefined;
}

/** ISO 7064: country and check digits move to the end, letters count from 10. */
function mod97(iban: string): number {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
