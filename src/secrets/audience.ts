import { HostError } from '../model/host-error.js';
import { mayReceive, normalizeHostName } from '../model/host-name.js';
import { isObject, type Json, tryParseStored } from '../model/json.js';
import type { NetworkAccess, NetworkHost } from '../model/permissions.js';
import type { Recipients, Slot, SlotValue } from '../model/slot.js';

/** Who may receive a value: these hosts and their subdomains, any host, or the hosts that the manifest names. */
export type ValueAudience =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'manifest' };

/** The canonical form of an audience. Rejects every entry that is not exactly one host. */
export function normalizeAudience(audience: ValueAudience): Json {
  if (audience.kind !== 'hosts') return { kind: audience.kind };
  const hosts = audience.hosts.map((text) => {
    const name = /^[^\s/@?#\\%*:[\]]+$|^\[[0-9A-Fa-f:.]+\]$/.test(text) ? normalizeHostName(text) : '';
    if (name === '' || name.startsWith('.') || name.includes('..'))
      throw new HostError('invalid_input', `${JSON.stringify(text)} does not name a host`, {
        hint: 'write a plain name such as api.example.com, without a scheme, port or path',
      });
    return name;
  });
  if (hosts.length === 0)
    throw new HostError('invalid_input', 'the list of hosts that may receive the value is empty');
  return { kind: 'hosts', hosts: [...new Set(hosts)].sort() };
}

/** Parses the stored text; undefined when it is invalid. */
export function parseAudience(text: string): ValueAudience | undefined {
  const value = tryParseStored(text);
  if (!isObject(value)) return undefined;
  const { kind, hosts } = value;
  if (kind === 'any' || kind === 'manifest') return { kind };
  const isHostList = kind === 'hosts' && Array.isArray(hosts) && hosts.every((it) => typeof it === 'string');
  return isHostList ? { kind, hosts: hosts as string[] } : undefined;
}

/** The recipients that the operator chose, else those of the manifest; nobody if neither names any. */
export function recipientsOf(slot: Slot, audience: ValueAudience): Recipients {
  if (audience.kind !== 'manifest') return audience;
  switch (slot.audience.kind) {
    case 'hosts':
      return { kind: 'hosts', hosts: slot.audience.hosts };
    case 'public':
      return { kind: 'any' };
    case 'unbound':
      return slot.secret ? { kind: 'nobody' } : { kind: 'any' };
  }
}

/** A host that a process with secrets may reach. `subdomains`: its subdomains too. */
export interface ReachableHost extends NetworkHost {
  readonly subdomains: boolean;
}

export type NarrowedReach =
  | { readonly kind: 'none' }
  | { readonly kind: 'public' }
  | { readonly kind: 'hosts'; readonly hosts: readonly ReachableHost[] };

/**
 * Where a process may connect that holds these values: the hosts of the package, limited to the recipients of its
 * secrets. A secret with any recipient does not lift the limit of another secret. `granted`: recipients may also be
 * reached at the ports that the operator granted.
 */
export function narrowedReach(
  network: NetworkAccess,
  values: Iterable<SlotValue>,
  granted: readonly NetworkHost[] = [],
): NarrowedReach {
  const limits = [...values].flatMap((it) =>
    it.secret && it.recipients.kind !== 'any' ? [it.recipients] : [],
  );
  switch (network.kind) {
    case 'none':
      return { kind: 'none' };
    case 'public': {
      if (limits.length === 0) return { kind: 'public' };
      const names = limits.flatMap((it) => (it.kind === 'hosts' ? it.hosts.map(normalizeHostName) : []));
      const hosts = [...new Set(names)].filter((it) => it !== '').sort();
      const atPorts = granted.filter(
        ({ host, port }) => port !== null && limits.some((it) => mayReceive(it, host)),
      );
      return hostsOrNone([
        ...hosts.map((host) => ({ host, port: null, subdomains: true })),
        ...atPorts.map((it) => ({ subdomains: false, ...it })),
      ]);
    }
    case 'hosts':
      return hostsOrNone(
        network.hosts
          .filter(({ host }) => limits.length === 0 || limits.some((it) => mayReceive(it, host)))
          .map((it) => ({ subdomains: false, ...it })),
      );
  }
}

function hostsOrNone(hosts: readonly ReachableHost[]): NarrowedReach {
  return hosts.length === 0 ? { kind: 'none' } : { kind: 'hosts', hosts };
}
