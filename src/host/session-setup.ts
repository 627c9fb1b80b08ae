import { isAbsolute, resolve } from 'node:path';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import { type Grant, type Grants, mergeGrants, parseGrants } from '../policy/grant.js';
import type { SessionOptions } from './host.js';
import { assertPolicy, policyDigest } from './policy-check.js';
import type { SessionPolicy } from './session-policy.js';

/** The options of a session after validation. */
export interface SessionSetup {
  readonly principal: string;
  readonly directories: readonly string[];
  /** Paths in which packages found for the first time are accepted. */
  readonly acceptNewIn: readonly string[];
  /** The workspace: an absolute path. */
  readonly root: string;
  readonly grants: Grants;
  /** The grants as text, sorted. */
  readonly allow: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** Part of what an approval is bound to. */
  readonly policyDigest: string;
  readonly parse: ParseOptions;
}

/** Checks the options of a session and fills in their defaults. `parse`: the defaults of the host. */
export function createSessionSetup(options: SessionOptions, parse: ParseOptions): SessionSetup {
  const { directories, principal = 'library', root = process.cwd(), environment = {}, policy = {} } = options;
  if (!isAbsolute(root)) throw new HostError('usage', 'root must be an absolute path');
  assertPolicy(policy);
  const grants = absoluteGrants(parseGrants(options.allow ?? []), root);
  for (const name of allGrants(grants).environment) {
    if (!Object.hasOwn(environment, name))
      throw new HostError('usage', `env:${name} is granted, but the variable ${name} was not passed`);
  }
  return {
    principal,
    directories,
    acceptNewIn: options.inspectOnly === true ? [] : (options.acceptNewIn ?? directories),
    root,
    grants,
    allow: [...(options.allow ?? [])].sort(),
    environment,
    policy,
    policyDigest: policyDigest(policy),
    parse: {
      agentVersion: policy.agentVersion ?? parse.agentVersion,
      reservedIds: [...parse.reservedIds, ...(policy.reservedIds ?? [])],
    },
  };
}

/** Relative paths in grants start at the workspace. */
function absoluteGrants({ shared, own }: Grants, root: string): Grants {
  const absolute = (path: string) => (isAbsolute(path) ? path : resolve(root, path));
  const resolved = (it: Grant) => ({ ...it, read: it.read.map(absolute), write: it.write.map(absolute) });
  return { shared: resolved(shared), own: new Map([...own].map(([id, it]) => [id, resolved(it)])) };
}

function allGrants({ shared, own }: Grants): Grant {
  return [...own.values()].reduce(mergeGrants, shared);
}
