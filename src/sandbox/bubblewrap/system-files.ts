import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Content of system files inside a sandbox: one user, one host, no DNS server. */
export const systemFiles: Readonly<Record<string, string>> = Object.freeze({
  '/etc/passwd': 'sandbox:x:65534:65534:sandbox:/tmp:/bin/sh\n',
  '/etc/group': 'sandbox:x:65534:\n',
  '/etc/hosts': '127.0.0.1 localhost sandbox\n::1 localhost\n',
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
});

/** A deleted file that stays readable: each child gets its own descriptor and reads from the start. */
export interface UnlinkedFile {
  /** A new descriptor; the caller closes it. */
  open(): number;
}

/**
 * Writes the contents into files and deletes their names: nobody else can change them, and nothing stays on the disk.
 * Reading moves the position of a descriptor, so each child gets its own.
 */
export function createUnlinkedFiles(contents: readonly (string | Uint8Array)[]): UnlinkedFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-files-'));
  try {
    return contents.map((content, index) => {
      const path = join(folder, String(index));
      writeFileSync(path, content, { mode: 0o600 });
      const descriptor = openSync(path, 'r');
      return { open: () => openSync(`/proc/self/fd/${descriptor}`, 'r') };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A new descriptor for each file. If one fails, all are closed again. */
export function openAll(files: readonly UnlinkedFile[]): number[] {
  const opened: number[] = [];
  try {
    for (const it of files) opened.push(it.open());
    return opened;
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

export function closeAll(descriptors: readonly number[]): void {
  for (const it of descriptors) closeSync(it);
}
