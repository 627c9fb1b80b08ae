import type { Bundle, BundleEntry } from '../src/model/bundle.js';

export type BundleFiles = Readonly<Record<string, string | Uint8Array>>;

/** A bundle without a disk. Paths that lead out are refused, as a bundle on disk refuses them. */
export function memoryBundle(files: BundleFiles, manifest: string, folder = 'package'): Bundle {
  const read = (path: string): BundleEntry => {
    if (path.startsWith('/') || path.split('/').includes('..') || path.includes('\0')) {
      return { kind: 'refused', reason: 'link-escape', detail: 'the path leads out of the package' };
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
  return { manifest, folder, read, files: () => Object.keys(files).sort(), display: (path) => path };
}
