import { dirname, join, relative } from 'node:path';
import type { DiscoveredManifest } from '../../bundle/discover.js';
import { isWithin } from '../../files/path-containment.js';
import { realPathOf } from '../../files/real-path.js';
import type { AgreementRows } from '../../store/agreements.js';
import type { FirstAcceptance } from '../host.js';
import type { SessionSetup } from '../session-setup.js';
import type { InstalledPlace } from './installation-index.js';

/** What tells whether somebody meant a package at a path, although it is installed too. */
export interface Naming {
  readonly setup: Pick<SessionSetup, 'directories' | 'intent' | 'root'>;
  readonly accept: FirstAcceptance | null;
  readonly agreements: Pick<AgreementRows, 'get'>;
}

/** The manifest that a package was installed from, if a search found it. */
export function copyOf(
  { locked, tree, manifest }: InstalledPlace,
  found: readonly DiscoveredManifest[],
): DiscoveredManifest | undefined {
  if (locked.kind !== 'folder' && locked.kind !== 'file') return undefined;
  const source = realPath(locked.path);
  const path = locked.kind === 'file' ? source : join(source, relative(tree, manifest));
  return found.find((it) => realPath(it.path) === path);
}

/**
 * Whether a person means this package at its path: it is reviewed, accepted, or named itself. A search that only comes
 * across it does not name it. Then the installed package is served, which somebody agreed to.
 */
export async function isMeant({ path }: DiscoveredManifest, naming: Naming): Promise<boolean> {
  const { setup, accept, agreements } = naming;
  if (setup.intent === 'review') return true;
  const manifest = realPath(path);
  if (accept?.in.some((it) => isWithin(manifest, realPath(it)))) return true;
  const root = realPath(setup.root);
  const named = setup.directories.map(realPath).filter((it) => it !== root);
  if (named.includes(manifest) || named.includes(dirname(manifest))) return true;
  return (await agreements.get(manifest)) !== undefined;
}

function realPath(path: string): string {
  return realPathOf(path) ?? path;
}
