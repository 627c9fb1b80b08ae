import { isInsideWord, type SpanFinder, type TextSpan } from './text-span.js';

const local = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]/u;
const domain = /[\p{L}\p{N}.-]/u;

/** Searches from each `@` outwards, so that long texts without one cost nothing. */
export const findEmails: SpanFinder = (text) => {
  const found: TextSpan[] = [];
  let after = 0;
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at;
    while (start > after && at - start < 64 && local.test(text.charAt(start - 1))) start--;
    // Quotes and other signs around an address do not belong to it.
    while (start < at && !/[\p{L}\p{N}_]/u.test(text.charAt(start))) start++;
    let end = at + 1;
    while (end < text.length && end - at < 254 && domain.test(text.charAt(end))) end++;
    const host =
      /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+(?:\p{L}{2,63}|xn--[A-Za-z0-9]{1,59})(?![\p{L}\p{N}-])/u.exec(
        text.slice(at + 1, end),
      );
    if (start === at || host === null) continue;
    after = at + 1 + host[0].length;
    found.push({ start, end: after });
  }
  return found;
};

/** International numbers with + or 00, North American numbers in groups, and national numbers that begin with 0. */
export const findPhones: SpanFinder = (text) => {
  const found: TextSpan[] = [];
  const starts = /(?<![\d+])[+(\d]/g;
  for (let match = starts.exec(text); match !== null; match = starts.exec(text)) {
    const end = phoneEnd(text, match.index);
    if (end === undefined) continue;
    found.push({ start: match.index, end });
    starts.lastIndex = end;
  }
  return found;
};

const american = /(?:1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}/y;
/** Mobile numbers without a country code: groups of 3, 3, 2 and 2 digits, or with the first digits of mobile networks. */
const domestic = /[2-9]\d\d([ .-])\d{3}\1\d\d\1\d\d|1[3-9]\d{9}|5\d{9}|[6-9]\d{4}[ -]\d{5}/y;
/** An area code in brackets, or a country code without its plus sign before a number in groups. */
const grouped = /\(\d{2,4}\) ?\d{3,5}[ .-]\d{3,4}|[1-9]\d{0,2}([ .-])[2-9]\d\d\1\d{3}\1\d{4}/y;
/** After a word such as phone, numbers count in any groups. */
const afterWord = /[2-9]\d{0,4}(?:[ .-]?\d{2,5}){1,4}/y;
const phoneWord =
  /(?:phone|mobile|mobil|cell|fax|tel|whatsapp|hotline|telefon|handy|celular|m\u00f3vil|telefono|t\u00e9l\u00e9phone|telepono|call(?: (?:me|us|him|her|them))?(?: (?:at|on))?|sms(?: to)?|text me(?: at| on)?)\.?(?: (?:number|no\.?|nr\.?|is|numaram))*["']?\s{0,2}[:=]?\s{0,2}["'(]?$/i;
/** The area codes of Turkey, where nothing else is in the text. */
const bareLandline = /^[234][1-9][02468]\d{7}$/;

/** End of the longest phone number that begins here; another number may follow it. */
function phoneEnd(text: string, start: number): number | undefined {
  if (start === 0 && bareLandline.test(text)) return text.length;
  for (const pattern of [american, domestic, grouped]) {
    pattern.lastIndex = start;
    if (pattern.test(text) && isSeparateOrAfterWord(text, start, pattern.lastIndex)) return pattern.lastIndex;
  }
  return (
    groupEnds(text, start).findLast((end) => isSeparate(text, { start, end })) ?? endAfterWord(text, start)
  );
}

const maxPhoneWord = 40;

function endAfterWord(text: string, start: number): number | undefined {
  if (!/\d/.test(text.charAt(start)) || !phoneWord.test(text.slice(Math.max(0, start - maxPhoneWord), start)))
    return undefined;
  afterWord.lastIndex = start;
  if (!afterWord.test(text)) return undefined;
  const end = afterWord.lastIndex;
  const digits = text.slice(start, end).replace(/\D/g, '').length;
  return digits >= 8 && digits <= 13 && isSeparate(text, { start, end }) ? end : undefined;
}

/** A number in groups may follow a word without a space. */
function isSeparateOrAfterWord(text: string, start: number, end: number): boolean {
  if (isSeparate(text, { start, end })) return true;
  if (!/[ .-]/.test(text.slice(start, end))) return false;
  if (!/^\p{Ll}{2}$/u.test(text.slice(Math.max(0, start - 2), start))) return false;
  return isSeparate(` ${text.slice(start, end + 2)}`, { start: 1, end: 1 + end - start });
}

/** Not the middle of a word or of a longer number. */
function isSeparate(text: string, span: TextSpan): boolean {
  if (isInsideWord(text, span)) return false;
  const before = text.slice(Math.max(0, span.start - 2), span.start);
  return (
    !/[\d+\uF8FF][.,:/-]?$/.test(before) && !/^[.,:/-]?[\d\uF8FF]/.test(text.slice(span.end, span.end + 2))
  );
}

const maxDigits = 17;

/** The ends of all groups of digits up to which this could be a phone number. */
function groupEnds(text: string, start: number): number[] {
  const ends: number[] = [];
  // Numbers outside North America begin with + or 0.
  if (!/^(?:\(?\+|\(?0)/.test(text.slice(start, start + 2))) return ends;
  let digits = '';
  let open = 0;
  let gap = 0;
  for (let at = start; at < text.length && digits.length <= maxDigits; at++) {
    const character = text.charAt(at);
    if (/\d/.test(character)) {
      digits += character;
      gap = 0;
      if (open === 0 && !/\d/.test(text.charAt(at + 1)) && isPhone(digits, text.slice(start, at + 1)))
        ends.push(at + 1);
    } else if (character === '(') open++;
    else if (character === ')') open--;
    else if (!/[ ./+-]/.test(character) || (character === '+' && digits !== '')) break;
    if (++gap > 4 || open < 0 || open > 1) break;
  }
  return ends;
}

function isPhone(digits: string, text: string): boolean {
  if (digits.length < 8) return false;
  if (/^\(?\+/.test(text)) return isInternational(digits);
  if (digits.startsWith('00')) return isInternational(digits.slice(2));
  // Dates have groups of digits too.
  if (/^\d{1,2}[ ./-]\d{1,2}[ ./-]\d{4}/.test(text)) return false;
  if (!/^0[1-9]\d{7,9}$/.test(digits)) return false;
  return /\D/.test(text) || digits.length >= 10;
}

function isInternational(digits: string): boolean {
  if (digits.startsWith('1')) return /^1[2-9]\d\d[2-9]\d{6}$/.test(digits);
  return /^[2-9]\d{7,14}$/.test(digits);
}
