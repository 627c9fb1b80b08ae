import { patternFinder, type SpanFinder, type TextSpan } from './text-span.js';

/** Injected: this folder does not use platform APIs. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** Addresses of cryptocurrencies with a valid checksum; Ethereum's checksum is optional and not checked. */
export function walletFinder(sha256: Sha256): SpanFinder {
  const finders = [
    patternFinder(/[1-9A-HJ-NP-Za-km-z]{26,36}/g, (match) => isBase58Check(match, sha256)),
    patternFinder(/(?:bc|tb|bcrt|ltc|tltc)1[02-9ac-hj-np-z]{6,87}/gi, isBech32),
    patternFinder(/0x[0-9A-Fa-f]{40}/g, (match) => !/^0x(.)\1+$/.test(match)),
  ];
  return (text): TextSpan[] => finders.flatMap((it) => [...it(text)]);
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** 21 bytes, then the first four bytes of their double SHA-256. */
function isBase58Check(text: string, sha256: Sha256): boolean {
  const bytes = new Uint8Array(25);
  for (const character of text) {
    let carry = base58.indexOf(character);
    for (let at = bytes.length - 1; at >= 0; at--) {
      carry += (bytes[at] as number) * 58;
      bytes[at] = carry & 0xff;
      carry >>= 8;
    }
    if (carry !== 0) return false;
  }
  const check = sha256(sha256(bytes.subarray(0, 21)));
  return bytes.subarray(21).every((byte, index) => byte === check[index]);
}

const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];

function isBech32(text: string): boolean {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return false;
  const split = lower.lastIndexOf('1');
  const prefix = [...lower.slice(0, split)].map((it) => it.charCodeAt(0));
  const values = [...prefix.map((it) => it >> 5), 0, ...prefix.map((it) => it & 31)];
  for (const character of lower.slice(split + 1)) values.push(bech32.indexOf(character));
  let check = 1;
  for (const value of values) {
    const top = check >>> 25;
    check = ((check & 0x1ffffff) << 5) ^ value;
    for (const [bit, generator] of generators.entries()) if ((top >>> bit) & 1) check ^= generator;
  }
  return check === 1 || check === 0x2bc830a3;
}
