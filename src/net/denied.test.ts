import { expect, test } from 'vitest';
import { destinationOf, parseDestination, vettedAddresses } from './destination.js';
import { judgeName } from './egress-policy.js';

const host = (name: string, port: number | null = null) => ({ host: name, port });
const reach = (...denied: { host: string; port: number | null }[]) => ({
  hosts: [host('api.example.com'), host('sub.example.com'), host('93.184.216.34')],
  granted: [host('127.0.0.1', 8080)],
  denied,
});
const refused = expect.objectContaining({ code: 'network_denied' });

test.each([
  ['https://api.example.com/', host('api.example.com')],
  ['https://api.example.com/', host('example.com')],
  ['https://api.example.com/', host('*')],
  // Ruling out is not trusting: what everybody shares is ruled out with all names below it.
  ['https://api.example.com/', host('com')],
  ['https://API.example.com./', host('example.com')],
  ['https://api.example.com/', host('api.example.com', 443)],
])('%s is not gone to when %j is denied', (url, denied) => {
  expect(() => destinationOf(url, reach(denied))).toThrow(refused);
  const policy = { reach: reach(denied), anyPublic: true, secret: false };
  expect(() => judgeName(parseDestination(url), false, policy)).toThrow(refused);
  // As a control: without the denial it is.
  expect(() => destinationOf(url, reach())).not.toThrow();
  expect(() => judgeName(parseDestination(url), false, { ...policy, reach: reach() })).not.toThrow();
});

test('names that only look alike, and other ports, are not meant', () => {
  for (const it of [host('xample.com'), host('api.example.com', 8443), host('other.example.com')])
    expect(() => destinationOf('https://api.example.com/', reach(it))).not.toThrow();
});

test('a name does not lead to a denied address', async () => {
  const destination = parseDestination('https://api.example.com/');
  const resolve = async () => ['93.184.216.35', '93.184.216.34'];
  const own = () => [];
  await expect(vettedAddresses(destination, reach(host('93.184.216.34')), resolve, own)).rejects.toEqual(
    refused,
  );
  await expect(
    vettedAddresses(destination, reach(host('93.184.216.34', 80)), resolve, own),
  ).resolves.toHaveLength(2);
});
