// SECURITY.md: "A secret leaves only to its audience". Loopback and private addresses need a grant. No
// spelling of such an address, and no tunnel to it, counts as public.
import { expect, test } from 'vitest';
import { addressKind, parseAddress } from '../../../src/net/address.js';
import { allowedAddresses, parseDestination } from '../../../src/net/destination.js';

const kindOf = (text: string) => addressKind(parseAddress(text) as Uint8Array);
const privateAddresses = [
  '127.0.0.1',
  '10.0.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '172.16.0.1',
];
const hex = (address: string) => {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  return [((a << 8) | b).toString(16), ((c << 8) | d).toString(16)] as const;
};

test.each(privateAddresses)('%s is not public in any IPv6 form', (address) => {
  const [high, low] = hex(address);
  const wrapped = [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::${address}`,
    `::${high}:${low}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::`,
    `2001:0:4136:e378:8000:63bf:${hex(
      address
        .split('.')
        .map((it) => 255 - Number(it))
        .join('.'),
    ).join(':')}`,
    `::ffff:0:${address}`,
  ];
  for (const it of wrapped) expect(kindOf(it), it).not.toBe('public');
});

test.each([
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://0/',
  'http://[::ffff:7f00:1]/',
  'http://[::7f00:1]/',
  'http://１２７.0.0.1/',
])('%s is checked as the address that Node would connect to', async (url) => {
  const destination = parseDestination(url);
  expect(destination.host).toBe(new URL(url).hostname.replace(/^\[|\]$/g, ''));
  const reach = { hosts: [{ host: destination.host, port: null }], granted: [] };
  const none = async () => {
    throw new Error('an address needs no DNS lookup');
  };
  await expect(allowedAddresses(destination, reach, none)).rejects.toMatchObject({ code: 'network_denied' });
});

test('control: addresses of the public internet are public', () => {
  for (const it of ['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111', '2a00:1450::1'])
    expect(kindOf(it)).toBe('public');
});
