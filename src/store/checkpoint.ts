// Checkpoints of the audit log as in c2sp.org/tlog-checkpoint: signed notes with the name of the log, the number of its
// entries, and the root of the Merkle tree over their hashes.
import type { KeyObject } from 'node:crypto';
import { sha256 } from '../files/sha256.js';
import { isSignedBy, type NoteKey, parseSignedNote, type SignedNote, signNote } from './signed-note.js';

/** What a checkpoint says. */
export interface Checkpoint {
  /** The name of the audit log, which is also the name of its key. */
  readonly origin: string;
  /** Number of entries. */
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

/** A checkpoint with its note. */
export interface SignedCheckpoint extends Checkpoint {
  /** The whole signed note. */
  readonly note: string;
  /** SHA-256 of the note. */
  readonly digest: string;
}

/** The name of an audit log. `log` is random, so that no two logs have the same name. */
export function originOf(log: string): string {
  return `toolwharf/audit/${log}`;
}

export function signCheckpoint({ origin, size, root }: Checkpoint, privateKey: KeyObject): SignedCheckpoint {
  const note = signNote(`${origin}\n${size}\n${root}\n`, origin, privateKey);
  return { origin, size, root, note, digest: sha256(note) };
}

/** Undefined if the text is not a checkpoint. Does not check signatures. */
export function parseCheckpoint(note: string): SignedCheckpoint | undefined {
  const [origin = '', size = '', root = '', ...more] = linesOf(parseSignedNote(note));
  if (origin === '' || !/^(?:0|[1-9]\d{0,15})$/.test(size) || !Number.isSafeInteger(Number(size)))
    return undefined;
  const bytes = Buffer.from(root, 'base64');
  if (bytes.length !== 32 || bytes.toString('base64') !== root || more.includes('')) return undefined;
  return { origin, size: Number(size), root, note, digest: sha256(note) };
}

/** Whether the log signed its checkpoint with this key. */
export function isCheckpointOf({ origin, note }: SignedCheckpoint, publicKey: KeyObject): boolean {
  const signed = parseSignedNote(note);
  const key: NoteKey = { name: origin, publicKey };
  return signed !== undefined && isSignedBy(signed, key);
}

function linesOf(note: SignedNote | undefined): string[] {
  return note === undefined ? [] : note.text.slice(0, -1).split('\n');
}
