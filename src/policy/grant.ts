import { HostError } from '../model/host-error.js';
import type { NetworkHost } from '../model/permissions.js';

/** What an operator agreed to on top of what a manifest may have by itself. */
export interface Grant {
  readonly network: readonly NetworkHost[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly environment: readonly string[];
}

const grammar = 'use net:HOST[:PORT], read:PATH, write:PATH or env:NAME';

/** Reads `--allow` values. Anything that is not understood is refused, never ignored. */
export function parseGrants(texts: readonly string[]): Grant {
  const network: NetworkHost[] = [];
  const read: string[] = [];
  const write: string[] = [];
  const environment: string[] = [];
  for (const text of texts) {
    const colon = text.indexOf(':');
    const value = text.slice(colon + 1);
    if (colon < 1 || value === '')
      throw new HostError('usage', `"${text}" is not a grant`, { hint: grammar });
    switch (text.slice(0, colon)) {
      case 'net':
        network.push(parseHost(value, text));
        break;
      case 'read':
        read.push(value);
        break;
      case 'write':
        write.push(value);
        break;
      case 'env':
        if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(value))
          throw new HostError('usage', `"${value}" is not the name of a variable`, { hint: grammar });
        environment.push(value);
        break;
      default:
        throw new HostError('usage', `"${text}" is not a grant`, { hint: grammar });
    }
  }
  return { network, read, write, environment };
}

function parseHost(value: string, text: string): NetworkHost {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([^\s:/@[\]*]+))(?::(\d{1,5}))?$/.exec(value);
  const host = (match?.[1] ?? match?.[2])?.toLowerCase().replace(/\.$/, '');
  const port = match?.[3] === undefined ? null : Number(match[3]);
  if (host === undefined || host === '' || (port !== null && (port < 1 || port > 65535))) {
    throw new HostError('usage', `"${text}" does not name a host`, {
      hint: 'write a plain name or address, such as net:api.example.com or net:127.0.0.1:8080',
    });
  }
  return { host, port };
}
