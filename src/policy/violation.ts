import { coversHost, isSameOrSubdomain } from '../model/host-name.js';
import type { Json } from '../model/json.js';
import type { NetworkAccess, NetworkHost } from '../model/permissions.js';
import { parseViolationSetting, type ViolationAction, violationActions } from '../model/violation.js';

/** What the operator decided for violations. */
export interface ViolationPolicy {
  /** Default: `report`. */
  readonly default?: ViolationAction;
  /** `PACKAGE=ACTION`. Of several for one package, the strictest counts. */
  readonly packages?: readonly string[];
}

/** What to do about a violation of a package. */
export function violationActionFor(policy: ViolationPolicy | undefined, packageId: string): ViolationAction {
  const own = (policy?.packages ?? []).flatMap((it) => {
    const { package: id, action } = parseViolationSetting(it) ?? {};
    return id === packageId && action !== undefined ? [action] : [];
  });
  if (own.length === 0) return policy?.default ?? 'report';
  const strictest = Math.max(...own.map((it) => violationActions.indexOf(it)));
  return violationActions[strictest] ?? 'revoke';
}

export interface CallNetwork {
  /** What the manifest asks for. */
  readonly network: NetworkAccess;
  /** What the operator granted and denied in addition. */
  readonly granted: readonly NetworkHost[];
  readonly denied: readonly NetworkHost[];
  /** The arguments of the call. */
  readonly input: Json;
}

/**
 * Which of the denied places a program tried to reach against its grant. Not those that its caller named, that its
 * manifest names or that the operator denies: for these the program does what it was accepted for.
 */
export function violatingPlaces(places: readonly string[], call: CallNetwork): readonly string[] {
  const { network, granted, denied } = call;
  const named = JSON.stringify(call.input).toLowerCase();
  const known = [...(network.kind === 'hosts' ? network.hosts : []), ...granted];
  return places.filter((place) => {
    const { host, port } = placeOf(place);
    if (host === '' || named.includes(host.toLowerCase())) return false;
    if (denied.some((it) => isSameOrSubdomain(it.host, host))) return false;
    if (known.some((it) => coversHost(it.host, host) && (it.port === null || it.port === port))) return false;
    // Any public host is granted, and a name may mean one. An address of this machine or network does not.
    return network.kind !== 'public' || isLocal(host);
  });
}

function placeOf(place: string): { readonly host: string; readonly port: number } {
  const colon = place.lastIndexOf(':');
  const host = (colon < 1 ? place : place.slice(0, colon)).replace(/^\[|\]$/g, '');
  return { host, port: Number(place.slice(colon + 1)) };
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || /^[\d.]+$/.test(host) || host.includes(':');
}
