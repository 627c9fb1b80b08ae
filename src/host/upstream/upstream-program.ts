import { realPathOf } from '../../files/real-path.js';
import { sha256 } from '../../files/sha256.js';
import { asHostError, HostError } from '../../model/host-error.js';
import { canonicalJson, type Json } from '../../model/json.js';
import { type Package, upstreamPrograms } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import type { SlotValues } from '../../model/slot.js';
import { assertMayReach, type NetworkReach } from '../../net/destination.js';
import type { ProcessOwner } from '../../run/process-owner.js';
import { mountIdentities, type SandboxProfile } from '../../run/sandbox-command.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { PassedEnvironment } from '../sandboxing/passed-environment.js';
import type { ProgramRef } from './announcement-registry.js';

/** Whether a package has long-running programs that announce its tools. */
export function hasUpstreams({ loaded }: CheckedPackage): boolean {
  const pkg = loaded.catalog?.package;
  return pkg !== undefined && upstreamPrograms(pkg).length > 0;
}

export function hasHooks({ loaded }: CheckedPackage): boolean {
  return (loaded.catalog?.package.hooks.length ?? 0) > 0;
}

export function packageOf({ loaded }: CheckedPackage): Package {
  const pkg = loaded.catalog?.package;
  if (pkg === undefined) throw new Error('a broken package has no programs');
  return pkg;
}

export function programOf(pkg: Package, name: string): Program {
  const found = pkg.programs.find((it) => it.name === name);
  if (found === undefined) throw new HostError('not_supported', `${pkg.id} has no program ${name}`);
  return found;
}

/** The hosts that the host may contact for a program: those of its manifest, and the program's own URL. */
export function reachOf(
  { permissions: { network } }: Package,
  { target }: Program,
  { network: granted, denied, certificates }: PassedEnvironment,
): NetworkReach {
  const ownUrl = target.kind === 'url' ? [new URL(target.url)] : [];
  const hosts = [
    ...(network.kind === 'hosts' ? network.hosts : []),
    ...ownUrl.map((it) => ({ host: it.hostname, port: it.port === '' ? null : Number(it.port) })),
  ];
  return { hosts, granted, denied, ...(certificates === undefined ? {} : { certificates }) };
}

/** Why the host may not connect to programs of the package, as far as it is known before a DNS lookup. */
export function deniedUrls(pkg: Package, environment: () => PassedEnvironment): string[] {
  return upstreamPrograms(pkg).flatMap((program) => {
    if (program.target.kind !== 'url') return [];
    try {
      assertMayReach(program.target.url, reachOf(pkg, program, environment()));
      return [];
    } catch (error) {
      const { message, hint } = asHostError(error);
      return [hint === undefined ? message : `${message}; ${hint}`];
    }
  });
}

export function programRefOf({ loaded }: CheckedPackage, program: string): ProgramRef {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package has no programs');
  const { digest, package: pkg } = catalog;
  return { manifest: manifestOf(loaded), digest, package: pkg.id, program };
}

/** The real path of each package that was read. A package that changed is read again, so its path is looked up again. */
const manifests = new WeakMap<CheckedPackage['loaded'], string>();

function manifestOf(loaded: CheckedPackage['loaded']): string {
  let path = manifests.get(loaded);
  if (path === undefined) {
    path = realPathOf(loaded.path) ?? loaded.path;
    manifests.set(loaded, path);
  }
  return path;
}

/** A hash of everything that a running program depends on, so that it is never shared where something differs. */
export function upstreamKey(
  ref: ProgramRef,
  owner: ProcessOwner,
  slots: SlotValues,
  reach: NetworkReach,
  natsUrl: string | null,
  profile: SandboxProfile | null,
  serverRequests: readonly string[],
): string {
  const settings = [...slots].map(([name, it]) => [name, it.value, it.recipients]);
  const parts = [ref, owner, settings, reach, natsUrl, profile && profileKey(profile), serverRequests];
  return sha256(canonicalJson(parts as unknown as Json));
}

function profileKey(profile: SandboxProfile): Json {
  const { roots, hidden, unanchored, dataFolder, limits, network, packageFolder, certificateFolder } =
    profile;
  return [
    roots,
    hidden,
    unanchored,
    dataFolder,
    limits,
    network,
    packageFolder,
    certificateFolder ?? null,
    mountIdentities(profile),
  ] as unknown as Json;
}
