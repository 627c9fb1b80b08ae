import { HostError } from '../model/host-error.js';
import type { NetworkHost } from '../model/permissions.js';
import type { NetworkReach } from '../net/destination.js';

/** The part of the egress proxy that an installation needs. */
export type OpenEgress = (options: {
  readonly socket: string;
  readonly policy: {
    readonly reach: NetworkReach;
    readonly anyPublic: boolean;
    readonly holdsSecret: boolean;
  };
  readonly active: boolean;
}) => Promise<{
  readonly socket: string;
  takeDenied(): readonly {
    readonly host: string;
    readonly port: number;
    readonly reason: string;
    /** Present if a grant would allow it: it is on this machine or in a private network. */
    readonly hint?: string | undefined;
  }[];
  close(): Promise<void>;
}>;

/**
 * The network access of an installer: none, one host with its grants, the configured index, or (without one) any public
 * address.
 */
export type InstallerNetwork =
  | { readonly kind: 'none' }
  | { readonly kind: 'host'; readonly reach: NetworkReach }
  | { readonly kind: 'index'; readonly url: URL; readonly host: NetworkHost }
  | { readonly kind: 'public' };

/** A configured index is allowed wherever it is, also on a private address; nothing else is. */
export function installerNetwork(index: string | undefined, otherwise: 'none' | 'public'): InstallerNetwork {
  if (index === undefined) return { kind: otherwise };
  const url = URL.canParse(index) ? new URL(index) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new HostError(
      'invalid_config',
      'the package index in the configuration is not an http or https URL',
      {
        hint: 'write the full URL, such as https://packages.example.com/simple/',
      },
    );
  }
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { kind: 'index', url, host: { host: url.hostname.toLowerCase().replace(/^\[|\]$/g, ''), port } };
}

/** The egress policy for an installer with network access. */
export function egressPolicyFor(
  network: Exclude<InstallerNetwork, { kind: 'none' }>,
): Parameters<OpenEgress>[0]['policy'] {
  if (network.kind === 'host') return { reach: network.reach, anyPublic: false, holdsSecret: false };
  const hosts = network.kind === 'index' ? [network.host] : [];
  return { reach: { hosts, granted: hosts }, anyPublic: network.kind === 'public', holdsSecret: false };
}

/** What to do about hosts that were denied to an installer. `setting`: how to name an index. */
export function deniedSourceHint(
  network: InstallerNetwork,
  denied: { readonly deniedHosts: readonly string[]; readonly isPrivate: boolean },
  setting: { readonly flag: string; readonly key: string; readonly path: string; readonly otherwise: string },
): string {
  const [first = ''] = denied.deniedHosts;
  const { flag, key, path, otherwise } = setting;
  if (denied.isPrivate && network.kind === 'public')
    return `it is on a private address; if it is your own index, name it: ${flag} https://${first.replace(/:443$/, '')}${path}, or ${key} in your configuration; --allow does not apply to installations`;
  return `${otherwise}; --allow does not apply to installations`;
}

/** For messages; without the password that the URL may contain. */
export function describeSource(network: InstallerNetwork): string {
  switch (network.kind) {
    case 'host':
      return network.reach.hosts.map((it) => it.host).join(', ');
    case 'index':
      return network.url.host;
    case 'public':
      return 'the public index';
    case 'none':
      return 'the configured folders';
  }
}
