import type { NetworkAccess, NetworkHost } from '../../model/permissions.js';

/** Which hosts may be reached, as people read it. */
export function networkText(network: NetworkAccess): string {
  switch (network.kind) {
    case 'none':
      return 'none';
    case 'public':
      return 'any public host';
    case 'hosts':
      return network.hosts.map(hostText).join(', ') || 'none';
  }
}

export function hostText({ host, port, subdomains = false }: NetworkHost): string {
  return `${subdomains ? '*.' : ''}${host}${port === null ? '' : `:${port}`}`;
}
