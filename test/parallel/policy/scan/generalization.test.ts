// The scanner on generated data: keys, what nearly is one, ordinary answers and personal data. The half `unseen` was not
// looked at while the rules were written.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/model/json.js';
import { redactPersonal } from '../../../../src/policy/guardrails/redact-personal.js';
import { redactNow } from '../../../../src/policy/scan/redact-secrets.js';

interface Case {
  readonly name: string;
  readonly half: 'seen' | 'unseen';
  readonly text: string;
  readonly secret?: string;
}
interface Answer {
  readonly name: string;
  readonly value: Json;
  readonly texts: Readonly<Record<string, string>>;
}
type PersonalCase = Case & { readonly category: string };

const folder = '../../../../bench/trust/generated';
const keys = (await import(`${folder}/keys.mjs`)) as Record<
  'generatedKeys' | 'generatedOrdinary' | 'generatedNear',
  () => Case[]
>;
const answers = (await import(`${folder}/answers.mjs`)) as {
  generatedAnswers: (seed?: number, rounds?: number) => Answer[];
};
const personal = (await import(`${folder}/personal.mjs`)) as {
  generatedPersonal: () => Record<string, { target: number; cases: PersonalCase[] }>;
};

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest());
const options = { guesses: true, reportSamples: false, sha256 };
const clean = (value: Json) => redactNow(value, [], options).value;

function share<T extends Case>(cases: readonly T[], isRight: (it: T) => boolean): number {
  return cases.filter(isRight).length / cases.length;
}

describe.each(['seen', 'unseen'] as const)('of the half %s', (half) => {
  const of = <T extends Case>(cases: readonly T[]) => cases.filter((it) => it.half === half);

  test('at least 98 of 100 keys are removed', () => {
    const cases = of(keys.generatedKeys());
    expect(cases.length).toBeGreaterThan(1000);
    const found = share(cases, ({ text, secret }) => !(clean(text) as string).includes(secret as string));
    expect(found).toBeGreaterThanOrEqual(0.98);
  });

  test('at most 3 of 100 ordinary lines and of texts that nearly are keys are changed', () => {
    const isSame = ({ text }: Case) => clean(text) === text;
    expect(share(of(keys.generatedOrdinary()), isSame)).toBeGreaterThanOrEqual(0.97);
    expect(share(of(keys.generatedNear()), isSame)).toBeGreaterThanOrEqual(0.97);
  });

  test.each(Object.entries(personal.generatedPersonal()))('personal data: %s', (_kind, { target, cases }) => {
    const isRight = ({ text, category, secret }: PersonalCase) => {
      const left = redactPersonal(text, [category], sha256) as string;
      return secret === undefined ? left === text : !left.includes(secret);
    };
    expect(share(of(cases), isRight)).toBeGreaterThanOrEqual(target);
  });
});

test('a redaction of a generated key changes nothing beside it', () => {
  for (const { text, secret = '', name } of keys.generatedKeys()) {
    // Keys in another encoding, and keys of which only a part opens something.
    if (/base64$|escaped|query|login|hook|slack/.test(name)) continue;
    const at = text.indexOf(secret);
    const left = clean(text) as string;
    if (left.includes(secret)) continue;
    expect(left.startsWith(text.slice(0, at)), name).toBe(true);
    expect(left.endsWith(text.slice(at + secret.length)), `${name}: ${left}`).toBe(true);
  }
});

describe('ordinary answers of services lose nothing', () => {
  const all = answers.generatedAnswers();
  test('as JSON values', () => {
    expect(all.length).toBeGreaterThan(250);
    for (const { name, value } of all)
      expect(redactNow(value, [], options), name).toEqual({ value, findings: [] });
  });
  test.each(['json', 'indented json', 'lines'])('as text: %s', (how) => {
    for (const { name, texts } of all)
      expect(redactNow(texts[how] as string, [], options).findings, name).toEqual([]);
  });
});

describe('a value of a structured answer is judged by where it is', () => {
  const secret = ['b7Xq9TzL', '20wPvR4k', '8NmY3sHc6'].join('');
  test.each<[string, Json]>([
    ['under its name', { db_password: secret }],
    ['beside its name', { env: [{ name: 'DB_PASSWORD', value: secret }] }],
    ['below its name', { client_secret: { value: secret, rotated: false } }],
    ['in a list', { api_keys: { api_key: [secret] } }],
  ])('a secret %s is removed', (_where, value) => {
    expect(JSON.stringify(clean(value))).not.toContain(secret);
  });
  test.each<[string, Json]>([
    ['an identifier of a secret', { secret: { id: secret, version_id: secret }, token: { address: secret } }],
    ['a checksum of a secret', { checksums: { secret: createHash('sha256').update('a').digest('hex') } }],
    ['a name of a secret', { password: { name: secret, url: `https://example.org/${secret}` } }],
    ['a value beside another name', { env: [{ name: 'BUILD_ID', value: secret }] }],
  ])('%s stays', (_what, value) => {
    expect(clean(value)).toEqual(value);
  });
});
