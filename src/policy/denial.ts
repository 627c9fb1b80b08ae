import { HostError } from '../model/host-error.js';
import type { DeniedHosts } from '../model/permissions.js';
import { type Grant, parseGrants } from './grant.js';

/** What the configuration denies to one package. A denial wins over every grant and manifest. */
export interface Denial {
  readonly network: readonly DeniedHosts[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly environment: readonly string[];
  readonly noNetwork: boolean;
  readonly noFiles: boolean;
  readonly noWriting: boolean;
  readonly noEnvironment: boolean;
}

/** Parses the denials for one package. An invalid value is an error, never ignored. */
export function denialFor(texts: readonly string[], packageId: string): Denial {
  const deniedEntirely = new Set<string>();
  const single: string[] = [];
  const exceptions: DeniedHosts[] = [];
  for (const text of texts) {
    const [, owner, rest = text] = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)$/s.exec(text) ?? [];
    const whole = /^(net|read|write|env):\*$/.exec(rest)?.[1];
    const kept = /^net:\* except((?: \S+)*)$/.exec(rest)?.[1];
    // Denials of other packages are parsed too, so that a mistake is always reported.
    const except = kept === undefined ? undefined : keptHosts(kept);
    if (whole === undefined && except === undefined) parsed(rest);
    if (owner !== undefined && owner !== packageId) continue;
    if (except !== undefined) exceptions.push({ host: '*', port: null, except });
    else if (whole === undefined) single.push(rest);
    else deniedEntirely.add(whole);
  }
  const { network, read, write, environment } = parsed(...single);
  return {
    network: deniedEntirely.has('net') ? [{ host: '*', port: null }] : [...network, ...exceptions],
    read,
    write,
    environment,
    noNetwork: deniedEntirely.has('net'),
    noFiles: deniedEntirely.has('read'),
    noWriting: deniedEntirely.has('write'),
    noEnvironment: deniedEntirely.has('env'),
  };
}

function keptHosts(text: string): Grant['network'] {
  const names = text.split(' ').filter((it) => it !== '');
  return parsed(...names.map((it) => `net:${it}`)).network;
}

function parsed(...texts: readonly string[]): Grant {
  try {
    return parseGrants(texts).shared;
  } catch (error) {
    const message = error instanceof HostError ? error.message : 'it is not valid';
    throw new HostError('invalid_config', `deny: ${message}`, {
      cause: error,
      hint: 'use net:HOST, read:PATH, write:PATH or env:NAME; * means all of a kind, and "net:* except HOST…" all but some hosts',
    });
  }
}

/** The grant without what is denied. Network denials are applied per connection, not here. */
export function applyDenial(grant: Grant, { environment, noEnvironment, noFiles, noWriting }: Denial): Grant {
  return {
    ...grant,
    read: noFiles ? [] : grant.read,
    write: noFiles || noWriting ? [] : grant.write,
    environment: noEnvironment ? [] : grant.environment.filter((it) => !environment.includes(it)),
  };
}
