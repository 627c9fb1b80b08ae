import { isAbsolute, resolve } from 'node:path';
import { realPathOf } from '../files/real-path.js';
import type { ParseOptions } from '../model/format.js';
import { HostError } from '../model/host-error.js';
import type { Violation } from '../model/violation.js';
import type { Waiver } from '../model/waiver.js';
import { type Grant, type Grants, mergeGrants, parseGrants } from '../policy/grant.js';
import type { ProcessOwner } from '../run/process-owner.js';
import type { Vault } from '../secrets/vault.js';
import type { FirstAcceptance, SessionIntent, SessionOptions } from './host.js';
import type { SetRequest } from './operator/tool-sets.js';
import type { WaiverGate } from './operator/waiver-gate.js';
import type { InstalledPlace } from './packages/installation-index.js';
import { assertPolicy, policyDigest } from './policy-check.js';
import type { SessionPolicy } from './session-policy.js';
import { settingsInForce, type WaivableSettings, waiversOf } from './session-waivers.js';

/** What a session has that was opened for the life cycle of one package. */
export interface SessionOwn {
  /** The installed packages of the session. Null: all that are installed for its workspace. */
  readonly places: readonly InstalledPlace[] | null;
  /** True: the files of `places` were just read and hashed, so their digests are taken as they are. */
  readonly hasDigests: boolean;
  /** The values of packages that it sees. Null: the stored ones. */
  readonly values: Vault | null;
  /** Collects what its packages do against their grants. Null: the policy decides what follows. */
  readonly violations: Violation[] | null;
}

/** Of a session that serves the installed packages. */
export const noSessionOwn: SessionOwn = {
  places: null,
  hasDigests: false,
  values: null,
  violations: null,
};

/**
 * The options of a session after validation. `grants`, `allow`, `policy` and `policyDigest` are those in force now: they
 * change when the operator accepts a waiver or sets a PIN, so do not keep copies of them.
 */
export interface SessionSetup extends SessionOwn {
  readonly principal: string;
  /** Which client of the principal; empty if all its sessions are one client. */
  readonly client: string;
  /** Whose processes serve the session: the principal, its client and the workspace. */
  readonly owner: ProcessOwner;
  readonly directories: readonly string[];
  readonly intent: SessionIntent;
  /** The workspace: an absolute path. */
  readonly root: string;
  readonly grants: Grants;
  /** The grants as text, sorted. */
  readonly allow: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly policy: SessionPolicy;
  /** Part of what an approval is bound to. */
  readonly policyDigest: string;
  /** All waivers of the session, also inactive ones. */
  readonly waivers: readonly Waiver[];
  /** Differs after every change of what is in force. */
  readonly version: number;
  readonly parse: ParseOptions;
  /** What the operator narrowed a package to; one line each. */
  narrowingOf(packageId: string): readonly string[];
  /** What decides about the set of the session. Null: no set applies, because its packages are only tried. */
  readonly setRequest: SetRequest | null;
  /** Adds what was granted to installed packages when they were installed, as `PACKAGE=GRANT`. Replaces the last list. */
  grantInstalled(allow: readonly string[]): void;
}

const sessionIntents: readonly SessionIntent[] = ['look', 'review', 'use'];

/** Checks the options of a session and fills in their defaults. `parse`: the defaults of the host. */
export function createSessionSetup(
  options: SessionOptions,
  parse: ParseOptions,
  gate: Pick<WaiverGate, 'version' | 'isActive'>,
  own: SessionOwn = noSessionOwn,
  narrowings: NarrowingsInForce = noNarrowings,
): SessionSetup {
  const {
    directories,
    principal = 'library',
    client = '',
    intent = 'use',
    root = process.cwd(),
    environment = {},
    policy = {},
  } = options;
  if (!sessionIntents.includes(intent))
    throw new HostError('usage', `unknown intent ${JSON.stringify(intent)}`, {
      hint: `use one of ${sessionIntents.join(', ')}`,
    });
  if (!isAbsolute(root)) throw new HostError('usage', 'root must be an absolute path');
  assertPolicy(policy);
  const requested = { policy, allow: [...(options.allow ?? [])].sort(), root };
  for (const name of allGrants(parseGrants(requested.allow)).environment) {
    if (!Object.hasOwn(environment, name))
      throw new HostError('usage', `env:${name} is granted, but the variable ${name} was not passed`);
  }
  let installed: readonly string[] = [];
  let known: { readonly version: number; readonly inForce: InForce } | undefined;
  const inForce = (): InForce => {
    const version = gate.version + narrowings.version;
    if (known?.version !== version)
      known = {
        version,
        inForce: resolveInForce(requested, (id) => gate.isActive(id), installed, narrowings),
      };
    return known.inForce;
  };
  return {
    principal,
    client,
    owner: { principal, id: JSON.stringify([principal, client, root]) },
    directories,
    intent,
    root,
    get grants() {
      return inForce().grants;
    },
    get allow() {
      return inForce().allow;
    },
    environment,
    get policy() {
      return inForce().policy;
    },
    get policyDigest() {
      return inForce().policyDigest;
    },
    waivers: waiversOf(requested),
    get version() {
      return gate.version + narrowings.version;
    },
    parse: {
      agentVersion: policy.agentVersion ?? parse.agentVersion,
      reservedIds: [...parse.reservedIds, ...(policy.reservedIds ?? [])],
    },
    ...own,
    narrowingOf: (packageId) => narrowings.lines(packageId),
    setRequest:
      own.places === null ? { principal, root: realPathOf(root) ?? root, chosen: chosenSet(options) } : null,
    grantInstalled(allow) {
      installed = [...allow].sort();
      known = undefined;
    },
  };
}

/** What packages were narrowed to: it applies like denials of the configuration. */
export interface NarrowingsInForce {
  /** Differs after every change. */
  readonly version: number;
  denials(): readonly string[];
  grants(): readonly string[];
  /** For people: one line each. */
  lines(packageId: string): readonly string[];
}

const noNarrowings: NarrowingsInForce = { version: 0, denials: () => [], grants: () => [], lines: () => [] };

/** A set that is loaded is about what agents see. A person who reviews packages sees all of them. */
function chosenSet({ set, intent }: SessionOptions): SetRequest['chosen'] {
  if (set !== null && set !== undefined && (typeof set !== 'string' || set === ''))
    throw new HostError('usage', 'set must be the name of a set, or null');
  return set === undefined && intent === 'review' ? null : set;
}

type InForce = Pick<SessionSetup, 'grants' | 'allow' | 'policy' | 'policyDigest'>;

function resolveInForce(
  requested: WaivableSettings,
  isActive: (id: string) => boolean,
  installed: readonly string[],
  narrowings: NarrowingsInForce,
): InForce {
  const { policy: configured, allow: own } = settingsInForce(requested, isActive);
  const allow = [...own, ...installed, ...narrowings.grants()];
  const denials = narrowings.denials();
  const policy =
    denials.length === 0 ? configured : { ...configured, deny: [...(configured.deny ?? []), ...denials] };
  const grants = absoluteGrants(parseGrants(allow), requested.root);
  return { grants, allow, policy, policyDigest: policyDigest(policy) };
}

/**
 * What the session accepts when it opens. By default only one that uses its packages accepts them; one that looks never
 * does. Not part of the setup, which lives as long as the session: it may contain the PIN.
 */
export function acceptanceOf(
  { accept }: SessionOptions,
  { directories, intent, principal }: SessionSetup,
): FirstAcceptance | null {
  if (intent === 'look') return null;
  if (accept !== null && accept !== undefined && !Array.isArray(accept.in))
    throw new HostError('usage', 'accept.in must be a list of paths');
  if (accept !== undefined) return accept;
  return intent === 'use' ? { in: directories, by: principal } : null;
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

/** The error of a session that only looks, for everything that is more than looking. `what` completes "cannot …". */
export function onlyLooks(what: string): HostError {
  return new HostError('not_supported', `this session only looks, so it cannot ${what}`, {
    hint: "open another one with the intent 'use'",
  });
}
