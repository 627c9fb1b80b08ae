import { describe, expect, test } from 'vitest';
import type { NetworkAccess } from '../model/permissions.js';
import { violatingPlaces, violationActionFor } from './violation.js';

describe('what follows a violation', () => {
  test.each([
    ['nothing is configured', undefined, 'report'],
    ['there is a default', { default: 'kill' }, 'kill'],
    ['the package has its own, milder action', { default: 'revoke', packages: ['notes=report'] }, 'report'],
    ['a project adds a stricter one', { packages: ['notes=kill', 'notes=report'] }, 'kill'],
    ['only another package has one', { packages: ['notes2=revoke'] }, 'report'],
  ] as const)('if %s', (_, policy, action) => {
    expect(violationActionFor(policy, 'notes')).toBe(action);
  });
});

describe('a denied place', () => {
  const hosts: NetworkAccess = { kind: 'hosts', hosts: [{ host: 'api.example.com', port: null }] };
  const open: NetworkAccess = { kind: 'public' };
  const at = (host: string, port: number | null) => [{ host, port }];
  test.each([
    ['of another host', 'evil.example.net:443', hosts, {}, true],
    ['of a host whose name ends alike', 'badapi.example.com:443', hosts, {}, true],
    ['that the manifest names', 'api.example.com:8443', hosts, {}, false],
    ['that was granted', '127.0.0.1:80', hosts, { granted: at('127.0.0.1', 80) }, false],
    ['with another port than granted', '127.0.0.1:81', hosts, { granted: at('127.0.0.1', 80) }, true],
    ['that the operator denies', 'x.example.net:443', hosts, { denied: at('example.net', null) }, false],
    [
      'that the caller named',
      'evil.example.net:443',
      hosts,
      { input: { url: 'https://EVIL.example.net' } },
      false,
    ],
    ['of a name, with the public network', 'evil.example.net:80', open, {}, false],
    ['of this machine, with the public network', 'localhost:22', open, {}, true],
    ['of the cloud, with the public network', '169.254.169.254:80', open, {}, true],
    ['of an IPv6 address, with the public network', '::1:80', open, {}, true],
  ] as const)('%s', (_, place, network, more, isViolation) => {
    const call = { network, granted: [], denied: [], input: {}, ...more };
    expect(violatingPlaces([place], call)).toEqual(isViolation ? [place] : []);
  });
});
