// SECURITY.md: a value goes only to its audience. A name that everybody shares is nobody's audience.
import { expect, test } from 'vitest';
import { coversHost } from '../../src/model/host-name.js';
import { narrowedReach } from '../../src/secrets/audience.js';

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
])('a secret for %s reaches nobody below it', (shared) => {
  expect(coversHost(shared, `evil.${shared}`)).toBe(false);
  const value = { value: 'x', secret: true, recipients: { kind: 'hosts', hosts: [shared] } } as const;
  const evil = { host: `evil.${shared}`.toLowerCase().replace(/\.$/, ''), port: null };
  expect(narrowedReach({ kind: 'hosts', hosts: [evil] }, [value])).toEqual({ kind: 'none' });
});

test('the control: names of somebody cover what is below them', () => {
  for (const own of ['example.com', 'example.co.uk', 'me.github.io', 'slack.com'])
    expect(coversHost(own, `api.${own}`)).toBe(true);
  expect(coversHost('github.io', 'github.io')).toBe(true);
});
