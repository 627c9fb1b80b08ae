import { HostError } from '../../model/host-error.js';
import type { TargetsDocument } from '../metadata/metadata-document.js';

/** Throws if a release is gone or has other content. Nobody may do that, not even its publisher. */
export function assertReleasesKept(old: TargetsDocument, now: TargetsDocument): void {
  for (const [path, { sha256, length, custom }] of Object.entries(old.targets)) {
    const next = Object.hasOwn(now.targets, path) ? now.targets[path] : undefined;
    const changed =
      next === undefined
        ? 'is gone'
        : next.sha256 !== sha256 || next.length !== length
          ? 'has other content'
          : JSON.stringify(next.custom.statements ?? null) !== JSON.stringify(custom.statements ?? null)
            ? 'has other statements'
            : custom.yanked !== undefined && next.custom.yanked === undefined
              ? 'is no longer withdrawn'
              : undefined;
    // The index and the quarantine list are files that are replaced; releases are not.
    if (changed !== undefined && old.role.startsWith('ns-'))
      throw new HostError('integrity', `the release ${path} ${changed}; a release never changes`, {
        hint: 'do not use it, and tell the operator of the registry',
      });
  }
}
