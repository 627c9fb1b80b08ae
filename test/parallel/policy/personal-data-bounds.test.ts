import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.js';
import { personalDataCategories } from '../../../src/model/personal-data.js';
import { redactPersonal } from '../../../src/policy/guardrails/redact-personal.js';
import { processorMs } from '../../support/processor-time.js';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
const redact = (text: Json) => redactPersonal(text, [...personalDataCategories], sha256);

test.each([
  '1',
  '1 ',
  '1-',
  'a',
  'a@',
  '@a.',
  'a.',
  ':',
  '1:',
  '1.',
  '+1',
  '(1)',
  'GB29 ',
  'DE89 3704 ',
  '4111 ',
  'aA1',
  'bc1q',
  '0x1',
  'a.b@c.d-',
])('redaction time grows linearly with the length of a text of %j', (unit) => {
  const time = (length: number) => {
    const text = unit.repeat(Math.ceil(length / unit.length));
    const start = processorMs();
    const once = redact(text);
    const spent = processorMs() - start;
    expect(redact(once)).toBe(once);
    return spent;
  };
  time(20_000);
  const small = Math.max(time(20_000), 2);
  // 16 times the text; quadratic work would take 256 times as long.
  expect(time(320_000)).toBeLessThan(small * 80 + 200);
});
