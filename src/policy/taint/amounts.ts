// Amounts in texts, so that "two hundred", "1,235.60" and 1235.6 are found as the same number.
import { plainDigits } from './folded-text.js';

const number = /\d+(?:[.,' ]\d{3})*(?:[.,]\d+)?|\d+/g;

/** Canonical decimal of a number as people write it. */
export function decimalOf(text: string): string | undefined {
  const digits = plainDigits(text).replace(/[' ]/g, '');
  if (!/^\d+(?:[.,]\d+)*$/.test(digits)) return undefined;
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const parts = digits.split(/[.,]/);
  const tail = parts.at(-1) as string;
  const isGrouped = last !== -1 && tail.length === 3 && parts.length > 1 && (parts[0] as string).length <= 3;
  const value =
    last === -1 || isGrouped
      ? digits.replace(/[.,]/g, '')
      : `${digits.slice(0, last).replace(/[.,]/g, '')}.${tail}`;
  const [whole = '0', fraction = ''] = value.split('.');
  const short = fraction.replace(/0+$/, '');
  return `${whole.replace(/^0+(?=\d)/, '')}${short === '' ? '' : `.${short}`}`;
}

/**
 * Canonical decimal of a value that is one amount, however it is written: `-250`, `1e3`, `0x3E8`, `250 EUR`, `two hundred`.
 * Undefined: it is none.
 */
export function statedAmount(text: string): string | undefined {
  const written = plainDigits(text)
    .normalize('NFKC')
    .replace(/\p{Sc}/gu, '')
    .replace(/^[\s+-]+/, '')
    .trim();
  if (computed.test(written)) {
    const value = Number(written);
    return Number.isSafeInteger(value) ? String(value) : written;
  }
  const bare = written.replace(currency, (it) => (numberWords.has(it.toLowerCase()) ? it : '')).trim();
  const plain = decimalOf(bare);
  if (plain !== undefined) return plain;
  const words = bare.toLowerCase().match(/[a-z]+|[^\sa-z-]+/g) ?? [];
  const others = words.filter((it) => !numberWords.has(it));
  if (others.length > 1 || others.some((it) => decimalOf(it) === undefined)) return undefined;
  if (words.every((it) => others.includes(it) || /^(?:an?|and)$/.test(it))) return undefined;
  // The last one is the whole amount: `2 thousand` contains 2 too.
  return [...amountsIn(bare)].at(-1);
}

/** A code of three letters beside a number. */
const currency = /(?<![A-Za-z])[A-Za-z]{3}(?=\s*\d)|(?<=\d\s?)[A-Za-z]{3}(?![A-Za-z])/g;
/** As programs write numbers. */
const computed = /^(?:\d+(?:\.\d+)?e\+?\d{1,2}|0x[0-9a-f]{1,12}|0b[01]{1,48}|0o[0-7]{1,16})$/i;

/** All numbers of a text as canonical decimals, those in English words included. */
export function amountsIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const [it] of plainDigits(text).matchAll(number)) {
    const value = decimalOf(it);
    if (value !== undefined) found.add(value);
  }
  for (const [, count = '', scale = 'm'] of plainDigits(text).matchAll(scaled)) {
    const value = Number(decimalOf(count)) * (scales[scale.toLowerCase()] as number);
    if (Number.isSafeInteger(Math.round(value))) found.add(String(Number(value.toPrecision(15))));
  }
  if (numberWord.test(text)) {
    for (const it of numbersInWords(text)) found.add(it);
    for (const [it] of text.toLowerCase().matchAll(digitWords))
      found.add(
        String(
          decimalOf(
            it
              .match(/[a-z]+/g)
              ?.map(digitOf)
              .join('') ?? '',
          ),
        ),
      );
  }
  return found;
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const scales: Readonly<Record<string, number>> = {
  ...{ dozen: 12, hundred: 100, thousand: 1000, million: 1e6, billion: 1e9 },
  ...{ k: 1000, m: 1e6, mio: 1e6, bn: 1e9 },
};
const numberWords = new Set([...small, ...tens, ...Object.keys(scales), 'and', 'a', 'an', 'oh']);
/** `2k`, `1.5 million`; `5 m` is a length. */
const scaled = /(?<![\d.,])(\d+(?:[.,]\d+)?)(?:[ -]?(k|mio|bn|dozen|hundred|thousand|million|billion)|m)\b/gi;
/** `one five zero`, digit by digit */
const digitWords =
  /\b(?:oh|zero|one|two|three|four|five|six|seven|eight|nine)(?:[\s,.-]+(?:oh|zero|one|two|three|four|five|six|seven|eight|nine))+\b/g;

function digitOf(word: string): number {
  return Math.max(0, small.indexOf(word));
}

const numberWord =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozen|hundred|thousand|million)\b/i;

function numbersInWords(text: string): string[] {
  const found: string[] = [];
  let total = 0;
  let group = 0;
  let isOpen = false;
  const close = () => {
    if (isOpen) found.push(String(total + group));
    total = 0;
    group = 0;
    isOpen = false;
  };
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+|[^a-z\s-]+/g)) {
    const unit = small.indexOf(word);
    const ten = tens.indexOf(word);
    const scale = scales[word];
    if (unit !== -1) {
      if (isOpen && group % 100 !== 0 && (unit > 9 || group % 10 !== 0)) close();
      group += unit;
      isOpen = true;
    } else if (ten !== -1) {
      if (isOpen && group % 100 !== 0) close();
      group += (ten + 2) * 10;
      isOpen = true;
    } else if (scale !== undefined && word.length > 3) {
      if (scale <= 100) group = Math.max(1, group) * scale;
      else {
        total += Math.max(1, group) * scale;
        group = 0;
      }
      isOpen = true;
    } else if (!(word === 'and' && isOpen)) close();
  }
  close();
  return found;
}
