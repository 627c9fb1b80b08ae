import { isUtf8 } from 'node:buffer';
import type { LoadedPackage } from './loaded-package.js';
import type { DraftFile, PackageSource } from './manifests.js';

/** Files of a package that somebody looks at, and their size together. */
const maxFiles = 200;
const maxBytes = 1024 * 1024;
const maxFileBytes = 256 * 1024;

/** The files of a package that are text, the manifest first. */
export function sourceOfPackage({ bundle, format }: Pick<LoadedPackage, 'bundle' | 'format'>): PackageSource {
  const files: DraftFile[] = [];
  const leftOut: string[] = [];
  let size = 0;
  const paths = [bundle.manifest, ...bundle.files().filter((it) => it !== bundle.manifest)];
  for (const path of paths) {
    const entry = files.length < maxFiles ? bundle.read(path) : undefined;
    const bytes = entry?.kind === 'file' ? entry.bytes : undefined;
    const fits = bytes !== undefined && bytes.length <= maxFileBytes && size + bytes.length <= maxBytes;
    if (bytes === undefined || !fits || bytes.includes(0) || !isUtf8(bytes)) {
      leftOut.push(path);
      continue;
    }
    size += bytes.length;
    files.push({ path, text: new TextDecoder().decode(bytes) });
  }
  return { format, manifest: bundle.manifest, files, leftOut: leftOut.slice(0, maxFiles) };
}
