import { describe, expect, test } from 'vitest';
import type { Package } from '../model/package.js';
import type { NetworkAccess } from '../model/permissions.js';
import { unusedGrantReason } from './unused-grant.js';

function pkg(id: string, network: NetworkAccess, rest: Partial<Package> = {}): Package {
  const permissions = { origin: 'declared', network, filesystem: 'none', stateDirectory: false, scopes: [] };
  return { id, programs: [], tools: [], slots: [], permissions, ...rest } as unknown as Package;
}

const none = pkg('quiet', { kind: 'none' });
const open = pkg('open', { kind: 'public' });
const named = pkg('weather', { kind: 'hosts', hosts: [{ host: 'api.example.com', port: null }] });
const url = pkg(
  'desk',
  { kind: 'none' },
  {
    programs: [{ target: { kind: 'url', url: 'https://localhost:9/rpc', headers: [] } }] as never,
  },
);
const key = pkg(
  'key',
  { kind: 'none' },
  { slots: [{ name: 'k', delivery: { kind: 'environment', variable: 'KEY' } }] as never },
);
const files = pkg(
  'files',
  { kind: 'none' },
  { permissions: { ...none.permissions, filesystem: 'read-only' } },
);

describe('a grant without effect says why', () => {
  test.each<[string, readonly Package[], string]>([
    ['net:127.0.0.1:80', [none], 'no package here requests network access in its manifest'],
    ['quiet=net:127.0.0.1', [none, open], 'quiet does not request network access in its manifest'],
    ['other=net:127.0.0.1', [none], 'there is no package other here'],
    [
      'net:10.0.0.1:80',
      [named, none],
      'no package here names this host; name the package that may reach it: PACKAGE=net:10.0.0.1:80',
    ],
    ['desk=net:localhost:10', [url], 'desk does not contact it'],
    ['toolwharf=net:10.0.0.1', [open], 'the host itself does not contact it'],
    ['read:/tmp', [none], 'no package here requests access to files in its manifest'],
    ['env:KEY', [none], 'no package here takes the variable KEY'],
    ['net:127.0.0.1', [], 'no package here requests network access in its manifest'],
  ])('%s', (grant, packages, reason) => {
    expect(unusedGrantReason(grant, packages, { urls: [] })).toBe(reason);
  });
});

test.each<[string, readonly Package[]]>([
  ['net:127.0.0.1:80', [open, none]],
  ['net:api.example.com', [named, none]],
  ['net:10.0.0.1', [named]],
  ['weather=net:10.0.0.1', [named, none]],
  ['net:localhost:9', [url]],
  ['net:hooks.example.com', [none]],
  ['toolwharf=net:hooks.example.com', [none]],
  ['write:/srv', [files]],
  ['env:KEY', [key]],
])('%s has an effect', (grant, packages) => {
  expect(unusedGrantReason(grant, packages, { urls: ['https://hooks.example.com/x'] })).toBeUndefined();
});
