import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Program } from '../model/program.js';
import type { SlotValues } from '../model/slot.js';
import type { Reach } from '../net/destination.js';
import { placesOf, type SandboxProfile } from '../run/launch.js';
import type { ProgramPlace } from './announcement-book.js';
import type { Judged } from './readiness.js';
import type { Passed } from './slots.js';
import { upstreamPrograms } from './upstream-tools.js';

/** Whether programs of a package say themselves what it can do. */
export function hasUpstreams({ loaded }: Judged): boolean {
  const of = loaded.catalog?.package;
  return of !== undefined && upstreamPrograms(of).length > 0;
}

export function hasHooks({ loaded }: Judged): boolean {
  return (loaded.catalog?.package.hooks.length ?? 0) > 0;
}

/** It is started here; others answer elsewhere. */
export function runsHere({ target }: Program): boolean {
  return target.kind === 'process' || target.kind === 'container';
}

export function packageOf({ loaded }: Judged): Package {
  const of = loaded.catalog?.package;
  if (of === undefined) throw new Error('a broken package has no programs');
  return of;
}

export function programOf(of: Package, name: string): Program {
  const found = of.programs.find((it) => it.name === name);
  if (found === undefined) throw new HostError('not_supported', `${of.id} has no program ${name}`);
  return found;
}

/** Where a program may be asked: what its manifest names, and its own address. */
export function reachOf(
  { permissions: { network } }: Package,
  { target }: Program,
  { network: granted, denied }: Passed,
): Reach {
  const own = target.kind === 'url' ? [new URL(target.url)] : [];
  const hosts = [
    ...(network.kind === 'hosts' ? network.hosts : []),
    ...own.map((it) => ({ host: it.hostname, port: it.port === '' ? null : Number(it.port) })),
  ];
  return { hosts, granted, denied };
}

export function placeOf({ loaded }: Judged, program: string): ProgramPlace {
  const { catalog } = loaded;
  if (catalog === undefined) throw new Error('a broken package has no programs');
  const { digest, package: of } = catalog;
  return { manifest: manifestPath(loaded.path), digest, package: of.id, program };
}

function manifestPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Everything that makes a running program another one. Values do not stand in it in clear. */
export function upstreamKey(
  place: ProgramPlace,
  principal: string,
  slots: SlotValues,
  reach: Reach,
  natsUrl: string | null,
  confinement: SandboxProfile | null,
): string {
  const settings = [...slots].map(([name, it]) => [name, it.value, it.recipients]);
  const told = [place, principal, settings, reach, natsUrl, confinement && confinementKey(confinement)];
  return createHash('sha256')
    .update(canonicalJson(told as unknown as Json))
    .digest('hex');
}

function confinementKey(confinement: SandboxProfile): Json {
  const { roots, hidden, state, limits, network, files } = confinement;
  return [roots, hidden, state, limits, network, files, placesOf(confinement)] as unknown as Json;
}
