// National identity and tax numbers. Those with a check digit count when it is right; those without need their usual
// format with separators.
import {
  digitsOf,
  passesLuhn,
  patternFinder,
  type SpanFinder,
  type TextSpan,
  weightedSum,
} from './text-span.js';

interface Kind {
  readonly pattern: RegExp;
  readonly check: (match: string) => boolean;
}

const kinds: readonly Kind[] = [
  // United States: social security, and taxpayers without it.
  { pattern: /(?<![\d\uF8FF-])\d{3}([- ])\d{2}\1\d{4}(?!-?[\d\uF8FF])/g, check: isAmerican },
  // Canada.
  {
    pattern: /(?<![\d\uF8FF-])[1-79]\d{2}([- ]?)\d{3}\1\d{3}(?![- ]?[\d\uF8FF])/g,
    check: (it) => passesLuhn(digitsOf(it)) && hasDifferentDigits(it),
  },
  // Brazil.
  { pattern: /\d{3}\.\d{3}\.\d{3}-\d{2}/g, check: isBrazilian },
  // United Kingdom.
  {
    pattern: /(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]/gi,
    check: () => true,
  },
  // Spain, for citizens and foreigners.
  { pattern: /[XYZ\d]\d{7}-?[A-HJ-NP-TV-Z]/gi, check: isSpanish },
  // Italy.
  { pattern: /[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]/gi, check: isItalian },
  // Finland.
  { pattern: /\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/g, check: isFinnish },
  // Sweden.
  { pattern: /(?:19|20)\d{6}-?\d{4}|(?<!\d)\d{6}[-+]\d{4}/g, check: isSwedish },
  // Korea.
  { pattern: /\d{6}-?[1-4]\d{6}/g, check: isKorean },
  // Singapore.
  { pattern: /[STFG]\d{7}[A-Z]/gi, check: isSingaporean },
  // France.
  { pattern: /[12] ?\d{2} ?(?:0[1-9]|1[0-2]) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}/g, check: isFrench },
  // India.
  { pattern: /(?<![\d\uF8FF-])[2-9]\d{3}([ :-]?)\d{4}\1\d{4}(?![ :-]?[\d\uF8FF])/g, check: isIndian },
  // Eleven digits: Poland, Germany, Turkey. Thirteen: South Africa, Thailand.
  { pattern: /\d{11}/g, check: (it) => isPolish(it) || isGerman(it) || isTurkish(it) },
  { pattern: /\d{13}/g, check: (it) => isSouthAfrican(it) || isThai(it) },
  {
    pattern: /(?<![\d\uF8FF-])\d([- ])\d{4}\1\d{5}\1\d{2}\1\d(?!-?[\d\uF8FF])/g,
    check: (it) => isThai(it.replace(/\D/g, '')),
  },
  // The same numbers in the groups that people write.
  {
    pattern: /(?<![\d\uF8FF-])\d{6}[ -]?\d{4}[ -]?\d{2}[ -]?\d(?!-?[\d\uF8FF])/g,
    check: (it) => isSouthAfrican(it.replace(/\D/g, '')),
  },
  {
    pattern: /(?<![\d\uF8FF-])\d{2}([ -]?)\d{3}\1\d{3}\1\d{3}(?!-?[\d\uF8FF])/g,
    check: (it) => isGerman(it.replace(/\D/g, '')),
  },
];

const finders = kinds.map(({ pattern, check }) => patternFinder(pattern, check));

export const findNationalIds: SpanFinder = (text): TextSpan[] => finders.flatMap((it) => [...it(text)]);

function hasDifferentDigits(text: string): boolean {
  return new Set(digitsOf(text)).size > 1;
}

/** Whether this is a day of the calendar. */
function isDay(year: number, month: number, day: number): boolean {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

function pair(text: string, at: number): number {
  return Number(text.slice(at, at + 2));
}

function isAmerican(text: string): boolean {
  const [area, group, serial] = text.split(/[- ]/).map(Number) as [number, number, number];
  if (serial === 0 || text.replace(/\D/g, '') === '078051120') return false;
  if (area < 900) return area !== 0 && area !== 666 && group !== 0;
  return (group >= 50 && group <= 65) || (group >= 70 && group <= 88) || (group >= 90 && group !== 93);
}

function isBrazilian(text: string): boolean {
  const digits = digitsOf(text);
  const check = (count: number) => {
    const sum = digits.slice(0, count).reduce((total, it, index) => total + it * (count + 1 - index), 0);
    return ((sum * 10) % 11) % 10;
  };
  return hasDifferentDigits(text) && check(9) === digits[9] && check(10) === digits[10];
}

function isSpanish(text: string): boolean {
  const plain = text.toUpperCase().replace('-', '');
  const first = plain.charAt(0);
  const lead = 'XYZ'.includes(first) ? String('XYZ'.indexOf(first)) : first;
  return 'TRWAGMYFPDXBNJZSQVHLCKE'.charAt(Number(lead + plain.slice(1, 8)) % 23) === plain.charAt(8);
}

const oddPlaces = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
];

function isItalian(text: string): boolean {
  const plain = text.toUpperCase();
  let sum = 0;
  for (let index = 0; index < 15; index++) {
    const character = plain.charAt(index);
    const value = /\d/.test(character) ? Number(character) : character.charCodeAt(0) - 65;
    sum += index % 2 === 0 ? (oddPlaces[value] as number) : value;
  }
  return String.fromCharCode(65 + (sum % 26)) === plain.charAt(15);
}

function isFinnish(text: string): boolean {
  const century = text.charAt(6) === '+' ? 1800 : /[A-F]/.test(text.charAt(6)) ? 2000 : 1900;
  const number = Number(text.slice(0, 6) + text.slice(7, 10));
  const letter = '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(number % 31);
  return isDay(century + pair(text, 4), pair(text, 2), pair(text, 0)) && letter === text.charAt(10);
}

function isSwedish(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  const short = digits.slice(-10);
  const centuries = digits.length === 12 ? [pair(digits, 0) * 100] : [1900, 2000];
  const day = centuries.some((it) => isDay(it + pair(short, 0), pair(short, 2), pair(short, 4)));
  return day && passesLuhn(digitsOf(short));
}

/** Numbers since 2020 have no check digit, so numbers without a hyphen count only if the old check digit is right. */
function isKorean(text: string): boolean {
  const digits = digitsOf(text);
  const century = (digits[6] as number) <= 2 ? 1900 : 2000;
  const plain = digits.join('');
  if (!isDay(century + pair(plain, 0), pair(plain, 2), pair(plain, 4))) return false;
  const check = (11 - (weightedSum(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10;
  return text.includes('-') || check === digits[12];
}

function isSingaporean(text: string): boolean {
  const plain = text.toUpperCase();
  const first = plain.charAt(0);
  const sum = weightedSum(digitsOf(plain), [2, 7, 6, 5, 4, 3, 2]) + (first === 'T' || first === 'G' ? 4 : 0);
  const letters = first === 'S' || first === 'T' ? 'JZIHGFEDCBA' : 'XWUTRQPNMLK';
  return letters.charAt(sum % 11) === plain.charAt(8);
}

function isFrench(text: string): boolean {
  const plain = text.replaceAll(' ', '').replace('2A', '19').replace('2B', '18');
  return 97 - (Number(plain.slice(0, 13)) % 97) === Number(plain.slice(13));
}

function isPolish(text: string): boolean {
  const digits = digitsOf(text);
  const check = (10 - (weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10;
  const month = pair(text, 2);
  const century = [1900, 2000, 2100, 2200, 1800][Math.floor(month / 20)] as number;
  return check === digits[10] && isDay(century + pair(text, 0), month % 20, pair(text, 4));
}

/** ISO 7064 mod 11,10. Of the ten digits before the check digit, none may occur more than three times. */
function isGerman(text: string): boolean {
  const digits = digitsOf(text);
  const counts = [...'0123456789'].map((it) => text.slice(0, 10).split(it).length - 1);
  if (digits[0] === 0 || Math.max(...counts) > 3) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (digit + product) % 10 || 10;
    product = (sum * 2) % 11;
  }
  return (11 - product) % 10 === digits[10];
}

function isTurkish(text: string): boolean {
  const digits = digitsOf(text);
  if (digits[0] === 0) return false;
  const tenth = (((weightedSum(digits, [7, -1, 7, -1, 7, -1, 7, -1, 7]) % 10) + 10) % 10) as number;
  const eleventh = digits.slice(0, 10).reduce((sum, it) => sum + it, 0) % 10;
  return tenth === digits[9] && eleventh === digits[10];
}

function isSouthAfrican(text: string): boolean {
  const day = [1900, 2000].some((it) => isDay(it + pair(text, 0), pair(text, 2), pair(text, 4)));
  return day && /^\d{10}[0-2][0-9]\d$/.test(text) && passesLuhn(digitsOf(text));
}

function isThai(text: string): boolean {
  const digits = digitsOf(text);
  const check = (11 - (weightedSum(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10;
  return (
    /^[1-8](?:[134]\d|2[0-7]|5[0-8]|[67][0-7]|[89][0-6])/.test(text) &&
    hasDifferentDigits(text) &&
    check === digits[12]
  );
}

/** Verhoeff check digit: multiplication in the dihedral group of order ten. */
function isIndian(text: string): boolean {
  const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
  let check = 0;
  for (const [index, digit] of digitsOf(text).reverse().entries()) {
    let value = digit;
    for (let round = 0; round < index % 8; round++) value = permutation[value] as number;
    check = dihedral(check, value);
  }
  return check === 0;
}

function dihedral(a: number, b: number): number {
  if (a < 5) return b < 5 ? (a + b) % 5 : 5 + ((a + b) % 5);
  return b < 5 ? 5 + ((a - b + 5) % 5) : (a - b + 5) % 5;
}
