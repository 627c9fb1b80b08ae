import type { Bundle, BundleEntry } from '../model/bundle.js';
import { digestOf } from './folder.js';

export type BundleFiles = Readonly<Record<string, string | Uint8Array>>;

/** A bundle in memory. It rejects paths that point outside of it, like a bundle on disk. */
export function memoryBundle(files: BundleFiles, manifest: string, folder = 'package'): Bundle {
  const read = (path: string): BundleEntry => {
    if (path.startsWith('/') || path.split('/').includes('..') || path.includes('\0')) {
      return { kind: 'rejected', reason: 'link-escape', detail: 'the path points outside the package' };
    }
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content !== undefined) {
      return {
        kind: 'file',
        bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content,
      };
    }
    return Object.keys(files).some((it) => it.startsWith(`${path}/`))
      ? { kind: 'folder' }
      : { kind: 'missing' };
  };
  return {
    manifest,
    folder,
    read,
    digest: (path) => digestOf(read(path)),
    files: () => Object.keys(files).sort(),
    display: (path) => path,
  };
}
