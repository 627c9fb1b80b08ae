import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What programs look up about their machine: one user without a name elsewhere, one host, nothing to ask. */
export const systemFiles: Readonly<Record<string, string>> = Object.freeze({
  '/etc/passwd': 'sandbox:x:65534:65534:sandbox:/tmp:/bin/sh\n',
  '/etc/group': 'sandbox:x:65534:\n',
  '/etc/hosts': '127.0.0.1 localhost sandbox\n::1 localhost\n',
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
});

/** Bytes that one child after the other reads from the start, through a descriptor of its own. */
export interface Sheet {
  /** A fresh descriptor; whoever opens it closes it. */
  open(): number;
}

/**
 * Keeps bytes in files that have no name any more: nobody can change them, and nothing is left behind. A child
 * that reads a descriptor moves its position, so each gets its own.
 */
export function sheetsOf(contents: readonly (string | Uint8Array)[]): Sheet[] {
  const folder = mkdtempSync(join(tmpdir(), 'toolwharf-sheets-'));
  try {
    return contents.map((content, index) => {
      const path = join(folder, String(index));
      writeFileSync(path, content, { mode: 0o600 });
      const kept = openSync(path, 'r');
      return { open: () => openSync(`/proc/self/fd/${kept}`, 'r') };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A fresh descriptor of each, or none at all. */
export function openAll(sheets: readonly Sheet[]): number[] {
  const opened: number[] = [];
  try {
    for (const it of sheets) opened.push(it.open());
    return opened;
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

export function closeAll(descriptors: readonly number[]): void {
  for (const it of descriptors) closeSync(it);
}
