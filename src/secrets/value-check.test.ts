import { describe, expect, test } from 'vitest';
import type { Package } from '../model/package.js';
import type { NetworkAccess } from '../model/permissions.js';
import type { Recipients, Slot, SlotValue } from '../model/slot.js';
import { narrowedReach, recipientsOf } from './audience.js';
import { missingValues } from './missing-values.js';
import { valueProblem } from './value-check.js';

const slot: Slot = {
  name: 'WEATHER_API_KEY',
  label: 'API key',
  secret: true,
  required: true,
  type: 'text',
  source: { kind: 'operator' },
  delivery: { kind: 'environment', variable: 'WEATHER_API_KEY' },
  audience: { kind: 'hosts', hosts: ['api.example.com'] },
};

function packageWith(slots: readonly Slot[], network: NetworkAccess = { kind: 'public' }): Package {
  return { id: 'weather', slots, permissions: { network } } as unknown as Package;
}

const cases: readonly (readonly [Partial<Slot>, string, string | undefined])[] = [
  [{}, 'anything', undefined],
  [{ type: 'number' }, '-1.5e3', undefined],
  [{ type: 'number' }, '1e999', 'WEATHER_API_KEY must be a number'],
  [{ type: 'number' }, '0x10', 'WEATHER_API_KEY must be a number'],
  [{ type: 'number' }, ' 1', 'WEATHER_API_KEY must be a number'],
  [{ type: 'boolean' }, 'true', undefined],
  [{ type: 'boolean' }, 'yes', 'WEATHER_API_KEY must be true or false'],
  [{ type: 'json' }, '{"a":[1]}', undefined],
  [{ type: 'json' }, '{a:1}', 'WEATHER_API_KEY must be valid JSON'],
  [{ type: 'choice', choices: ['eu', 'us'] }, 'eu', undefined],
  [{ type: 'choice', choices: ['eu', 'us'] }, 'EU', 'WEATHER_API_KEY must be one of eu, us'],
  [{ type: 'choice' }, 'eu', 'WEATHER_API_KEY must be one of '],
  [{ pattern: 'sk-[a-z]+' }, 'sk-abc', undefined],
  [{ pattern: 'sk-[a-z]+' }, 'x sk-abc', 'WEATHER_API_KEY must match sk-[a-z]+'],
  [{ pattern: 'sk-[a-z]+' }, 'sk-abc\n', 'WEATHER_API_KEY must match sk-[a-z]+'],
  [{ pattern: 'a|b' }, 'ab', 'WEATHER_API_KEY must match a|b'],
  [{ pattern: '(a)\\1' }, 'aa', 'the pattern of WEATHER_API_KEY is not supported: (a)\\1'],
  [{ source: { kind: 'broker', provider: 'google', scopes: [] } }, 'x', undefined],
];

test.each(cases)('a value for the slot %j, %j, gives the problem: %s', (change, value, problem) => {
  expect(valueProblem({ ...slot, ...change }, value)).toBe(problem);
});

test('a pattern that makes backtracking engines hang takes no time', () => {
  const start = performance.now();
  expect(valueProblem({ ...slot, pattern: '(a+)+' }, `${'a'.repeat(5000)}!`)).toBeDefined();
  expect(performance.now() - start).toBeLessThan(2000);
});

describe('a missing value', () => {
  const none = () => false;

  test('is reported with the command that sets it', () => {
    expect(missingValues(packageWith([slot]), none)).toEqual([
      'weather needs WEATHER_API_KEY (API key). Set it: toolwharf secret set weather WEATHER_API_KEY',
    ]);
  });

  test('has the hosts of the package in the command when the manifest names no recipient', () => {
    const unbound: Slot = { ...slot, label: slot.name, audience: { kind: 'unbound' } };
    expect(missingValues(packageWith([unbound]), none)).toEqual([
      'weather needs WEATHER_API_KEY. Set it: toolwharf secret set weather WEATHER_API_KEY',
    ]);
    const hosts = { kind: 'hosts', hosts: [{ host: 'a.example', port: null }] } as const;
    expect(missingValues(packageWith([unbound], hosts), none)[0]).toContain('--host a.example');
    expect(missingValues(packageWith([unbound], { kind: 'none' }), none)[0]).not.toContain('--host');
    expect(missingValues(packageWith([{ ...unbound, secret: false }]), none)[0]).not.toContain('--host');
  });

  test('explains why a sign-in is not possible', () => {
    const needs = (...scopes: string[]) => {
      const brokered: Slot = { ...slot, source: { kind: 'broker', provider: 'gmail', scopes } };
      return missingValues(packageWith([brokered]), none);
    };
    expect(needs('gmail.read', 'google_calendar.events.read')).toEqual([
      'weather needs WEATHER_API_KEY (API key): a sign-in for gmail.read, google_calendar.events.read through the token broker, whose key is not set. Set it: toolwharf secret set @broker ARCADE_API_KEY',
    ]);
    expect(needs('gmail.read', 'slack.send_message')[0]).toContain('no single sign-in covers');
  });

  test('is not reported when it is set, optional or has a default', () => {
    const slots = [slot, { ...slot, name: 'B', required: false }, { ...slot, name: 'C', default: 'x' }];
    expect(missingValues(packageWith(slots), (it) => it === slot.name)).toEqual([]);
  });

  test('is quoted for the shell', () => {
    expect(missingValues(packageWith([{ ...slot, name: "a'b $(x)" }]), none)[0]).toContain(
      "secret set weather 'a'\\''b $(x)'",
    );
  });
});

describe('the hosts that a process with secrets may reach', () => {
  const value = (recipients: Recipients, secret = true): SlotValue => ({ value: 'v', secret, recipients });
  const to = (...hosts: string[]) => value({ kind: 'hosts', hosts });
  const open: NetworkAccess = { kind: 'public' };
  const some: NetworkAccess = {
    kind: 'hosts',
    hosts: [
      { host: 'api.example.com', port: null },
      { host: 'other.example', port: 8443 },
    ],
  };
  const names = (network: NetworkAccess, ...values: SlotValue[]) => {
    const reach = narrowedReach(network, values);
    return reach.kind === 'hosts'
      ? reach.hosts.map(
          (it) => `${it.host}${it.port === null ? '' : `:${it.port}`}${it.subdomains ? ' and below' : ''}`,
        )
      : reach.kind;
  };

  test('a recipient is reached at the ports that the operator granted, and no other host is', () => {
    const granted = [
      { host: 'api.example.com', port: 8443 },
      { host: 'evil.example', port: 8443 },
      { host: 'evil.example', port: null },
    ];
    expect(narrowedReach(open, [to('example.com')], granted)).toEqual({
      kind: 'hosts',
      hosts: [
        { host: 'example.com', port: null, subdomains: true },
        { host: 'api.example.com', port: 8443, subdomains: false },
      ],
    });
    expect(narrowedReach(open, [value({ kind: 'nobody' })], granted)).toEqual({ kind: 'none' });
  });

  test.each<[string, NetworkAccess, SlotValue[], string | string[]]>([
    ['no secret: no limit', open, [], 'public'],
    ['a setting: no limit', open, [value({ kind: 'any' }, false)], 'public'],
    ['no network stays no network', { kind: 'none' }, [to('a.example')], 'none'],
    ['a secret for one host', open, [to('API.Example.com.')], ['api.example.com and below']],
    ['two secrets', open, [to('b.example'), to('a.example')], ['a.example and below', 'b.example and below']],
    ['a secret for nobody', open, [value({ kind: 'nobody' })], 'none'],
    ['a secret for nobody, of some hosts', some, [value({ kind: 'nobody' })], 'none'],
    ['a secret for anybody', open, [value({ kind: 'any' })], 'public'],
    [
      'a secret for any host does not lift the limit of another',
      open,
      [value({ kind: 'any' }), to('a.example')],
      ['a.example and below'],
    ],
    ['only the matching host of the package', some, [to('example.com')], ['api.example.com']],
    ['a host with its port', some, [to('other.example')], ['other.example:8443']],
    ['no matching host', some, [to('evil.example')], 'none'],
    ['a part of a label does not match', some, [to('ample.com')], 'none'],
    ['a parent domain does not match', some, [to('v1.api.example.com')], 'none'],
    ['some hosts without a secret', some, [], ['api.example.com', 'other.example:8443']],
  ])('%s', (_name, network, values, expected) => {
    expect(names(network, ...values)).toEqual(expected);
  });

  test("the operator's choice comes before the manifest's", () => {
    expect(recipientsOf(slot, { kind: 'manifest' })).toEqual({ kind: 'hosts', hosts: ['api.example.com'] });
    expect(recipientsOf(slot, { kind: 'hosts', hosts: ['b.example'] })).toEqual({
      kind: 'hosts',
      hosts: ['b.example'],
    });
    expect(recipientsOf(slot, { kind: 'any' })).toEqual({ kind: 'any' });
    const unbound: Slot = { ...slot, audience: { kind: 'unbound' } };
    expect(recipientsOf(unbound, { kind: 'manifest' })).toEqual({ kind: 'nobody' });
    expect(recipientsOf({ ...unbound, secret: false }, { kind: 'manifest' })).toEqual({ kind: 'any' });
  });
});
