// Personal data with right check digits, the same with wrong ones, and phone numbers as people write them. The check digits
// are computed here once more, by other code than the scanner's.
import { createHash } from 'node:crypto';
import { chance } from '../chance.mjs';
import { halfOf } from './split.mjs';

const digits = '0123456789';
const says = [
  (it) => it,
  (it) => `customer ${it}, paid`,
  (it) => `My number is ${it}.`,
  (it) => `{"id":7,"value":"${it}"}`,
  (it) => `name;${it};city`,
  (it) => `see (${it}) and answer`,
];

const luhn = (body) => {
  const sum = [...body].reverse().reduce((total, it, at) => {
    const value = Number(it) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
};
const withLuhn = (body) => body + luhn(body);
const groups = (text, sizes, between) => {
  const ends = sizes.map((_, index) => sizes.slice(0, index + 1).reduce((sum, it) => sum + it, 0));
  return sizes.map((size, index) => text.slice(ends[index] - size, ends[index])).join(between);
};
const weighted = (body, weights) => [...body].reduce((sum, it, at) => sum + Number(it) * weights[at], 0);
const day = (lot) => String(1 + lot.below(28)).padStart(2, '0');
const month = (lot) => String(1 + lot.below(12)).padStart(2, '0');
const pair = (lot) => lot.text(2, digits);

const ibanBodies = {
  DE: (lot) => lot.text(18, digits),
  FR: (lot) => lot.text(23, digits),
  GB: (lot) => `NWBK${lot.text(14, digits)}`,
  NL: (lot) => `ABNA${lot.text(10, digits)}`,
  ES: (lot) => lot.text(20, digits),
  IT: (lot) => `X${lot.text(22, digits)}`,
  PL: (lot) => lot.text(24, digits),
  CH: (lot) => lot.text(17, digits),
  MT: (lot) => `MALT${lot.text(5, digits)}${lot.text(18, digits)}`,
  NO: (lot) => lot.text(11, digits),
};
function iban(country, body) {
  const moved = `${body}${country}00`.replace(/[A-Z]/g, (it) => String(it.charCodeAt(0) - 55));
  return `${country}${String(98n - (BigInt(moved) % 97n)).padStart(2, '0')}${body}`;
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
function bitcoin(lot) {
  const body = Buffer.from(`00${lot.text(40, '0123456789abcdef')}`, 'hex');
  const twice = createHash('sha256').update(createHash('sha256').update(body).digest()).digest();
  let number = BigInt(`0x${Buffer.concat([body, twice.subarray(0, 4)]).toString('hex')}`);
  let text = '';
  for (; number > 0n; number /= 58n) text = base58[Number(number % 58n)] + text;
  return `1${text}`;
}

const numbers = {
  'credit_card visa': (lot) => withLuhn(`4${lot.text(14, digits)}`),
  'credit_card mastercard': (lot) => withLuhn(`5${1 + lot.below(5)}${lot.text(13, digits)}`),
  'credit_card amex': (lot) => withLuhn(`37${lot.text(12, digits)}`),
  'credit_card discover': (lot) => withLuhn(`6011${lot.text(11, digits)}`),
  'credit_card spaced': (lot) => groups(withLuhn(`4${lot.text(14, digits)}`), [4, 4, 4, 4], ' '),
  'credit_card dashed': (lot) => groups(withLuhn(`51${lot.text(13, digits)}`), [4, 4, 4, 4], '-'),
  ...Object.fromEntries(
    Object.entries(ibanBodies).flatMap(([country, body]) => [
      [`iban ${country}`, (lot) => iban(country, body(lot))],
      [`iban ${country} spaced`, (lot) => iban(country, body(lot)).replace(/.{4}(?=.)/g, '$& ')],
    ]),
  ),
  'crypto_wallet bitcoin': bitcoin,
  'national_id Sweden': (lot) => {
    const body = `${pair(lot)}${month(lot)}${day(lot)}${lot.text(3, digits)}`;
    return `${body.slice(0, 6)}-${body.slice(6)}${luhn(body)}`;
  },
  'national_id Canada': (lot) => groups(withLuhn(`1${lot.text(7, digits)}`), [3, 3, 3], '-'),
  'national_id South Africa': (lot) =>
    withLuhn(`${pair(lot)}${month(lot)}${day(lot)}${lot.text(4, digits)}08`),
  'national_id Poland': (lot) => {
    const body = `${pair(lot)}${month(lot)}${day(lot)}${lot.text(4, digits)}`;
    return body + ((10 - (weighted(body, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10);
  },
  'national_id Spain': (lot) => {
    const body = lot.text(8, digits);
    return body + 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(body) % 23];
  },
  'national_id Spain foreigner': (lot) => {
    const body = lot.text(7, digits);
    return `Y${body}${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(`1${body}`) % 23]}`;
  },
  'national_id Finland': (lot) => {
    const date = `${day(lot)}${month(lot)}${pair(lot)}`;
    const serial = String(2 + lot.below(897)).padStart(3, '0');
    return `${date}-${serial}${'0123456789ABCDEFHJKLMNPRSTUVWXY'[Number(date + serial) % 31]}`;
  },
  'national_id Brazil': (lot) => {
    let body = `3${lot.text(8, digits)}`;
    for (let count = 9; count < 11; count++)
      body += (([...body].reduce((sum, it, at) => sum + Number(it) * (count + 1 - at), 0) * 10) % 11) % 10;
    return `${groups(body.slice(0, 9), [3, 3, 3], '.')}-${body.slice(9)}`;
  },
  'national_id France': (lot) => {
    const body = `1${pair(lot)}${month(lot)}75${lot.text(6, digits)}`;
    return body + String(97n - (BigInt(body) % 97n)).padStart(2, '0');
  },
  'national_id Thailand': (lot) => {
    const body = `110${lot.text(9, digits)}`;
    return body + ((11 - (weighted(body, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10);
  },
  'national_id Thailand dashed': (lot) => {
    const body = `310${lot.text(9, digits)}`;
    const all = body + ((11 - (weighted(body, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10);
    return groups(all, [1, 4, 5, 2, 1], '-');
  },
  'national_id Turkey': (lot) => {
    const body = `2${lot.text(8, digits)}`;
    const odd = weighted(body, [7, -1, 7, -1, 7, -1, 7, -1, 7]);
    const ten = body + (((odd % 10) + 10) % 10);
    return ten + ([...ten].reduce((sum, it) => sum + Number(it), 0) % 10);
  },
};

/** A digit is another one, so that no check digit is right; the last digit for those with one check digit. */
const spoiled = (text) => text.replace(/\d(?=\D*$)/, (it) => String((Number(it) + 5) % 10));

const d = (lot, count) => lot.text(count, digits);
const area = (lot) => `${2 + lot.below(8)}${d(lot, 2)}`;
const exchange = (lot) => `${2 + lot.below(8)}${d(lot, 2)}`;
const phones = {
  'US, brackets': (lot) => `(${area(lot)}) ${exchange(lot)}-${d(lot, 4)}`,
  'US, dashes': (lot) => `${area(lot)}-${exchange(lot)}-${d(lot, 4)}`,
  'US, dots': (lot) => `${area(lot)}.${exchange(lot)}.${d(lot, 4)}`,
  'US, plus': (lot) => `+1 ${area(lot)} ${exchange(lot)} ${d(lot, 4)}`,
  'US, one piece': (lot) => `+1${area(lot)}${exchange(lot)}${d(lot, 4)}`,
  'UK mobile': (lot) => `07${d(lot, 3)} ${d(lot, 6)}`,
  'UK, plus': (lot) => `+44 20 7${d(lot, 3)} ${d(lot, 4)}`,
  'UK, bracketed zero': (lot) => `+44 (0)20 7${d(lot, 3)} ${d(lot, 4)}`,
  'Germany, slash': (lot) => `030/${2 + lot.below(7)}${d(lot, 7)}`,
  'Germany, plus': (lot) => `+49 89 ${2 + lot.below(7)}${d(lot, 7)}`,
  'Germany mobile': (lot) => `0171 ${2 + lot.below(7)}${d(lot, 6)}`,
  'Germany, double zero': (lot) => `0049 171 ${2 + lot.below(7)}${d(lot, 6)}`,
  'France, pairs': (lot) => `06 ${d(lot, 2)} ${d(lot, 2)} ${d(lot, 2)} ${d(lot, 2)}`,
  'France, dots': (lot) => `01.${d(lot, 2)}.${d(lot, 2)}.${d(lot, 2)}.${d(lot, 2)}`,
  'France, plus': (lot) => `+33 6 ${d(lot, 2)} ${d(lot, 2)} ${d(lot, 2)} ${d(lot, 2)}`,
  'Spain, plus': (lot) => `+34 6${d(lot, 2)} ${d(lot, 3)} ${d(lot, 3)}`,
  'Italy, plus': (lot) => `+39 3${d(lot, 2)} ${d(lot, 7)}`,
  'Brazil, plus': (lot) => `+55 11 9${d(lot, 4)}-${d(lot, 4)}`,
  'Brazil, brackets': (lot) => `(11) 9${d(lot, 4)}-${d(lot, 4)}`,
  'India, plus': (lot) => `+91 9${d(lot, 4)} ${d(lot, 5)}`,
  'India, groups': (lot) => `9${d(lot, 4)} ${d(lot, 5)}`,
  'India, dashes': (lot) => `91-${area(lot)}-${exchange(lot)}-${d(lot, 4)}`,
  'China mobile': (lot) => `13${d(lot, 9)}`,
  'China, plus': (lot) => `+86 138 ${d(lot, 4)} ${d(lot, 4)}`,
  'Japan, dashes': (lot) => `090-${d(lot, 4)}-${d(lot, 4)}`,
  'Japan, plus': (lot) => `+81 90 ${d(lot, 4)} ${d(lot, 4)}`,
  'Australia mobile': (lot) => `04${d(lot, 2)} ${d(lot, 3)} ${d(lot, 3)}`,
  'Australia, brackets': (lot) => `(02) 9${d(lot, 3)} ${d(lot, 4)}`,
  'Turkey mobile': (lot) => `05${d(lot, 2)} ${d(lot, 3)} ${d(lot, 2)} ${d(lot, 2)}`,
  'Turkey, no zero': (lot) => `53${d(lot, 1)} ${d(lot, 3)} ${d(lot, 2)} ${d(lot, 2)}`,
  'Poland, plus': (lot) => `+48 5${d(lot, 2)} ${d(lot, 3)} ${d(lot, 3)}`,
  'Netherlands mobile': (lot) => `06-${1 + lot.below(8)}${d(lot, 7)}`,
  'Philippines mobile': (lot) => `0917${d(lot, 7)}`,
  'Singapore, plus': (lot) => `+65 9${d(lot, 3)} ${d(lot, 4)}`,
  'Korea mobile': (lot) => `010-${1 + lot.below(8)}${d(lot, 3)}-${d(lot, 4)}`,
  'Nigeria, plus': (lot) => `+234 80${d(lot, 1)} ${d(lot, 3)} ${d(lot, 4)}`,
  'Ireland, plus': (lot) => `+353 86 ${1 + lot.below(8)}${d(lot, 2)} ${d(lot, 4)}`,
};
/** Phone numbers that only the word before them shows. */
const called = {
  'Singapore, groups': (lot) => `9${d(lot, 3)} ${d(lot, 4)}`,
  'Poland, groups': (lot) => `5${d(lot, 2)} ${d(lot, 3)} ${d(lot, 3)}`,
  'Spain, one piece': (lot) => `6${d(lot, 8)}`,
  'US, one piece': (lot) => `${area(lot)}${exchange(lot)}${d(lot, 4)}`,
  'Turkey, landline': (lot) => `312${d(lot, 7)}`,
};
const callers = ['phone', 'Tel.', 'mobile:', 'call me at', 'Telefon:', 'cell', 'WhatsApp'];
const notPhones = {
  date: () => '2026-01-17',
  'date and time': () => '17.01.2026 10:20:30',
  version: (lot) => `10.${d(lot, 2)}.${d(lot, 4)}.1`,
  amount: (lot) => `${1 + lot.below(9)},${d(lot, 3)},${d(lot, 3)}.00`,
  timestamp: (lot) => `17${d(lot, 8)}`,
  milliseconds: (lot) => `17${d(lot, 11)}`,
  address: (lot) => `198.51.100.${lot.below(250)}`,
  isbn: (lot) => `978-3-${d(lot, 2)}-${d(lot, 6)}-${d(lot, 1)}`,
  uuid: (lot) => `${d(lot, 8)}-${d(lot, 4)}-4${d(lot, 3)}-8${d(lot, 3)}-${d(lot, 12)}`,
  order: (lot) => `ORD-${d(lot, 8)}`,
  range: (lot) => `pages 100-${110 + lot.below(90)}`,
  coordinates: (lot) => `52.${d(lot, 6)}, 13.${d(lot, 6)}`,
};

/** By kind: the target, and cases. `secret` must go; a case without one must stay as it is. */
export function generatedPersonal(seed = 616, rounds = 3) {
  const lot = chance(seed);
  const kinds = {
    'with a checksum': { target: 0.98, cases: [] },
    'wrong check digit stays': { target: 0.95, cases: [] },
    phone: { target: 0.95, cases: [] },
    'phone after a word': { target: 0.95, cases: [] },
    'not a phone stays': { target: 0.98, cases: [] },
  };
  const add = (kind, name, text, category, secret) =>
    kinds[kind].cases.push({ name, text, category, half: halfOf(name), ...(secret && { secret }) });
  for (let round = 0; round < rounds; round++)
    for (const [at, say] of says.entries()) {
      for (const [name, make] of Object.entries(numbers)) {
        const [category] = name.split(' ');
        const number = make(lot);
        add('with a checksum', `${name}, ${at}`, say(number), category, number);
        if (/Luhn|credit|iban/.test(name))
          add('wrong check digit stays', `${name}, ${at}`, say(spoiled(number)), category);
      }
      for (const [name, make] of Object.entries(phones)) {
        const number = make(lot);
        add('phone', `${name}, ${at}`, say(number), 'phone', number);
      }
      for (const [name, make] of Object.entries(called))
        for (const caller of callers) {
          const number = make(lot);
          add('phone after a word', `${name}, ${at}, ${caller}`, `${caller} ${number}`, 'phone', number);
        }
      for (const [name, make] of Object.entries(notPhones))
        add('not a phone stays', `${name}, ${at}`, says[at === 2 ? 1 : at](make(lot)), 'phone');
    }
  return kinds;
}
