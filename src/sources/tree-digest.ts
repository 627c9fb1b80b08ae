import { createHash } from 'node:crypto';

/** One file of a tree, with what identifies it. */
export interface DigestedFile {
  readonly path: string;
  readonly executable: boolean;
  readonly bytes: number;
  readonly sha256: string;
}

/** The digest of a tree: of the names, executable bits and contents of its files. Empty folders and times do not count. */
export function treeDigest(files: readonly DigestedFile[]): string {
  const lines = files
    // Names contain no control characters, so that no name can imitate a line.
    .map((it) => Buffer.from(`${it.path}\0${it.executable ? 'x' : '-'} ${it.bytes} ${it.sha256}\n`))
    .sort(Buffer.compare);
  const hash = createHash('sha256').update('toolwharf tree 1\n');
  for (const it of lines) hash.update(it);
  return hash.digest('hex');
}
