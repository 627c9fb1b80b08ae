import { HostError } from '../model/host-error.js';
import type { NetworkHost } from '../model/permissions.js';

/** What an operator grants in addition to what a manifest gets by itself. */
export interface Grant {
  readonly network: readonly NetworkHost[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly environment: readonly string[];
}

/** Grants of a session: shared by all packages, and for single packages by id. */
export interface Grants {
  readonly shared: Grant;
  readonly own: ReadonlyMap<string, Grant>;
}

const grammar =
  'use net:HOST[:PORT], read:PATH, write:PATH or env:NAME, with PACKAGE= before it for one package only';

const nothing: Grant = { network: [], read: [], write: [], environment: [] };

/** Parses `--allow` values. An invalid value is an error, never ignored. */
export function parseGrants(texts: readonly string[]): Grants {
  let shared = nothing;
  const own = new Map<string, Grant>();
  for (const text of texts) {
    const named = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)$/s.exec(text);
    const grant = parseGrant(named?.[2] ?? text);
    const id = named?.[1];
    if (id === undefined) shared = mergeGrants(shared, grant);
    else own.set(id, mergeGrants(own.get(id) ?? nothing, grant));
  }
  return { shared, own };
}

/** All grants of one package: its own and the shared ones. */
export function grantFor({ shared, own }: Grants, packageId: string): Grant {
  return mergeGrants(shared, own.get(packageId) ?? nothing);
}

export function mergeGrants(a: Grant, b: Grant): Grant {
  return {
    network: [...a.network, ...b.network],
    read: [...a.read, ...b.read],
    write: [...a.write, ...b.write],
    environment: [...a.environment, ...b.environment],
  };
}

function parseGrant(text: string): Grant {
  const colon = text.indexOf(':');
  const value = text.slice(colon + 1);
  if (colon < 1 || value === '') throw new HostError('usage', `"${text}" is not a grant`, { hint: grammar });
  switch (text.slice(0, colon)) {
    case 'net':
      return { ...nothing, network: [parseHost(value, text)] };
    case 'read':
      return { ...nothing, read: [value] };
    case 'write':
      return { ...nothing, write: [value] };
    case 'env':
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(value))
        throw new HostError('usage', `"${value}" is not a valid variable name`, { hint: grammar });
      return { ...nothing, environment: [value] };
    default:
      throw new HostError('usage', `"${text}" is not a grant`, { hint: grammar });
  }
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
