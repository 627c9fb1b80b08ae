import { HostError } from '../model/host-error.js';
import { hostName, mayReceive } from '../model/host-name.js';
import { isObject, type Json } from '../model/json.js';
import type { NetworkAccess, NetworkHost } from '../model/permissions.js';
import type { Recipients, Slot, SlotValue } from '../model/slot.js';

/** Who may receive a value: those hosts and their subdomains, anybody, or whom the manifest names. */
export type ValueAudience =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'manifest' };

/** One spelling per audience. Anything that is not exactly one host is refused. */
export function normalAudience(audience: ValueAudience): Json {
  if (audience.kind !== 'hosts') return { kind: audience.kind };
  const hosts = audience.hosts.map((text) => {
    const name = /^[^\s/@?#\\%*:[\]]+$|^\[[0-9A-Fa-f:.]+\]$/.test(text) ? hostName(text) : '';
    if (name === '' || name.startsWith('.') || name.includes('..'))
      throw new HostError('invalid_input', `${JSON.stringify(text)} does not name a host`, {
        hint: 'write a plain name such as api.example.com, without a scheme, port or path',
      });
    return name;
  });
  if (hosts.length === 0)
    throw new HostError('invalid_input', 'no host was named that may receive the value');
  return { kind: 'hosts', hosts: [...new Set(hosts)].sort() };
}

/** What was kept; undefined when it is not of our making. */
export function readAudience(text: string): ValueAudience | undefined {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(said)) return undefined;
  const { kind, hosts } = said;
  if (kind === 'any' || kind === 'manifest') return { kind };
  const named = kind === 'hosts' && Array.isArray(hosts) && hosts.every((it) => typeof it === 'string');
  return named ? { kind, hosts: hosts as string[] } : undefined;
}

/** The operator's word where there is one, else the manifest's; nobody where neither names anyone. */
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

/** A host that code with a secret may reach. `subdomains`: names below it too. */
export interface ReachedHost extends NetworkHost {
  readonly subdomains: boolean;
}

export type NarrowedReach =
  | { readonly kind: 'none' }
  | { readonly kind: 'public' }
  | { readonly kind: 'hosts'; readonly hosts: readonly ReachedHost[] };

/**
 * Where code may go once it holds these values: what the package may reach, and of that only where one of its secrets
 * may go. A secret that may go anywhere lifts no bound that another one sets.
 */
export function narrowedReach(network: NetworkAccess, held: Iterable<SlotValue>): NarrowedReach {
  const bounds = [...held].flatMap((it) =>
    it.secret && it.recipients.kind !== 'any' ? [it.recipients] : [],
  );
  switch (network.kind) {
    case 'none':
      return { kind: 'none' };
    case 'public': {
      if (bounds.length === 0) return { kind: 'public' };
      const names = bounds.flatMap((it) => (it.kind === 'hosts' ? it.hosts.map(hostName) : []));
      const known = [...new Set(names)].filter((it) => it !== '').sort();
      return someHosts(known.map((host) => ({ host, port: null, subdomains: true })));
    }
    case 'hosts':
      return someHosts(
        network.hosts
          .filter(({ host }) => bounds.length === 0 || bounds.some((it) => mayReceive(it, host)))
          .map((it) => ({ subdomains: false, ...it })),
      );
  }
}

function someHosts(hosts: readonly ReachedHost[]): NarrowedReach {
  return hosts.length === 0 ? { kind: 'none' } : { kind: 'hosts', hosts };
}
