import { networkInterfaces } from 'node:os';
import { HostError } from '../model/host-error.js';
import { coversHost, isSameOrSubdomain } from '../model/host-name.js';
import type { DeniedHosts, NetworkHost } from '../model/permissions.js';
import { type AddressKind, addressKind, parseAddress } from './address.js';

/** Where requests may go. */
export interface NetworkReach {
  readonly hosts: readonly NetworkHost[];
  /** Granted by an operator. Only these may be loopback or private addresses, or use plain http. */
  readonly granted: readonly NetworkHost[];
  /** Denied by an operator; wins over the others. Includes subdomains; port null means every port. */
  readonly denied?: readonly DeniedHosts[];
  /** Certificate authorities that are trusted besides the usual ones, as PEM. */
  readonly certificates?: string | undefined;
}

export interface Destination {
  readonly url: URL;
  /** Lower case, no brackets, no trailing dot. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export type Resolve = (host: string) => Promise<readonly string[]>;

/** Parses a URL without checking whether it may be reached. */
export function parseDestination(text: string): Destination {
  let url: URL;
  try {
    url = new URL(text);
  } catch (error) {
    throw new HostError('network_denied', 'the request has no valid URL', { cause: error });
  }
  const tls = url.protocol === 'https:';
  if (!tls && url.protocol !== 'http:')
    throw new HostError('network_denied', `requests use https, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new HostError('network_denied', 'the URL must not contain a user name or password');
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
  return { url, host, port, tls };
}

/** Parses a URL and checks its host, before any DNS lookup. */
export function allowedDestination(text: string, reach: NetworkReach): Destination {
  const destination = parseDestination(text);
  assertNotDenied(destination, reach);
  if (!coversDestination(reach.hosts, destination)) {
    throw new HostError(
      'network_denied',
      `the tool may not reach ${hostPort(destination)}; its manifest does not name that host`,
    );
  }
  if (!destination.tls && !coversDestination(reach.granted, destination))
    throw grantNeeded(destination, 'plain http');
  return destination;
}

/** Throws if a request to this URL will be denied, as far as that is known without a DNS lookup. */
export function assertMayReach(text: string, reach: NetworkReach): void {
  const destination = allowedDestination(text, reach);
  const { host } = destination;
  const isLocalName = host === 'localhost' || host.endsWith('.localhost');
  const kind = isLocalName
    ? 'loopback'
    : parseAddress(host) === null
      ? 'public'
      : kindOf(host, ownAddresses());
  const grantable = kind === 'loopback' || kind === 'private';
  if (kind === 'public' || (grantable && coversDestination(reach.granted, destination))) return;
  throw addressDenied(kind, destination);
}

/** A grant allows loopback and private addresses, never link-local (cloud metadata) or reserved ones. */
function addressDenied(kind: AddressKind, destination: Destination): HostError {
  if (kind !== 'link-local' && kind !== 'reserved') return grantNeeded(destination, `a ${kind} address`);
  const message = `${hostPort(destination)} is a ${kind} address, which cannot be granted`;
  return new HostError('network_denied', message);
}

/** Looks the name up once and returns an allowed address. The caller must connect to exactly this address. */
export async function allowedAddress(
  destination: Destination,
  reach: NetworkReach,
  resolve: Resolve,
): Promise<string> {
  const [first] = await allowedAddresses(destination, reach, resolve);
  return first as string;
}

/** All allowed addresses of one lookup, at least one. Throws when there is none. */
export async function allowedAddresses(
  destination: Destination,
  reach: NetworkReach,
  resolve: Resolve,
  own: () => readonly string[] = ownAddresses,
): Promise<readonly string[]> {
  const literal = parseAddress(destination.host);
  const addresses = literal === null ? await lookup(destination, resolve) : [destination.host];
  const granted = coversDestination(reach.granted, destination);
  const localAddresses = own();
  // Exceptions are names, which were checked before the lookup.
  const deniedAddresses = (reach.denied ?? []).filter((it) => it.except === undefined);
  const allowed: string[] = [];
  let denied: AddressKind | undefined;
  for (const address of addresses) {
    assertNotDenied({ ...destination, host: address }, { ...reach, denied: deniedAddresses });
    const kind = kindOf(address, localAddresses);
    // A grant allows loopback and private addresses, never link-local (cloud metadata) or reserved ones.
    if (kind === 'public' || (granted && (kind === 'loopback' || kind === 'private'))) allowed.push(address);
    else denied = kind;
  }
  if (allowed.length > 0) return allowed;
  if (denied === undefined) {
    throw new HostError('network_failed', `the name ${destination.host} has no IP address`);
  }
  throw addressDenied(denied, destination);
}

/** A public address of this machine reaches its local services, so it counts as loopback. */
function kindOf(address: string, localAddresses: readonly string[]): AddressKind {
  const bytes = parseAddress(address);
  if (bytes === null) return 'reserved';
  const kind = addressKind(bytes);
  return kind === 'public' && localAddresses.some((it) => sameHost(it, address)) ? 'loopback' : kind;
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((it) => (it ?? []).map(({ address }) => address));
}

async function lookup(destination: Destination, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(destination.host);
  } catch (error) {
    throw new HostError('network_failed', `the DNS lookup of ${destination.host} failed`, {
      cause: error,
      hint: 'check the spelling and the network connection',
      ...((error as NodeJS.ErrnoException).code === 'EAI_AGAIN' ? { transient: {} } : {}),
    });
  }
}

/** Throws if an operator denied this host, by name or by address. */
export function assertNotDenied(destination: Destination, { denied = [] }: NetworkReach): void {
  const outside = denied.some((it) => it.except !== undefined && !coversDestination(it.except, destination));
  if (outside)
    throw new HostError(
      'network_denied',
      `the operator narrowed the network access; ${hostPort(destination)} is not part of it`,
      {
        hint: 'see "toolwharf info PACKAGE"; "toolwharf learn PACKAGE --undo" removes what was learned',
      },
    );
  if (denied.some((it) => it.except === undefined && isDenied(it, destination.host, destination.port)))
    throw new HostError('network_denied', `the configuration denies ${hostPort(destination)}`, {
      hint: 'see "deny" in "toolwharf config list --show-origin"',
    });
}

/** A denied name includes all its subdomains, even of a public suffix. */
function isDenied({ host, port }: NetworkHost, name: string, at: number): boolean {
  return (
    (host === '*' || sameHost(host, name) || isSameOrSubdomain(host, name)) && (port === null || port === at)
  );
}

export function coversDestination(hosts: readonly NetworkHost[], destination: Destination): boolean {
  const standard = destination.tls ? 443 : 80;
  return hosts.some(
    (it) =>
      (sameHost(it.host, destination.host) ||
        (it.subdomains === true && coversHost(it.host, destination.host))) &&
      (it.port ?? standard) === destination.port,
  );
}

/** Different notations of one IP address are the same host. */
function sameHost(a: string, b: string): boolean {
  if (a === b) return true;
  const left = parseAddress(a.replace(/^\[|\]$/g, ''));
  const right = parseAddress(b);
  return left !== null && right !== null && left.every((byte, index) => byte === right[index]);
}

export function grantNeeded(destination: Destination, what: string): HostError {
  const name = hostPort(destination);
  return new HostError('network_denied', `${name} is ${what}, which needs the operator's grant`, {
    hint: grantHint(destination),
  });
}

/** `host:port`, with IPv6 addresses in brackets. */
export function hostPort({ host, port }: Pick<Destination, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function grantHint(destination: Destination): string {
  return `to grant it, add --allow net:${hostPort(destination)}`;
}
