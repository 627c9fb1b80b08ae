import { existsSync } from 'node:fs';
import type { AgreementRows, LinkRows } from '../../store/agreements.js';
import type { BrokenWhenNamed } from '../../store/broken-when-named.js';

/** Paths that the state knows, from all sessions. */
export interface KnownPaths {
  /**
   * Files and folders of accepted packages, and of those that were broken when they were named, as far as their manifests
   * still exist. No tool may write them.
   */
  readonly packages: readonly string[];
  /** Paths that an operator named. */
  readonly links: readonly string[];
}

/** Looked up for every call with files, because another session may accept a package at any time. */
export async function knownPaths(
  agreements: AgreementRows,
  links: LinkRows,
  broken: BrokenWhenNamed,
): Promise<KnownPaths> {
  const places = [...(await agreements.places()), ...(await broken.places())];
  return {
    packages: [...new Set(places.filter((it) => existsSync(it.manifest)).flatMap((it) => it.paths))],
    links: await links.folders(),
  };
}
