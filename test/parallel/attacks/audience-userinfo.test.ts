// SECURITY.md: "A secret leaves only to its audience". Text before an @ does not name the host.
import { expect, test } from 'vitest';
import { mayReceive } from '../../../src/model/host-name.js';
import { parseDestination } from '../../../src/net/destination.js';
import { requestTarget, tunnelTarget } from '../../../src/net/egress-policy.js';
import { normalizeAudience } from '../../../src/secrets/audience.js';

const allowed = 'api.example.com';

test.each([
  `https://${allowed}@evil.example/`,
  `https://${allowed}:443@evil.example/`,
  `https://${allowed}%40evil.example@evil.example/`,
  `https://user@${allowed}@evil.example/`,
  `https:\\\\${allowed}@evil.example/`,
  `https://evil.example\\@${allowed}/`,
])('%s is rejected, or goes to the host that Node would use, which is not in the audience', (url) => {
  const real = new URL(url);
  if (real.username !== '' || real.password !== '')
    expect(() => parseDestination(url)).toThrow(/must not contain a user name/);
  else expect(parseDestination(url).host).toBe(real.hostname);
  expect(requestTarget(url)?.host ?? 'rejected').toBe(
    real.username === '' && /^https?:\/\/[!-~]+$/i.test(url) ? real.hostname : 'rejected',
  );
  if (real.hostname !== allowed)
    expect(mayReceive({ kind: 'hosts', hosts: [allowed] }, real.hostname)).toBe(false);
});

test('a tunnel request has only a host and a port', () => {
  for (const text of [
    `${allowed}@evil.example:443`,
    `u:p@${allowed}:443`,
    `${allowed}:443@evil.example:443`,
    `${allowed}:443/`,
  ])
    expect(tunnelTarget(text)).toBeNull();
  expect(tunnelTarget(`${allowed}:443`)?.host).toBe(allowed);
});

test('an audience has only host names', () => {
  for (const host of [
    `u@${allowed}`,
    `${allowed}@evil.example`,
    `https://${allowed}`,
    `${allowed}:443`,
    `${allowed}/x`,
  ])
    expect(() => normalizeAudience({ kind: 'hosts', hosts: [host] })).toThrow(/does not name a host/);
});
