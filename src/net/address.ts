import { isIPv4, isIPv6 } from 'node:net';

/** The kind of an IP address. Only `public` may be reached without a grant. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved';

/** Sixteen bytes; IPv4 as ::ffff:a.b.c.d. Null when the text is not an IP address. */
export function parseAddress(text: string): Uint8Array | null {
  if (isIPv4(text)) {
    const bytes = new Uint8Array(16);
    bytes.set([0xff, 0xff, ...text.split('.').map(Number)], 10);
    return bytes;
  }
  const bare = text.includes('%') ? text.slice(0, text.indexOf('%')) : text;
  return isIPv6(bare) ? parseV6(bare) : null;
}

function parseV6(text: string): Uint8Array {
  let source = text;
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(source);
  if (dotted !== null) {
    const [a, b, c, d] = dotted.slice(1).map(Number) as [number, number, number, number];
    source = `${source.slice(0, dotted.index)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  }
  const [head = '', tail] = source.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':').map((it) => Number.parseInt(it, 16)));
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  const bytes = new Uint8Array(16);
  for (const [index, group] of all.entries()) bytes.set([group >> 8, group & 0xff], index * 2);
  return bytes;
}

type Block = readonly [first: readonly number[], bits: number, kind: AddressKind];

/** IPv4 blocks that are not the public internet. */
const v4Blocks: readonly Block[] = [
  [[0], 8, 'reserved'],
  [[10], 8, 'private'],
  [[100, 64], 10, 'private'],
  [[127], 8, 'loopback'],
  [[169, 254], 16, 'link-local'],
  [[172, 16], 12, 'private'],
  [[192, 0, 0], 24, 'reserved'],
  [[192, 0, 2], 24, 'reserved'],
  [[192, 88, 99], 24, 'reserved'],
  [[192, 168], 16, 'private'],
  [[198, 18], 15, 'reserved'],
  [[198, 51, 100], 24, 'reserved'],
  [[203, 0, 113], 24, 'reserved'],
  [[224], 4, 'reserved'],
  [[240], 4, 'reserved'],
];

/** Exceptions inside 2000::/3, the only public block: tunnels, documentation, translation. */
const v6Blocks: readonly Block[] = [
  [[0x20, 0x01, 0x00], 23, 'reserved'],
  [[0x20, 0x01, 0x0d, 0xb8], 32, 'reserved'],
  [[0x20, 0x02], 16, 'reserved'],
  [[0x3f, 0xff, 0x00], 20, 'reserved'],
];

/** The kind of an address, by its bytes: independent of the notation. */
export function addressKind(bytes: Uint8Array): AddressKind {
  if (isMapped(bytes)) return blockKind(bytes.subarray(12), v4Blocks) ?? 'public';
  if (bytes.subarray(0, 15).every((it) => it === 0)) return bytes[15] === 1 ? 'loopback' : 'reserved';
  if (((bytes[0] as number) & 0xfe) === 0xfc) return 'private';
  if (bytes[0] === 0xfe && ((bytes[1] as number) & 0xc0) === 0x80) return 'link-local';
  if (((bytes[0] as number) & 0xe0) !== 0x20) return 'reserved';
  return blockKind(bytes, v6Blocks) ?? 'public';
}

function isMapped(bytes: Uint8Array): boolean {
  return bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((it) => it === 0);
}

function blockKind(bytes: Uint8Array, blocks: readonly Block[]): AddressKind | undefined {
  return blocks.find(([first, bits]) => startsWith(bytes, first, bits))?.[2];
}

function startsWith(bytes: Uint8Array, first: readonly number[], bits: number): boolean {
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = bits - bit >= 8 ? 0xff : (0xff << (8 - (bits - bit))) & 0xff;
    const index = bit / 8;
    if (((bytes[index] as number) & mask) !== ((first[index] ?? 0) & mask)) return false;
  }
  return true;
}
