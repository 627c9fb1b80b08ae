import { expect, test } from 'vitest';
import type { ObservedUses } from '../model/learning.js';
import type { Narrowing } from '../model/narrowing.js';
import type { Package } from '../model/package.js';
import type { NetworkAccess } from '../model/permissions.js';
import { denialFor } from './denial.js';
import { type LearningInput, proposeNarrowing } from './learning.js';

const nothing: ObservedUses = {
  ...{ from: 0, to: 1, calls: { look: 20 }, hosts: [], deniedHosts: [], unknownHosts: 0 },
  ...{ changed: [], unknownFiles: 0 },
};

function propose(network: NetworkAccess, uses: Partial<ObservedUses>, more: Partial<LearningInput> = {}) {
  const pkg = {
    ...{ id: 'weather', version: '1.0.0', slots: [], programs: [] },
    permissions: { network, filesystem: 'none', origin: 'declared', stateDirectory: false, scopes: [] },
  } as unknown as Package;
  return proposeNarrowing({
    ...{ package: pkg, tools: ['look'], narrowing: undefined, granted: [], since: 0, until: 1 },
    uses: { ...nothing, ...uses },
    ...more,
  });
}

const hosts = (...names: string[]): NetworkAccess => ({
  kind: 'hosts',
  hosts: names.map((it) =>
    it.startsWith('*.') ? { host: it.slice(2), port: null, subdomains: true } : { host: it, port: null },
  ),
});

test.each([
  [hosts('a.example', 'b.example'), ['a.example:443'], ['net:b.example'], ['a.example:443']],
  [hosts('a.example', 'b.example'), ['a.example:443', 'b.example:443'], [], null],
  [hosts('a.example'), [], ['net:a.example'], []],
  [hosts('*.example.com'), ['api.example.com:443'], ['net:*.example.com'], ['api.example.com:443']],
  [{ kind: 'public' } as const, ['a.example:443'], ['net:public'], ['a.example:443']],
  [{ kind: 'none' } as const, [], [], null],
])('%j with %j loses %j', (network, used, removes, narrowed) => {
  expect(propose(network, { hosts: used })).toMatchObject({ removes, narrowing: { network: narrowed } });
});

test('hosts that are not known keep the network as it is', () => {
  const proposal = propose(hosts('a.example'), { unknownHosts: 2 });
  expect(proposal).toMatchObject({ removes: [], narrowing: { network: null } });
  expect(proposal.unobserved).toEqual(['which hosts 2 of its calls reached, so the network stays as it is']);
});

test('what is narrowed already is only narrowed further', () => {
  const narrowing: Narrowing = {
    ...{ package: 'weather', network: ['a.example:443', 'b.example:443'], grants: [] },
    ...{ noWriting: false, at: 0, by: 'me' },
  };
  const proposal = propose(
    hosts('a.example', 'b.example', 'c.example'),
    { hosts: ['a.example:443'] },
    { narrowing },
  );
  expect(proposal).toMatchObject({
    removes: ['net:b.example:443'],
    narrowing: { network: ['a.example:443'] },
  });
});

test('tools that were never called and few calls are warnings', () => {
  const { warnings } = propose(hosts('a.example'), { calls: { look: 2 } }, { tools: ['look', 'save'] });
  expect(warnings).toEqual([
    'only 2 calls were observed',
    'never called: save; the proposal may be too small for them',
  ]);
});

test('a denial with exceptions is read for its package only', () => {
  const text = 'weather=net:* except a.example:443 [::1]:80';
  expect(denialFor([text], 'weather').network).toEqual([
    {
      host: '*',
      port: null,
      except: [
        { host: 'a.example', port: 443 },
        { host: '::1', port: 80 },
      ],
    },
  ]);
  expect(denialFor([text], 'other').network).toEqual([]);
  expect(denialFor(['weather=net:* except'], 'weather')).toMatchObject({ noNetwork: false });
  expect(() => denialFor(['other=net:* except a/b'], 'weather')).toThrow('does not name a host');
});
