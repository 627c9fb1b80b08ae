import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { untrustedReadFlags } from '../../files/read-flags.js';
import { sha256 } from '../../files/sha256.js';
import type { FileEntry } from '../metadata/metadata-document.js';

/** The length and hash of a file of this machine. */
export async function fileEntryOfPath(path: string): Promise<FileEntry> {
  const handle = await open(path, untrustedReadFlags);
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of handle.createReadStream()) {
    hash.update(chunk as Buffer);
    length += (chunk as Buffer).length;
  }
  return { length, sha256: hash.digest('hex') };
}

export function fileEntryOfBytes(bytes: Uint8Array): FileEntry {
  return { length: bytes.length, sha256: sha256(bytes) };
}
