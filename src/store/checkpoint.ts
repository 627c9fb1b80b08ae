import { type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from '../files/sha256.js';
import { canonicalJson, isObject, tryParseJson } from '../model/json.js';

/** A statement that the audit log contained this entry at this time. It is signed and stored outside the database. */
export interface Checkpoint {
  /** Number of the checkpoint: 1, 2, 3 … without gaps. */
  readonly n: number;
  /** Number and hash of the newest entry it covers. */
  readonly seq: number;
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** SHA-256 of the line of the checkpoint before it; of the empty text for the first one. */
  readonly before: string;
}

export interface SignedCheckpoint extends Checkpoint {
  readonly signature: string;
}

/** `before` of the first checkpoint. */
export const noCheckpoint = sha256('');

/** One line of the checkpoint file, without the newline. */
export function signCheckpoint(checkpoint: Checkpoint, key: KeyObject): string {
  const signature = sign(null, signedBytes(checkpoint), key).toString('base64');
  return canonicalJson({ ...checkpoint, signature });
}

/** Undefined unless the line is exactly the canonical form of a checkpoint, so that every changed bit is detected. */
export function parseCheckpoint(line: string): SignedCheckpoint | undefined {
  const value = tryParseJson(line);
  if (!isObject(value) || canonicalJson(value) !== line) return undefined;
  const { n, seq, hash, at, before, signature, ...more } = value;
  const texts = [hash, at, before, signature].every((it) => typeof it === 'string');
  const numbers = Number.isSafeInteger(n) && Number.isSafeInteger(seq);
  if (!texts || !numbers || Object.keys(more).length > 0) return undefined;
  if (Buffer.from(signature as string, 'base64').toString('base64') !== signature) return undefined;
  return value as unknown as SignedCheckpoint;
}

export function hasValidSignature(
  { signature, ...checkpoint }: SignedCheckpoint,
  publicKey: KeyObject,
): boolean {
  return verify(null, signedBytes(checkpoint), publicKey, Buffer.from(signature, 'base64'));
}

export function checkpointDigest(line: string): string {
  return sha256(line);
}

/** The signed bytes. The prefix prevents that a signature made for another purpose is accepted. */
function signedBytes({ n, seq, hash, at, before }: Checkpoint): Buffer {
  return Buffer.from(`toolwharf checkpoint 1\n${n}\n${seq}\n${hash}\n${at}\n${before}\n`);
}
