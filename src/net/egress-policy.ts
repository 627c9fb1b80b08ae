import { HostError } from '../model/host-error.js';
import { parseAddress } from './address.js';
import {
  assertNotDenied,
  covers,
  type Destination,
  grantHint,
  nameOf,
  parseDestination,
  type Reach,
  ungranted,
} from './destination.js';

/** Where the processes of one sandbox may go. */
export interface EgressPolicy {
  /** `hosts` are allowed by name; `granted` also opens loopback, private addresses and plain http. */
  readonly reach: Reach;
  /** Any name with a public address, besides the hosts. */
  readonly anyPublic: boolean;
  /** Whether the processes hold a credential, which goes out over TLS only. */
  readonly secret: boolean;
}

/** A host that was asked for and not reached, for the record and for the person who may grant it. */
export interface Refusal {
  readonly host: string;
  readonly port: number;
  readonly reason: string;
  readonly hint?: string;
}

const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}$/;
const name = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/**
 * Reads `host:port` of a CONNECT; null when it names no host that could be judged. Some clients ask for a tunnel to
 * port 80 where others send a plain request; both are the usual port of that scheme.
 */
export function tunnelTarget(text: string): Destination | null {
  if (!authority.test(text)) return null;
  return readable(`${/:0*80$/.test(text) ? 'http' : 'https'}://${text}/`);
}

/** Reads the absolute form of a request, the only one a proxy answers. */
export function requestTarget(text: string): Destination | null {
  return /^https?:\/\/[!-~]+$/i.test(text) ? readable(text) : null;
}

function readable(text: string): Destination | null {
  let destination: Destination;
  try {
    destination = parseDestination(text);
  } catch (error) {
    if (error instanceof HostError) return null;
    throw error;
  }
  const { host, port } = destination;
  const known = parseAddress(host) !== null || (name.test(host) && host.length <= 253);
  return known && port > 0 ? destination : null;
}

/** Judges by name, before anything is looked up. `plain` is a request that is not encrypted. */
export function judgeName(destination: Destination, plain: boolean, policy: EgressPolicy): void {
  const { reach, anyPublic, secret } = policy;
  assertNotDenied(destination, reach);
  const granted = covers(reach.granted, destination);
  if (!anyPublic && !covers(reach.hosts, destination)) {
    throw new HostError(
      'network_denied',
      `the tool may not reach ${nameOf(destination)}; that host is not among those it was allowed`,
      { hint: grantHint(destination) },
    );
  }
  if (plain && secret && !granted) throw ungranted(destination, 'plain http from a tool that holds a secret');
}

/** Whether what runs through a tunnel must be TLS: a credential is never sent in the clear unasked. */
export function mustEncrypt(destination: Destination, policy: EgressPolicy): boolean {
  return policy.secret && !covers(policy.reach.granted, destination);
}
