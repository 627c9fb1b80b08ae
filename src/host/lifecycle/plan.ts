import { sha256 } from '../../files/sha256.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { lockedText } from '../../model/locked-text.js';
import type { Package } from '../../model/package.js';
import type { Plan, PlanChanges, PlannedCredential } from '../../model/plan.js';
import type { SandboxLevel } from '../../model/sandbox-level.js';
import type { Slot } from '../../model/slot.js';
import type { LockedSource } from '../../model/source.js';
import { parseGrants } from '../../policy/grant.js';
import { folderGrant, hostGrant, requiredAgreements } from '../../policy/required-agreements.js';
import { type PackageRequest, parseRequest, requestOf } from '../../policy/review/request.js';
import { smokeText } from '../../policy/review/request-text.js';
import { widening } from '../../policy/review/widening.js';
import type { StoredGeneration } from '../../store/installations.js';
import { reviewOf } from '../packages/agreement-difference.js';
import type { InstallCandidate } from './candidate.js';
import { missingKillSwitchGrant } from './kill-switch-grant.js';
import { movedTags } from './moved-tags.js';

/** What the plan says about this machine and what is stored, besides the package itself. */
export interface PlanFacts {
  /** The generation that is served now. */
  readonly current: StoredGeneration | undefined;
  /** False: it is being revoked, or not installed. */
  readonly isServed: boolean;
  readonly sandbox: SandboxLevel;
  readonly blockers: readonly string[];
  /** Slots that have a value already. */
  readonly filled: ReadonlySet<string>;
  readonly runtimes: readonly string[];
  readonly dependencies: readonly string[];
  readonly warnings: readonly string[];
  readonly files: Plan['files'];
  /** A generation with the same content that never started. */
  readonly failed: StoredGeneration | undefined;
}

/** The plan for a candidate. A pure function: the same candidate and facts give the same plan. */
export function planOf(candidate: InstallCandidate, facts: PlanFacts): Plan {
  const { text, acquired, catalog, tree, lock, place } = candidate;
  const pkg = catalog.package;
  const requires = requiredAgreements(pkg);
  const grants = [...place.grants].sort();
  const digest = sha256(
    canonicalJson({
      ...{ tree, manifest: candidate.manifest, package: catalog.digest, requires, grants },
      locked: agreedSource(acquired.locked),
      lock: lock as unknown as Json,
      // Who agreed before it failed did not know.
      ...(facts.failed === undefined ? {} : { failed: facts.failed.number }),
    }),
  );
  const { current } = facts;
  const isSame = facts.isServed && isSameGeneration(current, { digest, source: text });
  const failedBefore = failedText(facts.failed);
  const changes = current === undefined ? undefined : changesSince(current, candidate, failedBefore);
  return {
    operation: current === undefined ? 'install' : isSame ? 'unchanged' : 'update',
    source: text,
    resolved: lockedText(acquired.locked),
    package: plannedPackage(pkg, catalog.digest),
    digest,
    ...(current === undefined ? {} : { from: { generation: current.number, version: current.version } }),
    files: facts.files,
    programs: programLines(pkg),
    runtimes: facts.runtimes,
    permissions: {
      network: networkOf(pkg),
      filesystem: pkg.permissions.filesystem,
      folders: (pkg.permissions.folders ?? []).map(folderGrant),
      env: pkg.slots.flatMap(({ delivery }) => (delivery.kind === 'environment' ? [delivery.variable] : [])),
      commands: requestOf(pkg).programs.map((it) => it.command),
    },
    scopes: pkg.permissions.scopes,
    requires,
    agreed: candidate.agreed,
    grants,
    credentials: pkg.slots.map((it) => plannedCredential(it, facts.filled.has(it.name))),
    dependencies: facts.dependencies,
    ...(pkg.cost === undefined ? {} : { cost: pkg.cost }),
    ...(pkg.smoke === undefined ? {} : { smoke: smokeText(pkg.smoke) }),
    ...(pkg.killSwitch === undefined ? {} : { killSwitch: plannedKillSwitch(pkg) }),
    sandbox: facts.sandbox,
    blockers: facts.blockers,
    warnings: [
      ...[...acquired.notes, ...(candidate.code?.notes ?? [])].map((it) => it.text),
      ...warningsOf(pkg, grants),
      ...facts.warnings,
      ...failedBefore,
    ],
    ...(changes === undefined ? {} : { changes }),
  };
}

/** Whether a generation is exactly what a plan would install, from the same source. */
export function isSameGeneration(
  generation: Pick<StoredGeneration, 'plan' | 'source'> | undefined,
  { digest, source }: Pick<Plan, 'digest' | 'source'>,
): boolean {
  return generation !== undefined && generation.plan === digest && generation.source === source;
}

/** A folder may be anywhere on the machine; what counts is its content. */
function agreedSource(locked: LockedSource): Json {
  return locked.kind === 'folder' || locked.kind === 'file' || locked.kind === 'archive'
    ? { kind: locked.kind }
    : (locked as unknown as Json);
}

function failedText(failed: StoredGeneration | undefined): string[] {
  if (failed === undefined) return [];
  const why = failed.trial?.reason ?? 'no reason was given';
  return [`it failed last time: generation ${failed.number} with the same content never started: ${why}`];
}

function changesSince(
  current: StoredGeneration,
  candidate: InstallCandidate,
  failedBefore: readonly string[],
): PlanChanges {
  const { loaded, catalog } = candidate;
  const { agreement, digest, package: id } = current;
  const before = { ...agreement, digest, package: id, acceptedAt: current.createdAt };
  const { widened, reworded, narrowed } = reviewOf(loaded, before);
  const additive = harmlessAdditions(parseRequest(agreement.request), requestOf(catalog.package));
  const { version } = catalog.package;
  return {
    breaking: [
      ...failedBefore,
      ...movedTags(current, candidate),
      ...widened.filter((it) => !additive.includes(it)),
      ...reworded,
    ],
    additive,
    cosmetic: [
      ...(version === current.version ? [] : [`its version is ${version} (was: ${current.version})`]),
      ...narrowed,
    ],
  };
}

/** New tools that change nothing outside the package. */
function harmlessAdditions(before: PackageRequest | undefined, after: PackageRequest): readonly string[] {
  if (before === undefined) return [];
  const names = new Set(before.tools.map((it) => it.name));
  const added = after.tools.filter(
    (it) => !names.has(it.name) && (it.effect === 'none' || it.effect === 'read'),
  );
  return widening(before, { ...before, tools: [...before.tools, ...added] }).widened;
}

function plannedPackage(pkg: Package, digest: string): Plan['package'] {
  const { id, version, name, description, format, tools } = pkg;
  return {
    ...{ id, version, name, description, format, digest },
    tools: tools.map((it) => ({ name: it.name, description: it.description, effect: it.effect })),
  };
}

function programLines(pkg: Package): string[] {
  const { programs } = requestOf(pkg);
  return programs.map((it) => {
    const runtime = it.runtime === '' ? '' : `${it.runtime} `;
    const packages = it.packages.length === 0 ? '' : `; with ${it.packages.join(', ')}`;
    return `${it.name}: ${runtime}${it.command}${packages}`;
  });
}

function networkOf({ permissions: { network } }: Package): string[] {
  if (network.kind === 'hosts') return network.hosts.map(hostGrant);
  return network.kind === 'public' ? ['public'] : [];
}

function plannedCredential(slot: Slot, isSet: boolean): PlannedCredential {
  const { name, label, secret, required, prompt, obtainUrl, choices } = slot;
  return {
    ...{ name, label, secret, required, isSet },
    hosts: slot.audience.kind === 'hosts' ? slot.audience.hosts : [],
    ...(prompt === undefined ? {} : { prompt }),
    ...(obtainUrl === undefined ? {} : { obtainUrl }),
    ...(slot.default === undefined ? {} : { default: slot.default }),
    ...(choices === undefined ? {} : { choices }),
  };
}

/** A request is sent with the secret of the package; of several, the operator names one when it is revoked. */
function plannedKillSwitch(pkg: Package): string {
  const { killSwitch, slots } = pkg;
  switch (killSwitch?.kind) {
    case 'url': {
      const secrets = slots.filter((it) => it.secret).map((it) => it.name);
      const credential =
        secrets.length > 1
          ? ` with the one of ${secrets.join(', ')} that "revoke --credential" names`
          : secrets.map((it) => ` with ${it}`).join('');
      return `sends DELETE to ${killSwitch.url}${credential}`;
    }
    case 'program': {
      const program = requestOf(pkg).programs.find((it) => it.name === killSwitch.program);
      return `runs ${`${program?.runtime ?? ''} ${program?.command ?? killSwitch.program}`.trim()} in the sandbox`;
    }
    case 'manual':
      return `you follow the steps at ${killSwitch.instructionsUrl}`;
    default:
      return 'none';
  }
}

function warningsOf(pkg: Package, grants: readonly string[]): string[] {
  const missing = missingKillSwitchGrant(pkg, parseGrants(grants).shared.network);
  return [
    ...(missing === undefined
      ? []
      : [`its kill switch ${missing.reason}, and works only with --allow ${missing.grant}`]),
    ...(pkg.smoke === undefined ? ['it has no smoke test, so nothing shows that it works'] : []),
    ...(pkg.killSwitch === undefined && pkg.slots.some((it) => it.secret)
      ? ['it has no kill switch: after a revocation, withdraw its credentials at the provider yourself']
      : []),
  ];
}
