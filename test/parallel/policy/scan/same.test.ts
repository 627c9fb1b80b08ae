// The scanner takes many shortcuts. It must give the same results as the reference implementation without them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/model/json.js';
import { decodedViews } from '../../../../src/policy/scan/decoded-view.js';
import { encodedRuns, hasEncodedRun, mayHaveHexDump } from '../../../../src/policy/scan/encoded-runs.js';
import { KeywordMatcher } from '../../../../src/policy/scan/keyword-matcher.js';
import { KnownValues } from '../../../../src/policy/scan/known-values.js';
import { findPatterns } from '../../../../src/policy/scan/patterns.js';
import { redactNow } from '../../../../src/policy/scan/redact-secrets.js';
import type { ScanOptions } from '../../../../src/policy/scan/scan-options.js';
import type { SecretRule } from '../../../../src/policy/scan/secret-rule.js';
import { referenceViews } from './reference-decoded-view.js';
import { ReferenceValues } from './reference-known-values.js';
import { allRules, referencePatterns } from './reference-patterns.js';
import { referenceRedact } from './reference-redact.js';

const options: ScanOptions = {
  guesses: true,
  reportSamples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};

interface LeakCases {
  readonly spellings: readonly (readonly [string, (it: string, lot: { below: () => number }) => string])[];
  readonly channels: readonly (readonly [string, (text: string) => Json])[];
}
const leakCases = '../../../../bench/trust/spellings.mjs';
const { spellings, channels } = (await import(leakCases)) as LeakCases;

const values = [
  ['tok_Zk9vQ2mX7t', 'R4wL8bN3pY6s'].join(''),
  'p@ss "wörd"/ü?& 7731',
  `https://hooks.example.org/${['k3J9x', 'Qm2Lp7', 'Vt5Rw8'].join('')}`,
  '0x41abQQ77zz0x5522',
  '48151623',
  'wxyz',
  '!?!?-_-_!?!?-_-_',
  ['A1B2c3D4', 'e5F6G7h8', 'I9j0'].join(''),
];
const names = values.map((_, index) => `KEY${index}`);
const hidden = [{ values: new KnownValues(values), nameOf: (valueIndex: number) => names[valueIndex] }];
const referenceHidden = [
  { values: new ReferenceValues(values), nameOf: (valueIndex: number) => names[valueIndex] },
];

/** The results of both implementations; findings without duplicates. */
function bothResults(value: Json, scanOptions = options) {
  const quick = redactNow(value, hidden, scanOptions);
  const reference = referenceRedact(value, referenceHidden, scanOptions);
  const unique = (findings: typeof quick.findings) =>
    [...new Set(findings.map((it) => JSON.stringify(it)))].sort();
  return {
    quick: { value: quick.value, findings: unique(quick.findings) },
    reference: { value: reference.value, findings: unique(reference.findings) },
  };
}

function expectSame(value: Json, scanOptions = options): number {
  const { quick, reference } = bothResults(value, scanOptions);
  expect(quick).toEqual(reference);
  return reference.findings.length;
}

describe('both scanners agree for every encoding in every kind of output', () => {
  test.each(spellings.map(([name, spell]) => [name, spell] as const))('%s', (_name, spell) => {
    let found = 0;
    for (const value of values.slice(0, 5))
      for (const [, act] of channels) found += expectSame(act(spell(value, { below: () => 2 })));
    expect(found).toBeGreaterThan(channels.length);
  });
});

/** Random texts that match the pattern of a rule, where they can be generated. */
function matchingText({ id, pattern }: SecretRule): fc.Arbitrary<string> {
  const source = withoutLookAround(pattern.source)
    .replace(/\{(\d+),(\d+)\}\?/g, '{$1,$2}')
    .replace(
      /\{(\d+),(\d+)\}/g,
      (_, least, most) => `{${least},${Math.min(Number(most), Number(least) + 6)}}`,
    )
    .replaceAll('\\b', '');
  const matching = fc.stringMatching(new RegExp(`^(?:${source})$`));
  const example = examples[id];
  return example === undefined ? matching : fc.oneof(matching, fc.constant(example));
}

const random = ['b7Xq9', 'TzL20', 'wPvR4', 'k8NmY', '3sHc6'].join('');
/** For rules whose keywords are rarely generated. */
const examples: Readonly<Record<string, string>> = {
  'discord-token': `bot M${random.slice(1)}.${random.slice(2, 8)}.${random}ab`,
  'vendor-key': `trello_api_key = ${random}`,
  'assigned-secret': `client_secret = ${random}`,
  jwt: `eyJ${random}.eyJ${random}.${random}`,
  'curl-user': `curl -s -u admin:${random} https://example.org`,
};

/** A pattern without its look-around assertions. */
function withoutLookAround(source: string): string {
  const start = source.search(/\(\?<?[!=]/);
  if (start === -1) return source;
  let depth = 0;
  let isClass = false;
  for (let at = start; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === '\\') at++;
    else if (isClass) isClass = character !== ']';
    else if (character === '[') isClass = true;
    else if (character === '(') depth++;
    else if (character === ')' && --depth === 0)
      return withoutLookAround(source.slice(0, start) + source.slice(at + 1));
  }
  return source;
}

const wrappings: readonly ((it: string) => string)[] = [
  (it) => it,
  (it) => `see ${it} here`,
  (it) => `"${it}"`,
  (it) => `x${it}y`,
  (it) => `${it}${it}`,
  (it) => `token bot discord ${it}\n`,
  (it) => encodeURIComponent(it),
  (it) => Buffer.from(`a ${it}`).toString('base64'),
  (it) => Buffer.from(it).toString('hex'),
  (it) =>
    Buffer.from(it)
      .toString('hex')
      .replace(/..(?=.)/g, '$&:'),
  (it) => JSON.stringify(JSON.stringify(it)),
  (it) => [...it].join('\u200b'),
  (it) => it.toUpperCase(),
  (it) => it.replaceAll('k', '\u212a').replaceAll('i', '\u0130'),
];

describe('both scanners agree for texts of every rule', () => {
  const unmatched: string[] = [];
  test.each(allRules.map((it, index) => [`${it.id} ${index}`, it] as const))('%s', (name, rule) => {
    let found = 0;
    fc.assert(
      fc.property(matchingText(rule), fc.constantFrom(...wrappings), fc.nat(4), (text, wrap, lot) => {
        const shown = wrap(text);
        const scanOptions = { ...options, guesses: lot > 0 };
        const reference = referencePatterns(shown, scanOptions);
        expect(findPatterns(shown, scanOptions)).toEqual(reference);
        found += reference.filter((it) => it.rule === rule.id).length;
        expectSame({ token: shown, [rule.id]: shown.slice(0, 150), list: [shown] }, scanOptions);
      }),
      { numRuns: 16, seed: 4711 },
    );
    if (found === 0) unmatched.push(name);
  });
  // Without matches the comparison would prove nothing.
  test('every rule is matched at least once', () => expect(unmatched).toEqual([]));
});

test('every variable name of a secret is found', () => {
  const kinds =
    'access account api app auth client consumer encryption license master private secret service';
  const named = `${kinds} shared signing storage`.split(' ').map((it) => `${it}_key`);
  const others = 'user_auth credentials creds password passwd passphrase pwd secret access_token token'.split(
    ' ',
  );
  const headers =
    'Authorization Proxy-Authorization X-Api-Key X-Auth-Token api-key apikey api-token access-token'.split(
      ' ',
    );
  for (const name of [...named, ...others, ...headers])
    for (const text of [`${name}: ${random}`, `my.${name.toUpperCase()}: "${random}"`])
      expect(expectSame(text), text).toBeGreaterThan(0);
});

test('any twelve characters of a value are found between other characters', () => {
  for (const value of ['Kp-w3_Zt-q8_Ym-v5_Rn', 'QQ0x41abzzTT0x99wwVV', '0x41ab77QQzzTT14x0pp', random]) {
    const quick = { values: new KnownValues([value]), nameOf: () => 'KEY' };
    const reference = { values: new ReferenceValues([value]), nameOf: () => 'KEY' };
    for (let at = 0; at + 12 <= value.length; at++) {
      const piece = value.slice(at, at + 12);
      for (const text of [`-${piece}-`, `Z${piece}`, [...`.${piece}`].reverse().join(''), `\\${piece}`]) {
        const clean = redactNow(text, [quick], options).value;
        expect(clean, text).toBe(referenceRedact(text, [reference], options).value);
        expect(clean, text).toContain('[redacted:KEY]');
      }
    }
  }
});

const fragments = fc.oneof(
  fc.constantFrom(...allRules.flatMap((it) => it.keywords)),
  fc.constantFrom(...values, ...values.map((it) => it.slice(0, 13)), ...values.map((it) => it.slice(5))),
  fc.constantFrom(...values.map((it) => Buffer.from(it).toString('base64'))),
  fc.constantFrom(...values.map((it) => Buffer.from(it).toString('hex'))),
  fc.constantFrom(...'%41 %25 \\u0041 \\x41 \\\\ &amp; &#65; 0x41 41:42:43 \u200b \u00ad \ufeff'.split(' ')),
  fc.constantFrom(
    '\u212a',
    '\u0130',
    '\u017f',
    'Ｋ',
    '\ud83d',
    '\u{1f469}\u200d\u{1f680}',
    '\uffff',
    'ﬃ',
    '㎏',
  ),
  fc.constantFrom(' ', '\n', '"', "'", ': ', '=', ' = "', '.', '-', '_', '/', '@', '://', ',', '|', '+', 'x'),
  fc.constantFrom('[redacted:KEY0]', '[redacted:', '[redacted:jwt]', 'curl -u ', 'Authorization: Bearer '),
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.base64String({ minLength: 12, maxLength: 60 }),
  fc.stringMatching(/^[0-9a-fA-F]{14,48}$/),
  fc.stringMatching(/^[A-Za-z0-9_]{10,44}$/),
);
const texts = fc.array(fragments, { maxLength: 14 }).map((it) => it.join(''));
const keys = fc.oneof(fc.constantFrom('token', 'password', 'data', 'type', 'api_key', 'bot', 'text'), texts);
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    texts,
    fc.integer(),
    fc.constantFrom<Json>(48151623, null, true, 'image'),
    fc.constant([...(values[0] as string)].map((it) => it.charCodeAt(0))),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(keys, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
  ) as fc.Arbitrary<Json>,
}));

test('both scanners agree for random JSON values', () => {
  let found = 0;
  fc.assert(
    fc.property(tree, (value) => {
      found += expectSame(value);
    }),
    { numRuns: 700 },
  );
  expect(found).toBeGreaterThan(500);
});

test('both scanners agree for texts longer than one search window', () => {
  const filler = 'lorem ipsum dolor key sit. ';
  for (const [index, value] of values.slice(0, 4).entries()) {
    const lead = filler.repeat(2700).slice(0, 65_536 + 8192 - 5 - index * 3);
    expect(expectSame({ text: `${lead}${value} ${filler.repeat(300)}` })).toBeGreaterThan(0);
  }
});

describe('the parts of the scanner agree with simple implementations', () => {
  test('decoded views', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const quick = decodedViews(text).map(({ text: shown, offsets }) => ({
          text: shown,
          from: offsets?.().starts ?? null,
          to: offsets?.().ends ?? null,
        }));
        expect(quick).toEqual(referenceViews(text));
      }),
      { numRuns: 1500 },
    );
  });

  test('encoded runs and hex dumps', () => {
    const some = fc.array(
      fc.constantFrom('a', 'F', '0', 'g', '-', '/', ':', ' ', ',', '.', 'é', 'ab:', '12 '),
      { maxLength: 90 },
    );
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 20 }), (parts, length) => {
        const text = parts.join('');
        expect(hasEncodedRun(text, length)).toBe(new RegExp(`[A-Za-z0-9+/_-]{${length}}`).test(text));
        const whole = new RegExp(`(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${length},}`, 'g');
        expect(encodedRuns(text, length)).toEqual(
          [...text.matchAll(whole)].flatMap((it) => [it.index, it.index + it[0].length]),
        );
        const dump = new RegExp(`(?:[0-9A-Fa-f]{2}[ :,-]){${length},}[0-9A-Fa-f]{2}`);
        if (dump.test(text)) expect(mayHaveHexDump(text, length + 1)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(mayHaveHexDump('no bytes are in here', 8)).toBe(false);
  });

  test('keywords', () => {
    const word = fc.stringMatching(/^[ab.:]{1,5}$/);
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { maxLength: 4 }), { maxLength: 6 }),
        fc.stringMatching(/^[abAB.:é]{0,40}$/),
        (lists, text) => {
          const found = new Set<string>();
          new KeywordMatcher(lists).forEachMatch(text, (list, at) => found.add(`${list} ${at}`));
          const expected = new Set<string>();
          for (const [list, words] of lists.entries())
            for (const it of words)
              for (let at = 0; at < text.length; at++)
                if (text.toLowerCase().startsWith(it, at)) expected.add(`${list} ${at}`);
          expect(found).toEqual(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('known values, alone and among many', () => {
    const value = fc.oneof(
      fc.string({ minLength: 4, maxLength: 30 }),
      fc.stringMatching(/^[A-Za-z0-9]{8,40}$/),
      fc.stringMatching(/^(?:0x[0-9a-f]{2}|[ab0x]){4,12}$/),
      fc.stringMatching(/^a{6,40}$/),
    );
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 6 }), fc.nat(), texts, (list, seed, around) => {
        const chosen = list[seed % list.length] as string;
        const from = seed % 5;
        for (const form of [chosen, chosen.slice(from, from + 13), Buffer.from(chosen).toString('base64')]) {
          const text = `${around}${form}${around.slice(0, 7)}`;
          const quick = { values: new KnownValues(list), nameOf: String };
          const reference = { values: new ReferenceValues(list), nameOf: String };
          expect(redactNow([text], [quick], options).value).toEqual(
            referenceRedact([text], [reference], options).value,
          );
        }
      }),
      { numRuns: 120 },
    );
  });
});

const folder = join(import.meta.dirname, '../../../../../shared/data');
const files = existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.json.gz')) : [];
test.skipIf(files.length === 0)('both scanners agree for public corpora (needs ../shared/data)', () => {
  let found = 0;
  for (const file of files) {
    const content = JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString()) as Json;
    const cases = Object.values(content as object) as Json[];
    const every = Math.max(1, Math.floor(cases.length / 150));
    const all = file.startsWith('gitleaks') ? cases : cases.filter((_, index) => index % every === 0);
    for (const it of all) if (JSON.stringify(it).length < 20_000) found += expectSame(it);
  }
  expect(found).toBeGreaterThan(100);
});
