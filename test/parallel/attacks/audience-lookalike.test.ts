// SECURITY.md: "A secret leaves only to its audience". A look-alike name is a different name.
import { expect, test } from 'vitest';
import { mayReceive, normalizeHostName } from '../../../src/model/host-name.js';

const audience = { kind: 'hosts', hosts: ['paypal.example', 'bücher.example'] } as const;

test.each([
  'p\u0430ypal.example',
  'paypa\u04cf.example',
  'paypal.ex\u0430mple',
  'xn--pypal-4ve.example',
  'paypal\u200b.example.evil.example',
  'paypal-example',
  'paypalexample',
  'notpaypal.example',
  'paypal.example.evil.example',
  'b\u0075\u0308cher.example.evil.example',
  'bucher.example',
])('%j is not in the audience of the name it resembles', (name) => {
  expect(mayReceive(audience, name)).toBe(false);
});

test('control: other spellings of the same name are in the audience', () => {
  for (const name of [
    'PAYPAL.example',
    'paypal.example.',
    '\uff50aypal.example',
    'b\u0075\u0308cher.example',
    'xn--bcher-kva.example',
  ])
    expect(mayReceive(audience, name), name).toBe(true);
  expect(normalizeHostName('\uff50aypal.example')).toBe(new URL('https://\uff50aypal.example/').hostname);
});
