import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { KnownValues } from './known-values.js';
import { findPatterns } from './patterns.js';
import { redactNow } from './redact-secrets.js';
import type { ScanOptions } from './scan-options.js';

const options: ScanOptions = {
  guesses: true,
  reportSamples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};
const rules = (text: string, scanOptions = options) => [
  ...new Set(findPatterns(text, scanOptions).map((it) => it.rule)),
];

/** Pseudo-random letters and digits, the same in each run. */
function randomText(
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
  ['aws-access-key', `AK${'IA'}${randomText(16, upper)}`],
  ['google-api-key', `AI${'za'}${randomText(35)}`],
  ['azure-client-secret', `aB3${'8Q~'}${randomText(34)}`],
  ['github-token', `gh${'p_'}${randomText(36)}`],
  ['github-token', `github${'_pat_'}${randomText(82)}`],
  ['gitlab-token', `glp${'at-'}${randomText(20)}`],
  ['npm-token', `np${'m_'}${randomText(36)}`],
  ['anthropic-key', `sk-${'ant-api03-'}${randomText(93)}AA`],
  ['openai-key', `sk-${randomText(20)}${'T3Blbk'}FJ${randomText(20, undefined, 9)}`],
  [
    'slack-token',
    `xo${'xb-'}${randomText(12, '0123456789')}-${randomText(12, '0123456789', 3)}-${randomText(24)}`,
  ],
  [
    'slack-webhook',
    `https://hooks.slack${'.com/services/'}T${randomText(8)}/B${randomText(8)}/${randomText(24)}`,
  ],
  ['stripe-key', `sk_${'live_'}${randomText(24)}`],
  ['sendgrid-key', `S${'G.'}${randomText(22)}.${randomText(43)}`],
  ['jwt', `ey${'J'}${randomText(30)}.eyJ${randomText(40)}.${randomText(43)}`],
  [
    'private-key',
    `-----BEGIN ${'RSA PRIVATE'} KEY-----\n${randomText(64)}\n-----END RSA ${'PRIVATE'} KEY-----`,
  ],
  ['credentials-in-url', `postgres://app:${randomText(12)}@db.example.org/main`],
];

describe('a key of a provider', () => {
  test.each(keys)('%s is redacted', (rule, key) => {
    expect(rules(`see ${key} for more`)).toContain(rule);
    const clean = redactNow(`see ${key} for more`, [], options).value as string;
    expect(clean).toContain(`[redacted:${rule}]`);
    expect(redactNow(clean, [], options)).toEqual({ value: clean, findings: [] });
  });

  test.each(keys)('%s is found in every encoding', (rule, key) => {
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

  test('a dummy in the format of a key is not reported', () => {
    for (const [rule, key] of keys) {
      if (rule === 'credentials-in-url') continue;
      const dummy = key.replace(/[A-Za-z0-9]{8,}(?=[^A-Za-z0-9]*$)/, (it) => 'x'.repeat(it.length));
      expect(
        rules(dummy).filter((it) => it !== 'private-key'),
        dummy,
      ).toEqual([]);
    }
  });
});

test('a secret without a known format is found by the text around it', () => {
  const value = randomText(24);
  for (const text of [
    `password = "${value}"`,
    `export API_TOKEN=${value}`,
    `client_secret: ${value}`,
    `curl -H "Authorization: Bearer ${value}" https://example.org`,
    `curl -u "admin:${value}" https://example.org`,
    `X-Api-Key: ${value}`,
  ])
    expect(redactNow(text, [], options).value, text).not.toContain(value);
  expect(redactNow({ password: value, other: value }, [], options).value).toEqual({
    password: '[redacted:assigned-secret]',
    other: value,
  });
});

test('without guesses, provider keys and known values are still redacted', () => {
  const value = randomText(24);
  const withoutGuesses = { ...options, guesses: false };
  for (const text of [
    `password = "${value}"`,
    `X-Api-Key: ${value}`,
    `curl -u "admin:${value}" https://example.org`,
  ]) {
    expect(redactNow(text, [], options).value).not.toContain(value);
    expect(redactNow(text, [], withoutGuesses)).toEqual({ value: text, findings: [] });
    const hidden = [{ values: new KnownValues([value]), nameOf: () => 'KEY' }];
    expect(redactNow(text, hidden, withoutGuesses).value).not.toContain(value);
  }
  for (const [rule, key] of keys) expect(rules(`password = ${key}`, withoutGuesses)).toContain(rule);
});

describe('a sample that a vendor publishes', () => {
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

  test.each(samples)('%s stays in results and is reported in arguments', (rule, sample) => {
    const text = `for instance ${sample}, which opens nothing`;
    expect(rules(text)).toEqual([]);
    // Without the list it is found: the list is the reason that it passes.
    expect(rules(text, { ...options, sha256: () => new Uint8Array(32) })).toContain(rule);
    expect(rules(encodeURIComponent(`key=${sample}`))).toEqual([]);
    // Data that leaves the host is checked more strictly.
    expect(rules(text, { ...options, reportSamples: true })).toContain(rule);
  });

  test.each(samples)('%s: a value next to it, or with one other character, is redacted', (rule, sample) => {
    const other = `${sample.slice(0, -1)}${sample.endsWith('Q') ? 'R' : 'Q'}`;
    expect(rules(other)).toContain(rule);
    expect(redactNow(`${sample} ${other}`, [], options).value).toBe(`${sample} [redacted:${rule}]`);
    // A longer value is another value too.
    for (const it of [`${sample}${randomText(12)}`, `${randomText(3, 'XYZ')}${sample}`])
      expect(findPatterns(it, options).every((hit) => hit.text !== sample)).toBe(true);
  });

  test('is redacted when it is a value of the vault', () => {
    const [, sample] = samples[0] as (typeof samples)[number];
    const hidden = [{ values: new KnownValues([sample]), nameOf: () => 'KEY' }];
    expect(redactNow(`see ${sample}`, hidden, options).value).toBe('see [redacted:KEY]');
  });
});

test('ordinary data stays', () => {
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
    expect(redactNow(it, [], options)).toEqual({ value: it, findings: [] });
});

const corpus = join(import.meta.dirname, '../../../../shared/data/gitleaks-literal-cases.json.gz');
test.skipIf(!existsSync(corpus))(
  'every true positive of a public corpus with a sign of a key is found (needs ../shared/data)',
  () => {
    const cases = JSON.parse(gunzipSync(readFileSync(corpus)).toString()) as {
      kind: string;
      rule: string;
      text: string;
    }[];
    const missed = cases.filter((it) => it.kind === 'tps' && findPatterns(it.text, options).length === 0);
    // An identifier of a client, and a value after the name of a vendor alone: by themselves no sign of a secret.
    expect(missed.map((it) => it.rule)).toEqual(['messagebird-client-id', 'sourcegraph-access-token']);
    const falsePositives = cases.filter(
      (it) => it.kind === 'fps' && findPatterns(it.text, options).length > 0,
    );
    expect(falsePositives.length / cases.filter((it) => it.kind === 'fps').length).toBeLessThanOrEqual(0.03);
  },
);
