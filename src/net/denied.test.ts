import { expect, test } from 'vitest';
import { allowedAddresses, allowedDestination, parseDestination } from './destination.js';
import { checkHostName } from './egress-policy.js';

const host = (name: string, port: number | null = null) => ({ host: name, port });
const reach = (...denied: { host: string; port: number | null }[]) => ({
  hosts: [host('api.example.com'), host('sub.example.com'), host('93.184.216.34')],
  granted: [host('127.0.0.1', 8080)],
  denied,
});
const denial = expect.objectContaining({ code: 'network_denied' });

test.each([
  ['https://api.example.com/', host('api.example.com')],
  ['https://api.example.com/', host('example.com')],
  ['https://api.example.com/', host('*')],
  // Unlike for grants, a public suffix counts: denying it denies all its subdomains.
  ['https://api.example.com/', host('com')],
  ['https://API.example.com./', host('example.com')],
  ['https://api.example.com/', host('api.example.com', 443)],
])('%s is not reached when %j is denied', (url, denied) => {
  expect(() => allowedDestination(url, reach(denied))).toThrow(denial);
  const policy = { reach: reach(denied), anyPublic: true, holdsSecret: false };
  expect(() => checkHostName(parseDestination(url), false, policy)).toThrow(denial);
  // Control: without the denial it is allowed.
  expect(() => allowedDestination(url, reach())).not.toThrow();
  expect(() => checkHostName(parseDestination(url), false, { ...policy, reach: reach() })).not.toThrow();
});

test('a denial does not cover similar names or other ports', () => {
  for (const it of [host('xample.com'), host('api.example.com', 8443), host('other.example.com')])
    expect(() => allowedDestination('https://api.example.com/', reach(it))).not.toThrow();
});

test('a name that resolves to a denied address is denied', async () => {
  const destination = parseDestination('https://api.example.com/');
  const resolve = async () => ['93.184.216.35', '93.184.216.34'];
  const own = () => [];
  await expect(allowedAddresses(destination, reach(host('93.184.216.34')), resolve, own)).rejects.toEqual(
    denial,
  );
  await expect(
    allowedAddresses(destination, reach(host('93.184.216.34', 80)), resolve, own),
  ).resolves.toHaveLength(2);
});
