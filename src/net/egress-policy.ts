import { HostError } from '../model/host-error.js';
import { parseAddress } from './address.js';
import {
  assertNotDenied,
  coversDestination,
  type Destination,
  grantHint,
  grantNeeded,
  hostPort,
  type NetworkReach,
  parseDestination,
} from './destination.js';

/** Where the processes of one sandbox may go. */
export interface EgressPolicy {
  /** `hosts` are allowed by name; `granted` also opens loopback, private addresses and plain http. */
  readonly reach: NetworkReach;
  /** Also allows every host with a public address. */
  readonly anyPublic: boolean;
  /** Whether the processes hold a secret. Then only TLS is allowed, except to granted hosts. */
  readonly holdsSecret: boolean;
}

/** A denied connection, for the audit log and for the person who may grant it. */
export interface DeniedHost {
  readonly host: string;
  readonly port: number;
  readonly reason: string;
  readonly hint?: string;
}

const authority = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}$/;
const name = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/**
 * Parses the `host:port` of a CONNECT; null when it is not a valid host. Port 80 counts as http: some clients open a
 * tunnel to port 80 where others send a plain request.
 */
export function tunnelTarget(text: string): Destination | null {
  if (!authority.test(text)) return null;
  return validDestination(`${/:0*80$/.test(text) ? 'http' : 'https'}://${text}/`);
}

/** Parses the absolute form of a request URL, the only form that a proxy accepts. */
export function requestTarget(text: string): Destination | null {
  return /^https?:\/\/[!-~]+$/i.test(text) ? validDestination(text) : null;
}

function validDestination(text: string): Destination | null {
  let destination: Destination;
  try {
    destination = parseDestination(text);
  } catch (error) {
    if (error instanceof HostError) return null;
    throw error;
  }
  const { host, port } = destination;
  const isValid = parseAddress(host) !== null || (name.test(host) && host.length <= 253);
  return isValid && port > 0 ? destination : null;
}

/** Checks the host name, before any DNS lookup. `plain`: the request is not encrypted. Throws when it is denied. */
export function checkHostName(destination: Destination, plain: boolean, policy: EgressPolicy): void {
  const { reach, anyPublic, holdsSecret } = policy;
  assertNotDenied(destination, reach);
  const granted = coversDestination(reach.granted, destination);
  if (!anyPublic && !coversDestination(reach.hosts, destination)) {
    throw new HostError(
      'network_denied',
      `the tool may not reach ${hostPort(destination)}; that host is not allowed`,
      { hint: grantHint(destination) },
    );
  }
  if (plain && holdsSecret && !granted)
    throw grantNeeded(destination, 'plain http from a tool that holds a secret');
}

/** Whether the data of a tunnel must be TLS: a secret is never sent unencrypted without a grant. */
export function requiresTls(destination: Destination, policy: EgressPolicy): boolean {
  return policy.holdsSecret && !coversDestination(policy.reach.granted, destination);
}
