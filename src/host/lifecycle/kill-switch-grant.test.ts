import { expect, test } from 'vitest';
import type { Slot } from '../../model/slot.js';
import { parseGrants } from '../../policy/grant.js';
import { missingKillSwitchGrant } from './kill-switch-grant.js';

const secret = { name: 'API_KEY', secret: true } as Slot;

test.each([
  ['http://127.0.0.1:8080/grants', [], 'net:127.0.0.1:8080'],
  ['https://localhost/grants', [], 'net:localhost:443'],
  ['http://[::1]/grants', [], 'net:[::1]:80'],
  ['http://[::1]:9/grants', ['net:[::1]:9'], undefined],
  ['http://127.0.0.1:8080/grants', ['net:127.0.0.1:8081'], 'net:127.0.0.1:8080'],
  ['http://127.0.0.1:8080/grants', ['net:127.0.0.1:8080'], undefined],
  ['http://api.example.com/grants', [], 'net:api.example.com:80'],
  ['https://api.example.com/grants', [], undefined],
])('a kill switch at %s with %j needs %s', (url, grants, expected) => {
  const { network } = parseGrants(grants).shared;
  expect(missingKillSwitchGrant({ killSwitch: { kind: 'url', url }, slots: [secret] }, network)?.grant).toBe(
    expected,
  );
});

test('without a secret, or without a request, nothing has to be granted for a connection without encryption', () => {
  const killSwitch = { kind: 'url', url: 'http://api.example.com/grants' } as const;
  expect(missingKillSwitchGrant({ killSwitch, slots: [] }, [])).toBeUndefined();
  const manual = { kind: 'manual', instructionsUrl: 'http://127.0.0.1/' } as const;
  expect(missingKillSwitchGrant({ killSwitch: manual, slots: [secret] }, [])).toBeUndefined();
});
