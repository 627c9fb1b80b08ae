import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownValues } from '../../src/policy/scan/known.js';
import type { Look } from '../../src/policy/scan/look.js';
import { type Hiding, redactNow, redactSteps } from '../../src/policy/scan/redact.js';
import { processorMs } from '../processor-time.js';

const hidden = (secret: string): Hiding[] => [{ values: new KnownValues([secret]), nameOf: () => 'KEY' }];
const look: Look = {
  guesses: true,
  samples: false,
  sha256: (bytes) => createHash('sha256').update(bytes).digest(),
};

test('megabytes are done in many small steps, and windows hide nothing at their edges', () => {
  const secret = 'Zk9vQ2mX7tR4wL8bN3';
  for (const lead of [65_536 - 9, 131_072 - 9, 65_536 + 2048 - 9, 65_536 + 8192 - 9]) {
    const text = `${'lorem ipsum '.repeat(lead / 12 + 1).slice(0, lead)}${secret}${' dolor'.repeat(100_000)}`;
    const steps = redactSteps({ text }, hidden(secret), look);
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

test('a secret of one letter, and a text of that letter, take no longer than others', () => {
  const secret = 'a'.repeat(5000);
  const began = processorMs();
  expect(redactNow('a'.repeat(200_000), hidden(secret), look).value).not.toContain('aaaaaaaaaaaa');
  expect(processorMs() - began).toBeLessThan(3000);
});

test('whatever the text, it is done in time that goes with its length, and a second look finds nothing', () => {
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
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 60 }), fc.nat(40), (words, times) => {
      const text = words.join('').repeat(times).slice(0, 20_000);
      const began = processorMs();
      const clean = redactNow(text, [], look).value;
      expect(processorMs() - began).toBeLessThan(1500);
      expect(redactNow(clean, [], look).value).toEqual(clean);
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
    redactNow(it.repeat(100_000 / it.length), [], look);
    expect(processorMs() - began, it).toBeLessThan(4000);
  }
});
