// SECURITY.md: "A secret leaves only to its audience". A shared suffix does not cover the names below it.
import { expect, test } from 'vitest';
import { coversHost } from '../../../src/model/host-name.js';
import { narrowedReach } from '../../../src/secrets/audience.js';

test.each([
  'com',
  'uk',
  'dev',
  'co.uk',
  'com.au',
  'org.br',
  'github.io',
  'pages.dev',
  'cloudfront.net',
  'GitHub.IO.',
])('a secret for %s does not reach names below it', (shared) => {
  expect(coversHost(shared, `evil.${shared}`)).toBe(false);
  const value = { value: 'x', secret: true, recipients: { kind: 'hosts', hosts: [shared] } } as const;
  const evil = { host: `evil.${shared}`.toLowerCase().replace(/\.$/, ''), port: null };
  expect(narrowedReach({ kind: 'hosts', hosts: [evil] }, [value])).toEqual({ kind: 'none' });
});

test('control: a registered name covers the names below it', () => {
  for (const own of ['example.com', 'example.co.uk', 'me.github.io', 'slack.com'])
    expect(coversHost(own, `api.${own}`)).toBe(true);
  expect(coversHost('github.io', 'github.io')).toBe(true);
});
