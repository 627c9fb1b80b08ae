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

/** All numbers of a text as canonical decimals, those in English words included. */
export function amountsIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const [it] of plainDigits(text).matchAll(number)) {
    const value = decimalOf(it);
    if (value !== undefined) found.add(value);
  }
  if (numberWord.test(text)) for (const it of numbersInWords(text)) found.add(it);
  return found;
}

const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const scales: Readonly<Record<string, number>> = { hundred: 100, thousand: 1000, million: 1e6, billion: 1e9 };
const numberWord =
  /\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million)\b/i;

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
    } else if (scale !== undefined && (isOpen || word !== 'hundred')) {
      if (scale === 100) group = Math.max(1, group) * 100;
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
