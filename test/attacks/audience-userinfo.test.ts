// SECURITY.md: a value goes only to its audience. What stands before an @ names nobody.
import { expect, test } from 'vitest';
import { mayReceive } from '../../src/model/host-name.js';
import { parseDestination } from '../../src/net/destination.js';
import { requestTarget, tunnelTarget } from '../../src/net/egress-policy.js';
import { normalAudience } from '../../src/secrets/audience.js';

const allowed = 'api.example.com';

test.each([
  `https://${allowed}@evil.example/`,
  `https://${allowed}:443@evil.example/`,
  `https://${allowed}%40evil.example@evil.example/`,
  `https://user@${allowed}@evil.example/`,
  `https:\\\\${allowed}@evil.example/`,
  `https://evil.example\\@${allowed}/`,
])('%s is refused, or goes where Node would go, which is not the audience', (url) => {
  const real = new URL(url);
  if (real.username !== '' || real.password !== '')
    expect(() => parseDestination(url)).toThrow(/user information/);
  else expect(parseDestination(url).host).toBe(real.hostname);
  expect(requestTarget(url)?.host ?? 'refused').toBe(
    real.username === '' && /^https?:\/\/[!-~]+$/i.test(url) ? real.hostname : 'refused',
  );
  if (real.hostname !== allowed)
    expect(mayReceive({ kind: 'hosts', hosts: [allowed] }, real.hostname)).toBe(false);
});

test('a tunnel is asked for by host and port alone', () => {
  for (const text of [
    `${allowed}@evil.example:443`,
    `u:p@${allowed}:443`,
    `${allowed}:443@evil.example:443`,
    `${allowed}:443/`,
  ])
    expect(tunnelTarget(text)).toBeNull();
  expect(tunnelTarget(`${allowed}:443`)?.host).toBe(allowed);
});

test('an audience is a plain name', () => {
  for (const host of [
    `u@${allowed}`,
    `${allowed}@evil.example`,
    `https://${allowed}`,
    `${allowed}:443`,
    `${allowed}/x`,
  ])
    expect(() => normalAudience({ kind: 'hosts', hosts: [host] })).toThrow(/does not name a host/);
});
