import { expect, test } from 'vitest';
import { callAccessOf } from './call-access.js';
import type { Package } from './package.js';
import type { CallAccess, NetworkAccess } from './permissions.js';

const none: NetworkAccess = { kind: 'none' };
const all: NetworkAccess = { kind: 'public' };
const hosts = (...names: readonly string[]): NetworkAccess => ({
  kind: 'hosts',
  hosts: names.map((host) => ({ host, port: null })),
});
const access = (network: NetworkAccess, filesystem: CallAccess['filesystem'] = 'none') => ({
  network,
  filesystem,
});

function narrowed(pkg: CallAccess, tool?: CallAccess): CallAccess {
  const permissions = { origin: 'declared', stateDirectory: false, scopes: [], ...pkg };
  return callAccessOf({ permissions } as unknown as Package, tool === undefined ? null : { access: tool });
}

test('without an access of its own, a tool may use what its package may use', () => {
  expect(narrowed(access(all, 'read-write'))).toEqual(access(all, 'read-write'));
});

test.each([
  [access(all, 'read-write'), access(none, 'read-only'), access(none, 'read-only')],
  [access(none, 'read-only'), access(all, 'read-write'), access(none, 'read-only')],
  [access(all), access(hosts('a')), access(hosts('a'))],
  [access(hosts('a')), access(all), access(hosts('a'))],
  [access(hosts('a', 'b')), access(hosts('b', 'c')), access(hosts('b'))],
])('a tool never gets more than its package or than it declares (%j, %j)', (pkg, tool, expected) => {
  expect(narrowed(pkg, tool)).toEqual(expected);
});
