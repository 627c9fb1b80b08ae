import { HostError } from '../model/host-error.js';
import type { NetworkHost } from '../model/permissions.js';
import { type Grant, parseGrants } from './grant.js';

/** What is ruled out for one package, whatever was granted or declared. */
export interface Denial {
  /** A host of `*` is every host. */
  readonly network: readonly NetworkHost[];
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly environment: readonly string[];
  readonly noNetwork: boolean;
  readonly noFiles: boolean;
  readonly noWriting: boolean;
  readonly noEnvironment: boolean;
}

/** Reads denials for one package. Anything that is not understood is refused, never ignored. */
export function denialFor(texts: readonly string[], packageId: string): Denial {
  const all = new Set<string>();
  const plain: string[] = [];
  for (const text of texts) {
    const [, owner, rest = text] = /^([A-Za-z0-9][A-Za-z0-9._-]*)=(.*)$/s.exec(text) ?? [];
    const whole = /^(net|read|write|env):\*$/.exec(rest)?.[1];
    // Those of others are read too: a mistake in one is a mistake for everybody.
    if (whole === undefined) parsed(rest);
    if (owner !== undefined && owner !== packageId) continue;
    if (whole === undefined) plain.push(rest);
    else all.add(whole);
  }
  const { network, read, write, environment } = parsed(...plain);
  return {
    network: all.has('net') ? [{ host: '*', port: null }] : network,
    read,
    write,
    environment,
    noNetwork: all.has('net'),
    noFiles: all.has('read'),
    noWriting: all.has('write'),
    noEnvironment: all.has('env'),
  };
}

function parsed(...texts: readonly string[]): Grant {
  try {
    return parseGrants(texts).shared;
  } catch (error) {
    const message = error instanceof HostError ? error.message : 'it is not understood';
    throw new HostError('invalid_config', `deny: ${message}`, {
      cause: error,
      hint: 'write net:HOST, read:PATH, write:PATH or env:NAME, with * for all of them',
    });
  }
}

/** What is left of a grant. */
export function without(grant: Grant, { environment, noEnvironment, noFiles, noWriting }: Denial): Grant {
  return {
    ...grant,
    read: noFiles ? [] : grant.read,
    write: noFiles || noWriting ? [] : grant.write,
    environment: noEnvironment ? [] : grant.environment.filter((it) => !environment.includes(it)),
  };
}
