import { expect, test } from 'vitest';
import { addressKind, parseAddress } from './address.js';

const kinds: Record<string, readonly string[]> = {
  public: [
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '100.128.0.1',
    '192.169.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ],
  loopback: ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: [
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    'fc00::1',
    'fdff::1',
    '::ffff:10.0.0.1',
  ],
  'link-local': ['169.254.169.254', 'fe80::1', 'febf::1', '::ffff:169.254.169.254', 'fe80::1%eth0'],
  reserved: [
    '0.0.0.0',
    '255.255.255.255',
    '224.0.0.1',
    '240.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '203.0.113.9',
    '192.88.99.1',
    '::',
    '::127.0.0.1',
    '::7f00:1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    '100::1',
    '3fff::1',
  ],
};

for (const [kind, addresses] of Object.entries(kinds)) {
  test.each(addresses)(`%s is ${kind}`, (address) => {
    expect(addressKind(parseAddress(address) as Uint8Array)).toBe(kind);
  });
}

test.each([
  '',
  'localhost',
  '1.2.3',
  '1.2.3.4.5',
  '0x7f.1',
  '127.1',
  '01.2.3.4',
  ':::',
  '12345::',
  '1.2.3.4/8',
  '[::1]',
])('%s is not an IP address', (text) => {
  expect(parseAddress(text)).toBeNull();
});
