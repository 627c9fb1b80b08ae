import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { KnownValues } from './known.js';
import type { Look } from './look.js';
import { findPatterns } from './patterns.js';
import { redactNow } from './redact.js';

const look: Look = {
  guesses: true,
  samples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};
const rules = (text: string, how = look) => [...new Set(findPatterns(text, how).map((it) => it.rule))];

/** Letters and digits that look drawn by lot and are the same each time. */
function drawn(
  length: number,
  alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  seed = 7,
): string {
  let text = '';
  for (let state = seed; text.length < length; ) {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    text += alphabet.charAt((state >>> 16) % alphabet.length);
  }
  return text;
}
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const keys: readonly (readonly [rule: string, key: string])[] = [
  ['aws-access-key', `AK${'IA'}${drawn(16, upper)}`],
  ['google-api-key', `AI${'za'}${drawn(35)}`],
  ['azure-client-secret', `aB3${'8Q~'}${drawn(34)}`],
  ['github-token', `gh${'p_'}${drawn(36)}`],
  ['github-token', `github${'_pat_'}${drawn(82)}`],
  ['gitlab-token', `glp${'at-'}${drawn(20)}`],
  ['npm-token', `np${'m_'}${drawn(36)}`],
  ['anthropic-key', `sk-${'ant-api03-'}${drawn(93)}AA`],
  ['openai-key', `sk-${drawn(20)}${'T3Blbk'}FJ${drawn(20, undefined, 9)}`],
  ['slack-token', `xo${'xb-'}${drawn(12, '0123456789')}-${drawn(12, '0123456789', 3)}-${drawn(24)}`],
  ['slack-webhook', `https://hooks.slack${'.com/services/'}T${drawn(8)}/B${drawn(8)}/${drawn(24)}`],
  ['stripe-key', `sk_${'live_'}${drawn(24)}`],
  ['sendgrid-key', `S${'G.'}${drawn(22)}.${drawn(43)}`],
  ['jwt', `ey${'J'}${drawn(30)}.eyJ${drawn(40)}.${drawn(43)}`],
  ['private-key', `-----BEGIN ${'RSA PRIVATE'} KEY-----\n${drawn(64)}\n-----END RSA ${'PRIVATE'} KEY-----`],
  ['credentials-in-url', `postgres://app:${drawn(12)}@db.example.org/main`],
];

describe('keys of providers', () => {
  test.each(keys)('%s', (rule, key) => {
    expect(rules(`see ${key} for more`)).toContain(rule);
    const clean = redactNow(`see ${key} for more`, [], look).value as string;
    expect(clean).toContain(`[redacted:${rule}]`);
    expect(redactNow(clean, [], look)).toEqual({ value: clean, findings: [] });
  });

  test.each(keys)('%s in other clothes', (rule, key) => {
    for (const form of [
      Buffer.from(`KEY=${key}`).toString('base64'),
      Buffer.from(key).toString('hex'),
      encodeURIComponent(`a=${key}`),
      [...Buffer.from(key)].map((it) => `%${it.toString(16).padStart(2, '0')}`).join(''),
      JSON.stringify(JSON.stringify({ key })),
      Buffer.from(Buffer.from(key).toString('base64')).toString('base64'),
      `${key.slice(0, 5)}\u200b${key.slice(5)}`,
    ])
      expect(rules(`data: ${form}`), form).toContain(rule);
  });

  test('what only stands for a key is none', () => {
    for (const [rule, key] of keys) {
      if (rule === 'credentials-in-url') continue;
      const faked = key.replace(/[A-Za-z0-9]{8,}(?=[^A-Za-z0-9]*$)/, (it) => 'x'.repeat(it.length));
      expect(
        rules(faked).filter((it) => it !== 'private-key'),
        faked,
      ).toEqual([]);
    }
  });
});

test('secrets without a shape, by what stands around them', () => {
  const value = drawn(24);
  for (const text of [
    `password = "${value}"`,
    `export API_TOKEN=${value}`,
    `client_secret: ${value}`,
    `curl -H "Authorization: Bearer ${value}" https://example.org`,
    `curl -u "admin:${value}" https://example.org`,
    `X-Api-Key: ${value}`,
  ])
    expect(redactNow(text, [], look).value, text).not.toContain(value);
  expect(redactNow({ password: value, other: value }, [], look).value).toEqual({
    password: '[redacted:assigned-secret]',
    other: value,
  });
});

test('without guesses, shapes and known values still go', () => {
  const value = drawn(24);
  const how = { ...look, guesses: false };
  for (const text of [
    `password = "${value}"`,
    `X-Api-Key: ${value}`,
    `curl -u "admin:${value}" https://example.org`,
  ]) {
    expect(redactNow(text, [], look).value).not.toContain(value);
    expect(redactNow(text, [], how)).toEqual({ value: text, findings: [] });
    const hidden = [{ values: new KnownValues([value]), nameOf: () => 'KEY' }];
    expect(redactNow(text, hidden, how).value).not.toContain(value);
  }
  for (const [rule, key] of keys) expect(rules(`password = ${key}`, how)).toContain(rule);
});

describe('samples that a vendor publishes', () => {
  const samples: readonly (readonly [string, string])[] = [
    ['aws-access-key', `AKIA${'IOSFODNN7'}EXAMPLE`],
    ['google-api-key', `AIzaSy${'abcdefghijklmnopqrstuvwxyz'}1234567`],
    ['stripe-key', `sk_${'test_4eC39HqLyjWDarj'}tT1zdp7dc`],
    [
      'jwt',
      [
        `eyJ${'hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'}`,
        'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ',
        `SflKxwRJSMeKKF2QT4fwp${'MeJf36POk6yJV_adQssw5c'}`,
      ].join('.'),
    ],
  ];

  test.each(samples)('%s', (rule, sample) => {
    const text = `for instance ${sample}, which opens nothing`;
    expect(rules(text)).toEqual([]);
    // What is found without the list, so that the list is what lets it pass.
    expect(rules(text, { ...look, sha256: () => new Uint8Array(32) })).toContain(rule);
    expect(rules(encodeURIComponent(`key=${sample}`))).toEqual([]);
    // What is on its way out is another matter.
    expect(rules(text, { ...look, samples: true })).toContain(rule);
  });

  test.each(samples)(
    '%s: another value beside it, or one letter of another, does not pass',
    (rule, sample) => {
      const other = `${sample.slice(0, -1)}${sample.endsWith('Q') ? 'R' : 'Q'}`;
      expect(rules(other)).toContain(rule);
      expect(redactNow(`${sample} ${other}`, [], look).value).toBe(`${sample} [redacted:${rule}]`);
      // Longer or shorter is another value too.
      for (const it of [`${sample}${drawn(12)}`, `${drawn(3, 'XYZ')}${sample}`])
        expect(findPatterns(it, look).every((hit) => hit.text !== sample)).toBe(true);
    },
  );

  test('one that the vault holds is a secret all the same', () => {
    const [, sample] = samples[0] as (typeof samples)[number];
    const hidden = [{ values: new KnownValues([sample]), nameOf: () => 'KEY' }];
    expect(redactNow(`see ${sample}`, hidden, look).value).toBe('see [redacted:KEY]');
  });
});

test('ordinary things stay', () => {
  for (const it of [
    { key: 'photos/2026/9f86d081884c7d65.jpg', etag: '9f86d081884c7d659a2feaa0c55ad015' },
    { nextPageToken: 'CAUQAA9f86d081884c7d659a2f', next_token: 'eyA9f86d081884c7d659a2f', tokens: 1841 },
    { commit: 'b3e9ab3f0c8d7e6a5b4c3d2e1f0a9b8c7d6e5f40', id: '550e8400-e29b-41d4-a716-446655440000' },
    { author: 'someone1234567', authority: 'https://login.example.org/v2.0', token_type: 'bearer' },
    'import os; api_key = os.environ.get("API_KEY")',
    'the access token has expired, refresh your token using /auth/refresh',
    'password: ${PASSWORD}, token: <your token>, secret: {{ .Values.secret }}',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVQI12NgAAIABQABNjN9GQ',
  ])
    expect(redactNow(it, [], look)).toEqual({ value: it, findings: [] });
});

const corpus = join(import.meta.dirname, '../../../../shared/data/gitleaks-literal-cases.json.gz');
test.skipIf(!existsSync(corpus))(
  'every true case of a public corpus (skipped where ../shared/data is absent)',
  () => {
    const cases = JSON.parse(gunzipSync(readFileSync(corpus)).toString()) as {
      kind: string;
      rule: string;
      text: string;
    }[];
    const missed = cases.filter((it) => it.kind === 'tps' && findPatterns(it.text, look).length === 0);
    expect(missed.map((it) => it.rule)).toEqual([]);
    const false_ = cases.filter((it) => it.kind === 'fps' && findPatterns(it.text, look).length > 0);
    expect(false_.length / cases.filter((it) => it.kind === 'fps').length).toBeLessThanOrEqual(0.03);
  },
);
