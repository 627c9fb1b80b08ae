import { networkInterfaces } from 'node:os';
import { HostError } from '../model/host-error.js';
import { coversHost, isWithin } from '../model/host-name.js';
import type { NetworkHost } from '../model/permissions.js';
import { type AddressKind, addressKind, parseAddress } from './address.js';

/** Where requests may go. `granted` comes from an operator and is the only way to loopback or private addresses. */
export interface Reach {
  readonly hosts: readonly NetworkHost[];
  readonly granted: readonly NetworkHost[];
  /** Refused whatever else is said; a port of null is every port, and names below are meant too. */
  readonly denied?: readonly NetworkHost[];
}

export interface Destination {
  readonly url: URL;
  /** Lower case, no brackets, no trailing dot. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export type Resolve = (host: string) => Promise<readonly string[]>;

/** Reads a URL without judging whether it may be reached. */
export function parseDestination(text: string): Destination {
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
  return { url, host, port, tls };
}

/** Judges a URL before anything is looked up. */
export function destinationOf(text: string, reach: Reach): Destination {
  const destination = parseDestination(text);
  assertNotDenied(destination, reach);
  if (!covers(reach.hosts, destination)) {
    throw new HostError(
      'network_denied',
      `the tool may not reach ${nameOf(destination)}; its manifest does not name that host`,
    );
  }
  if (!destination.tls && !covers(reach.granted, destination)) throw ungranted(destination, 'plain http');
  return destination;
}

/** Looks the name up once and picks an address that may be reached; the connection is made to that address. */
export async function vettedAddress(
  destination: Destination,
  reach: Reach,
  resolve: Resolve,
): Promise<string> {
  const [first] = await vettedAddresses(destination, reach, resolve);
  return first as string;
}

/** All addresses of one lookup that may be reached, at least one. */
export async function vettedAddresses(
  destination: Destination,
  reach: Reach,
  resolve: Resolve,
  own: () => readonly string[] = ownAddresses,
): Promise<readonly string[]> {
  const literal = parseAddress(destination.host);
  const addresses = literal === null ? await lookup(destination, resolve) : [destination.host];
  const granted = covers(reach.granted, destination);
  const here = own();
  const vetted: string[] = [];
  let refused: AddressKind | undefined;
  for (const address of addresses) {
    assertNotDenied({ ...destination, host: address }, reach);
    const kind = kindOf(address, here);
    // A grant opens loopback and private networks, never link-local (cloud metadata) or reserved blocks.
    if (kind === 'public' || (granted && (kind === 'loopback' || kind === 'private'))) vetted.push(address);
    else refused = kind;
  }
  if (vetted.length > 0) return vetted;
  if (refused === undefined) {
    throw new HostError('network_failed', `the name ${destination.host} has no address`);
  }
  if (refused === 'link-local' || refused === 'reserved') {
    throw new HostError(
      'network_denied',
      `${nameOf(destination)} is a ${refused} address, which no grant opens`,
    );
  }
  throw ungranted(destination, `a ${refused} address`);
}

/** A public address of this very machine leads to its local listeners, so it is loopback. */
function kindOf(address: string, here: readonly string[]): AddressKind {
  const bytes = parseAddress(address);
  if (bytes === null) return 'reserved';
  const kind = addressKind(bytes);
  return kind === 'public' && here.some((it) => sameHost(it, address)) ? 'loopback' : kind;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((it) => (it ?? []).map(({ address }) => address));
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

/** What an operator ruled out is not gone to, under its name or at its address. */
export function assertNotDenied(destination: Destination, { denied = [] }: Reach): void {
  if (denied.some((it) => isDenied(it, destination.host, destination.port)))
    throw new HostError(
      'network_denied',
      `the configuration rules ${nameOf(destination)} out, whatever else was granted`,
      { hint: 'see "deny" in "toolwharf config list --show-origin"' },
    );
}

/** All names below one that is ruled out are, whoever they belong to. */
function isDenied({ host, port }: NetworkHost, name: string, at: number): boolean {
  return (host === '*' || sameHost(host, name) || isWithin(host, name)) && (port === null || port === at);
}

export function covers(hosts: readonly NetworkHost[], destination: Destination): boolean {
  const standard = destination.tls ? 443 : 80;
  return hosts.some(
    (it) =>
      (sameHost(it.host, destination.host) ||
        (it.subdomains === true && coversHost(it.host, destination.host))) &&
      (it.port ?? standard) === destination.port,
  );
}

/** Two spellings of one address are the same host. */
function sameHost(a: string, b: string): boolean {
  if (a === b) return true;
  const left = parseAddress(a.replace(/^\[|\]$/g, ''));
  const right = parseAddress(b);
  return left !== null && right !== null && left.every((byte, index) => byte === right[index]);
}

export function ungranted(destination: Destination, what: string): HostError {
  const name = nameOf(destination);
  return new HostError('network_denied', `${name} is ${what}, which needs the operator's grant`, {
    hint: grantHint(destination),
  });
}

/** Host and port as they are written, an address of IPv6 in brackets. */
export function nameOf({ host, port }: Pick<Destination, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function grantHint(destination: Destination): string {
  return `if you mean it, add --allow net:${nameOf(destination)}`;
}
