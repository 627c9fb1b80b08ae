import { sha256 } from '../files/sha256.js';
import { leafHash } from './merkle-tree.js';
import type { AuditTable } from './state-tables.js';

/** `previous` of the first entry. */
export const chainStart = '0'.repeat(64);

/** The hash of an entry: SHA-256 of its canonical JSON without the hash, built by hand because that is faster. */
export function entryHash({ seq, at, kind, body, previous }: Omit<AuditTable, 'hash'>): string {
  const text = `{"at":${JSON.stringify(at)},"body":${JSON.stringify(body)},"kind":${JSON.stringify(kind)},"previous":${JSON.stringify(previous)},"seq":${seq}}`;
  return sha256(text);
}

/** The leaf of an entry in the Merkle tree: its hash covers everything in it. */
export function entryLeaf(hash: string): Buffer {
  return leafHash(Buffer.from(hash, 'hex'));
}
