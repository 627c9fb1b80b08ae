import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownValues } from '../../../../src/policy/scan/known-values.js';
import { type HiddenValues, redactNow, redactSteps } from '../../../../src/policy/scan/redact-secrets.js';
import type { ScanOptions } from '../../../../src/policy/scan/scan-options.js';
import { processorMs } from '../../../support/processor-time.js';

const hidden = (secret: string): HiddenValues[] => [
  { values: new KnownValues([secret]), nameOf: () => 'KEY' },
];
const scanOptions: ScanOptions = {
  guesses: true,
  reportSamples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};

test('a large text is scanned in many small steps, and a secret at a window edge is found', () => {
  const secret = 'Zk9vQ2mX7tR4wL8bN3';
  for (const lead of [65_536 - 9, 131_072 - 9, 65_536 + 2048 - 9, 65_536 + 8192 - 9]) {
    const text = `${'lorem ipsum '.repeat(lead / 12 + 1).slice(0, lead)}${secret}${' dolor'.repeat(100_000)}`;
    const steps = redactSteps({ text }, hidden(secret), scanOptions);
    let count = 0;
    let worst = 0;
    for (;;) {
      const began = processorMs();
      const step = steps.next();
      worst = Math.max(worst, processorMs() - began);
      count++;
      if (step.done !== true) continue;
      expect(JSON.stringify(step.value.value)).not.toContain(secret.slice(0, 12));
      break;
    }
    expect(count).toBeGreaterThan(5);
    expect(worst).toBeLessThan(500);
  }
});

test('a secret and a text of one repeated letter are scanned in bounded time', () => {
  const secret = 'a'.repeat(5000);
  const began = processorMs();
  expect(redactNow('a'.repeat(200_000), hidden(secret), scanOptions).value).not.toContain('aaaaaaaaaaaa');
  expect(processorMs() - began).toBeLessThan(3000);
});

test('any text is scanned in bounded time, and a second scan changes nothing', () => {
  const parts = [
    '-----BEGIN PRIVATE KEY-----',
    'password=',
    'token: "',
    'eyJ',
    '.',
    'curl ',
    ' -u ',
    '://',
    ':',
    '@',
    'sk-',
    '=',
    '"',
    '%41',
    '\\u0041',
    'okta',
    'Aa1',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 60 }), fc.nat(40), (pieces, times) => {
      const text = pieces.join('').repeat(times).slice(0, 20_000);
      const began = processorMs();
      const clean = redactNow(text, [], scanOptions).value;
      expect(processorMs() - began).toBeLessThan(1500);
      expect(redactNow(clean, [], scanOptions).value).toEqual(clean);
    }),
    { numRuns: 150 },
  );
  for (const it of [
    'a',
    'key ',
    'eyJa.',
    '-----BEGIN PRIVATE KEY-----',
    'curl -u ',
    'token=',
    '%25',
    '\\\\',
    'x://a:',
    'A1b2',
  ]) {
    const began = processorMs();
    redactNow(it.repeat(100_000 / it.length), [], scanOptions);
    expect(processorMs() - began, it).toBeLessThan(4000);
  }
});
