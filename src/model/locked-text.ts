import type { LockedSource } from './source.js';

/** What a source was resolved to, for people. */
export function lockedText(locked: LockedSource): string {
  switch (locked.kind) {
    case 'folder':
    case 'file':
      return locked.path;
    case 'archive':
    case 'https':
      return `sha256 ${locked.sha256}`;
    case 'git':
      return `commit ${locked.commit}`;
    case 'npm':
    case 'pypi':
    case 'registry':
      return `${locked.name} ${locked.version}`;
    case 'oci':
      return `${locked.image}@${locked.digest}`;
    case 'server':
      return 'a manifest that the host wrote';
  }
}
