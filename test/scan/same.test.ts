// The scan takes many shortcuts. Whatever they are, it finds what the plain way finds: the same texts come out of both.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/model/json.js';
import { Keywords } from '../../src/policy/scan/keywords.js';
import { KnownValues } from '../../src/policy/scan/known.js';
import type { Look } from '../../src/policy/scan/look.js';
import { findPatterns } from '../../src/policy/scan/patterns.js';
import { redactNow } from '../../src/policy/scan/redact.js';
import type { SecretRule } from '../../src/policy/scan/rule.js';
import { hasRun, mayHaveDump, runsIn } from '../../src/policy/scan/survey.js';
import { viewsOf } from '../../src/policy/scan/view.js';
import { PlainValues } from './plain-known.js';
import { allRules, plainPatterns } from './plain-patterns.js';
import { plainRedact } from './plain-redact.js';
import { plainViews } from './plain-view.js';

const look: Look = {
  guesses: true,
  samples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};

interface Said {
  readonly spellings: readonly (readonly [string, (it: string, lot: { below: () => number }) => string])[];
  readonly channels: readonly (readonly [string, (said: string) => Json])[];
}
const said = '../../bench/trust/spellings.mjs';
const { spellings, channels } = (await import(said)) as Said;

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
const quickHiding = [{ values: new KnownValues(values), nameOf: (secret: number) => names[secret] }];
const plainHiding = [{ values: new PlainValues(values), nameOf: (secret: number) => names[secret] }];

/** Both ways, with what each found: names once, shapes with what they were. */
function bothWays(value: Json, how = look) {
  const quick = redactNow(value, quickHiding, how);
  const plain = plainRedact(value, plainHiding, how);
  const told = (findings: typeof quick.findings) =>
    [...new Set(findings.map((it) => JSON.stringify(it)))].sort();
  return {
    quick: { value: quick.value, findings: told(quick.findings) },
    plain: { value: plain.value, findings: told(plain.findings) },
  };
}

function expectSame(value: Json, how = look): number {
  const { quick, plain } = bothWays(value, how);
  expect(quick).toEqual(plain);
  return plain.findings.length;
}

describe('every spelling at every place', () => {
  test.each(spellings.map(([name, spell]) => [name, spell] as const))('%s', (_name, spell) => {
    let found = 0;
    for (const value of values.slice(0, 5))
      for (const [, act] of channels) found += expectSame(act(spell(value, { below: () => 2 })));
    expect(found).toBeGreaterThan(channels.length);
  });
});

/** Texts that a rule would find, as far as they can be drawn from its pattern. */
function drawn({ id, pattern }: SecretRule): fc.Arbitrary<string> {
  const source = withoutLooks(pattern.source)
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
/** Of rules whose own words are seldom drawn by lot. */
const examples: Readonly<Record<string, string>> = {
  'discord-token': `bot M${random.slice(1)}.${random.slice(2, 8)}.${random}ab`,
  'assigned-secret': `client_secret = ${random}`,
  jwt: `eyJ${random}.eyJ${random}.${random}`,
  'curl-user': `curl -s -u admin:${random} https://example.org`,
};

/** Without what only looks around. */
function withoutLooks(source: string): string {
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
      return withoutLooks(source.slice(0, start) + source.slice(at + 1));
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

describe('every rule', () => {
  const silent: string[] = [];
  test.each(allRules.map((it, index) => [`${it.id} ${index}`, it] as const))('%s', (name, rule) => {
    let found = 0;
    fc.assert(
      fc.property(drawn(rule), fc.constantFrom(...wrappings), fc.nat(4), (text, wrap, lot) => {
        const shown = wrap(text);
        const how = { ...look, guesses: lot > 0 };
        const plain = plainPatterns(shown, how);
        expect(findPatterns(shown, how)).toEqual(plain);
        found += plain.filter((it) => it.rule === rule.id).length;
        expectSame({ token: shown, [rule.id]: shown.slice(0, 150), list: [shown] }, how);
      }),
      { numRuns: 16, seed: 4711 },
    );
    if (found === 0) silent.push(name);
  });
  // What is drawn is what the rules look for; else the comparison would say nothing.
  test('is heard of', () => expect(silent).toEqual([]));
});

test('every name that a secret is assigned to', () => {
  const kinds =
    'access account api app auth client consumer encryption license master private secret service';
  const named = `${kinds} shared signing storage`.split(' ').map((it) => `${it}_key`);
  const others =
    'auth credentials creds password passwd passphrase pwd secret access_token access-id token'.split(' ');
  const headers =
    'Authorization Proxy-Authorization X-Api-Key X-Auth-Token api-key apikey api-token access-token'.split(
      ' ',
    );
  for (const name of [...named, ...others, ...headers])
    for (const text of [`${name}: ${random}`, `my.${name.toUpperCase()}: "${random}"`])
      expect(expectSame(text), text).toBeGreaterThan(0);
});

test('any twelve characters of a value, between signs', () => {
  for (const value of ['Kp-w3_Zt-q8_Ym-v5_Rn', 'QQ0x41abzzTT0x99wwVV', '0x41ab77QQzzTT14x0pp', random]) {
    const quick = { values: new KnownValues([value]), nameOf: () => 'KEY' };
    const plain = { values: new PlainValues([value]), nameOf: () => 'KEY' };
    for (let at = 0; at + 12 <= value.length; at++) {
      const piece = value.slice(at, at + 12);
      for (const text of [`-${piece}-`, `Z${piece}`, [...`.${piece}`].reverse().join(''), `\\${piece}`]) {
        const clean = redactNow(text, [quick], look).value;
        expect(clean, text).toBe(plainRedact(text, [plain], look).value);
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

test('whatever it is', () => {
  let found = 0;
  fc.assert(
    fc.property(tree, (value) => {
      found += expectSame(value);
    }),
    { numRuns: 700 },
  );
  expect(found).toBeGreaterThan(500);
});

test('texts longer than what is looked at in one go', () => {
  const filler = 'lorem ipsum dolor key sit. ';
  for (const [index, value] of values.slice(0, 4).entries()) {
    const lead = filler.repeat(2700).slice(0, 65_536 + 8192 - 5 - index * 3);
    expect(expectSame({ text: `${lead}${value} ${filler.repeat(300)}` })).toBeGreaterThan(0);
  }
});

describe('the parts', () => {
  test('what encodings hide', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const quick = viewsOf(text).map(({ text: shown, places }) => ({
          text: shown,
          from: places?.().from ?? null,
          to: places?.().to ?? null,
        }));
        expect(quick).toEqual(plainViews(text));
      }),
      { numRuns: 1500 },
    );
  });

  test('runs and dumps', () => {
    const some = fc.array(
      fc.constantFrom('a', 'F', '0', 'g', '-', '/', ':', ' ', ',', '.', 'é', 'ab:', '12 '),
      { maxLength: 90 },
    );
    fc.assert(
      fc.property(some, fc.integer({ min: 1, max: 20 }), (parts, length) => {
        const text = parts.join('');
        expect(hasRun(text, length)).toBe(new RegExp(`[A-Za-z0-9+/_-]{${length}}`).test(text));
        const whole = new RegExp(`(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${length},}`, 'g');
        expect(runsIn(text, length)).toEqual(
          [...text.matchAll(whole)].flatMap((it) => [it.index, it.index + it[0].length]),
        );
        const dump = new RegExp(`(?:[0-9A-Fa-f]{2}[ :,-]){${length},}[0-9A-Fa-f]{2}`);
        if (dump.test(text)) expect(mayHaveDump(text, length + 1)).toBe(true);
      }),
      { numRuns: 2000 },
    );
    expect(mayHaveDump('no bytes are in here', 8)).toBe(false);
  });

  test('keywords', () => {
    const word = fc.stringMatching(/^[ab.:]{1,5}$/);
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { maxLength: 4 }), { maxLength: 6 }),
        fc.stringMatching(/^[abAB.:é]{0,40}$/),
        (lists, text) => {
          const found = new Set<string>();
          new Keywords(lists).in(text, (list, at) => found.add(`${list} ${at}`));
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
        for (const said of [chosen, chosen.slice(from, from + 13), Buffer.from(chosen).toString('base64')]) {
          const text = `${around}${said}${around.slice(0, 7)}`;
          const quick = { values: new KnownValues(list), nameOf: String };
          const plain = { values: new PlainValues(list), nameOf: String };
          expect(redactNow([text], [quick], look).value).toEqual(plainRedact([text], [plain], look).value);
        }
      }),
      { numRuns: 120 },
    );
  });
});

const folder = join(import.meta.dirname, '../../../shared/data');
const files = existsSync(folder) ? readdirSync(folder).filter((it) => it.endsWith('.json.gz')) : [];
test.skipIf(files.length === 0)('cases of public corpora (skipped where ../shared/data is absent)', () => {
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
