import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../model/json.js';
import { personalDataCategories, unknownPersonalData } from '../../model/personal-data.js';
import { redactPersonal } from './redact-personal.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const all = [...personalDataCategories];
const redact = (value: Json, categories: readonly string[] = all) =>
  redactPersonal(value, categories, sha256);

const personal: readonly (readonly [string, string])[] = [
  ['credit_card', 'pay with 4111 1111 1111 1111 12/27|pay with [redacted:credit_card] 12/27'],
  ['credit_card', 'order 17, card 5555-5555-5555-4444.|order 17, card [redacted:credit_card].'],
  ['credit_card', '378282246310005|[redacted:credit_card]'],
  ['credit_card', '17 4111111111111111 123|17 [redacted:credit_card] 123'],
  ['email', "to 'anna.b+x@mail.example.org', please|to '[redacted:email]', please"],
  ['email', '<jörg@müller.example>, mailto:a@b.co.|<[redacted:email]>, mailto:[redacted:email].'],
  ['phone', 'call +49 (30) 901820-0 now|call [redacted:phone] now'],
  ['phone', '(415) 555-0132 or 415.555.0132|[redacted:phone] or [redacted:phone]'],
  ['phone', '020 7946 0958, 0041 44 668 18 00|[redacted:phone], [redacted:phone]'],
  ['phone', 'in 2024 415-555-0132|in 2024 [redacted:phone]'],
  ['iban', 'IBAN GB29 NWBK 6016 1331 9268 19 and more|IBAN [redacted:iban] and more'],
  ['iban', 'de89370400440532013000|[redacted:iban]'],
  ['national_id', 'ssn 219-09-9999|ssn [redacted:national_id]'],
  ['national_id', '529.982.247-25 and 12345678Z|[redacted:national_id] and [redacted:national_id]'],
  ['national_id', '131052-308T, 44051401458|[redacted:national_id], [redacted:national_id]'],
  ['national_id', 'RSSMRA85T10A562S|[redacted:national_id]'],
  ['national_id', '2 55 08 14 168 025 38|[redacted:national_id]'],
  [
    'ip_address',
    'from 10.0.0.1:8080 to [2001:db8::1]|from [redacted:ip_address]:8080 to [[redacted:ip_address]]',
  ],
  ['ip_address', '::ffff:192.168.1.1.|[redacted:ip_address].'],
  ['mac_address', '00:1A:2b:3C:4D:5E or 0012.3456.789a|[redacted:mac_address] or [redacted:mac_address]'],
  ['crypto_wallet', 'send to 1BoatSLRHtKNngkdXEeobR76b53LETtpyT|send to [redacted:crypto_wallet]'],
  ['crypto_wallet', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4|[redacted:crypto_wallet]'],
  ['crypto_wallet', '0x52908400098527886E0F7030069857D2E4169EE7|[redacted:crypto_wallet]'],
];

test.each(personal)('%s: %s', (category, line) => {
  const [before, after] = line.split('|') as [string, string];
  expect(redact(before, [category])).toBe(after);
  // Without the category the text stays.
  expect(redact(before, [])).toBe(before);
});

describe('text that only resembles personal data stays', () => {
  test.each([
    '4111 1111 1111 1112',
    '1748503543012',
    'sha 4111111111111111f0',
    '0.4111111111111111',
    '99994111111111111111',
    'GB29 NWBK 6016 1331 9268 18',
    'XX29 NWBK 6016 1331 9268 19',
    '000-12-3456 and 666-12-3456',
    '219-00-9999, 219-09-0000',
    '12345678A',
    '44051401459',
    '529.982.247-26',
    'version 1.2.3 and 1.2.3.4.5',
    '300.1.1.1',
    'at 12:30:45, ratio 1:2:3:4',
    'std::cout, a::',
    '00:1A:2B:3C:4D',
    'FF:FF:FF:FF:FF:FF',
    '1BoatSLRHtKNngkdXEeobR76b53LETtpyU',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    '0x52908400098527886E0F7030069857D2E4169EE',
    'user@host, @name, a@b',
    '2024-05-06 10:30:00, 01-02-2023 10:30',
    '123-456-7890',
    'build 1234567890, id 20240506123456',
    'a 3.14159265358979, 1e21',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

test('structure, keys and types stay; a number that is a card becomes a placeholder', () => {
  const value = {
    'a@b.example.org': [4111111111111111, 4111111111111112, true, null],
    deep: { to: 'a@b.example.org', amount: 17.5 },
  };
  const before = structuredClone(value);
  expect(redact(value)).toEqual({
    'a@b.example.org': ['[redacted:credit_card]', 4111111111111112, true, null],
    deep: { to: '[redacted:email]', amount: 17.5 },
  });
  expect(value).toEqual(before);
  expect(redact(JSON.parse('{"__proto__":"a@b.example.org"}'))).toEqual(
    JSON.parse('{"__proto__":"[redacted:email]"}'),
  );
});

test('an unknown category is an error', () => {
  expect(unknownPersonalData(['email', 'shoe_size'])).toEqual(['shoe_size']);
  expect(() => redact('x', ['shoe_size'])).toThrow();
});

const pieces = fc.oneof(
  fc.constantFrom(...personal.map(([, line]) => line.split('|')[0] as string)),
  fc.constantFrom(' ', '-', '.', ':', '@', '+', '0', '1', '41', 'a', '[', ']', '(', ')', '/', ',', '\n'),
  fc.stringMatching(/^[0-9 .:()+-]{1,12}$/),
);

test('a second pass changes nothing, and the remaining text is unchanged', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 10 }), (parts) => {
      const text = parts.join('');
      const once = redact(text) as string;
      expect(redact(once)).toBe(once);
      let at = 0;
      for (const kept of once.split(/\[redacted:[a-z_]+\]/)) {
        at = text.indexOf(kept, at);
        expect(at).toBeGreaterThanOrEqual(0);
        at += kept.length;
      }
    }),
    { numRuns: 2000 },
  );
});

test('card numbers are found with every separator, and only with a valid check digit', () => {
  const card = fc.stringMatching(/^4[0-9]{14}$/).map((start) => {
    const digit = [...'0123456789'].find((it) => sumOf(start + it) % 10 === 0);
    return start + digit;
  });
  fc.assert(
    fc.property(card, fc.constantFrom('', ' ', '-'), (number, separator) => {
      const written = (number.match(/.{4}/g) as string[]).join(separator);
      expect(redact(`a ${written}, b`, ['credit_card'])).toBe('a [redacted:credit_card], b');
      const wrong = written.replace(/\d$/, (it) => String((Number(it) + 1) % 10));
      expect(redact(`a ${wrong}, b`, ['credit_card'])).toBe(`a ${wrong}, b`);
    }),
  );
});

/** Luhn sum, implemented differently from the code under test. */
function sumOf(digits: string): number {
  const table = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
  return [...digits].reduceRight(
    (sum, it, index) =>
      sum + ((digits.length - 1 - index) % 2 === 1 ? (table[Number(it)] as number) : Number(it)),
    0,
  );
}

const corpus = join(import.meta.dirname, '../../../../shared/data/presidio-recognizer-cases.json.gz');

interface Case {
  readonly file: string;
  readonly params: string;
  readonly values: readonly unknown[];
}

describe.skipIf(!existsSync(corpus))('a public corpus (needs ../shared/data)', () => {
  const files: Readonly<Record<string, string>> = {
    credit_card: 'credit_card',
    crypto: 'crypto_wallet',
    email: 'email',
    iban: 'iban',
    ip: 'ip_address',
    mac: 'mac_address',
    us_ssn: 'national_id',
    us_itin: 'national_id',
    uk_nino: 'national_id',
    pl_pesel: 'national_id',
    fi_personal_identity_code: 'national_id',
    tr_national_id: 'national_id',
    in_aadhaar: 'national_id',
    th_tnin: 'national_id',
    es_nif: 'national_id',
    es_nie: 'national_id',
    se_personnummer: 'national_id',
    phone: 'phone',
  };

  test('gives the expected results, except for known differences', () => {
    const data = JSON.parse(gunzipSync(readFileSync(corpus)).toString('utf8')) as readonly Case[];
    const differs: Record<string, number> = {};
    let count = 0;
    for (const { file, params, values } of data) {
      const category = files[file.replace(/^test_(.*)_recognizer\.py$/, '$1')];
      const [text, expected] = values;
      if (category === undefined || typeof text !== 'string' || !params.includes('expected_len')) continue;
      count++;
      const found = (redact(text, [category]) as string).split(`[redacted:${category}]`).length - 1;
      if (found !== Number(expected)) differs[category] = (differs[category] ?? 0) + 1;
    }
    expect(count).toBeGreaterThan(300);
    expect(differs).toEqual({
      // The unspecified address (::) does not identify a machine.
      ip_address: 4,
      // One text in which we find more numbers.
      phone: 1,
      // Unusual formats without a check digit, and one that matches the rule of another country.
      national_id: 3,
    });
  });
});
