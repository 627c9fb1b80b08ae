/** Arithmetic on IPv4 subnets. Addresses are whole numbers from 0 to 2^32 - 1. */

/** Parses a subnet such as 10.0.0.0/8. Bits after the prefix are dropped, as routers do. */
export function parseSubnet(text) {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(String(text).trim());
  const numbers = match?.slice(1).map(Number);
  if (numbers === undefined || numbers.slice(0, 4).some((it) => it > 255) || numbers[4] > 32) {
    throw new RangeError(`${JSON.stringify(text)} is not an IPv4 subnet; write it like 10.0.0.0/8`);
  }
  const [a, b, c, d, prefix] = numbers;
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const size = 2 ** (32 - prefix);
  return { first: address - (address % size), size, prefix };
}

export function formatAddress(number) {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}

export function formatSubnet({ first, prefix }) {
  return `${formatAddress(first)}/${prefix}`;
}

export function describe(subnet) {
  const last = subnet.first + subnet.size - 1;
  // A /31 connects two routers and a /32 is one host; neither has a network or broadcast address.
  const small = subnet.prefix >= 31;
  return {
    subnet: formatSubnet(subnet),
    netmask: formatAddress(2 ** 32 - subnet.size),
    firstHost: formatAddress(small ? subnet.first : subnet.first + 1),
    lastHost: formatAddress(small ? last : last - 1),
    ...(small ? {} : { broadcast: formatAddress(last) }),
    hosts: small ? subnet.size : subnet.size - 2,
    kind: kinds.find(([range]) => contains(parseSubnet(range), subnet))?.[1] ?? 'public',
  };
}

const kinds = [
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['100.64.0.0/10', 'carrier NAT'],
  ['192.0.2.0/24', 'documentation'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
];

function contains(outer, inner) {
  return outer.first <= inner.first && inner.first + inner.size <= outer.first + outer.size;
}

/** The smallest subnets that have room for the requested numbers of hosts, largest first, without gaps. */
export function plan(subnet, networks) {
  const withPrefix = networks.map(({ name, hosts }) => ({ name, prefix: prefixFor(hosts) }));
  withPrefix.sort((a, b) => a.prefix - b.prefix);
  let next = subnet.first;
  const parts = withPrefix.map(({ name, prefix }) => {
    const part = { first: next, size: 2 ** (32 - prefix), prefix };
    next += part.size;
    if (next > subnet.first + subnet.size) {
      throw new RangeError(`${formatSubnet(subnet)} is too small: no room for ${name}`);
    }
    return { name, ...describe(part) };
  });
  return { parts, addressesLeft: subnet.first + subnet.size - next };
}

function prefixFor(hosts) {
  if (!Number.isInteger(hosts) || hosts < 1 || hosts > 2 ** 31) {
    throw new RangeError('"hosts" must be a whole number of at least 1');
  }
  return Math.min(30, 32 - Math.ceil(Math.log2(hosts + 2)));
}

/** Pairs of subnets that share addresses. */
export function overlaps(subnets) {
  const sorted = subnets
    .map((it) => ({ ...it, last: it.first + it.size - 1 }))
    .sort((a, b) => a.first - b.first || b.size - a.size);
  const pairs = [];
  for (const [index, outer] of sorted.entries()) {
    for (const inner of sorted.slice(index + 1)) {
      if (inner.first > outer.last) break;
      pairs.push({ outer: formatSubnet(outer), inner: formatSubnet(inner) });
    }
  }
  return pairs;
}
