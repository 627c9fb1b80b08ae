import { HostError } from '../model/host-error.js';
import type { NetworkHost } from '../model/permissions.js';
import { type AddressKind, addressKind, parseAddress } from './address.js';

/** Where requests may go. `granted` comes from an operator and is the only way to loopback or private addresses. */
export interface Reach {
  readonly hosts: readonly NetworkHost[];
  readonly granted: readonly NetworkHost[];
}

export interface Destination {
  readonly url: URL;
  /** Lower case, no brackets, no trailing dot. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export type Resolve = (host: string) => Promise<readonly string[]>;

/** Judges a URL before anything is looked up. */
export function destinationOf(text: string, reach: Reach): Destination {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw new HostError('network_denied', 'the address of the request is not a URL', { cause: error });
  }
  const tls = url.protocol === 'https:';
  if (!tls && url.protocol !== 'http:')
    throw new HostError('network_denied', `requests go by https, not by ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new HostError('network_denied', 'a URL must not carry user information');
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  const destination = { url, host, port, tls };
  if (!covers(reach.hosts, destination)) {
    throw new HostError(
      'network_denied',
      `the tool may not reach ${host}:${port}; its manifest does not name that host`,
    );
  }
  if (!tls && !covers(reach.granted, destination)) throw ungranted(destination, 'plain http');
  return destination;
}

/** Looks the name up once and picks an address that may be reached; the connection is made to that address. */
export async function vettedAddress(
  destination: Destination,
  reach: Reach,
  resolve: Resolve,
): Promise<string> {
  const literal = parseAddress(destination.host);
  const addresses = literal === null ? await lookup(destination, resolve) : [destination.host];
  const granted = covers(reach.granted, destination);
  let refused: AddressKind | undefined;
  for (const address of addresses) {
    const bytes = parseAddress(address);
    const kind = bytes === null ? 'reserved' : addressKind(bytes);
    // A grant opens loopback and private networks, never link-local (cloud metadata) or reserved blocks.
    if (kind === 'public' || (granted && (kind === 'loopback' || kind === 'private'))) return address;
    refused = kind;
  }
  if (refused === undefined) {
    throw new HostError('network_failed', `the name ${destination.host} has no address`);
  }
  throw ungranted(destination, `a ${refused} address`);
}

async function lookup(destination: Destination, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(destination.host);
  } catch (error) {
    throw new HostError('network_failed', `the name ${destination.host} cannot be looked up`, {
      cause: error,
      hint: 'check the spelling and the network connection',
    });
  }
}

function covers(hosts: readonly NetworkHost[], destination: Destination): boolean {
  const standard = destination.tls ? 443 : 80;
  return hosts.some(
    (it) => sameHost(it.host, destination.host) && (it.port ?? standard) === destination.port,
  );
}

/** Two spellings of one address are the same host. */
function sameHost(a: string, b: string): boolean {
  if (a === b) return true;
  const left = parseAddress(a.replace(/^\[|\]$/g, ''));
  const right = parseAddress(b);
  return left !== null && right !== null && left.every((byte, index) => byte === right[index]);
}

function ungranted(destination: Destination, what: string): HostError {
  const { host, port } = destination;
  const name = host.includes(':') ? `[${host}]` : host;
  return new HostError('network_denied', `${name}:${port} is ${what}, which needs the operator's grant`, {
    hint: `if you mean it, add --allow net:${name}:${port}`,
  });
}
