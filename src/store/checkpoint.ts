import { createHash, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson, isObject, type Json } from '../model/json.js';

/** A signed statement that the record had this line at that time, kept outside the record. */
export interface Checkpoint {
  /** Counted from 1 without a gap. */
  readonly n: number;
  readonly seq: number;
  readonly hash: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** SHA-256 of the checkpoint before it, as it is written; of nothing for the first. */
  readonly before: string;
}

export interface SignedCheckpoint extends Checkpoint {
  readonly signature: string;
}

/** What the first checkpoint stands on. */
export const noCheckpoint = createHash('sha256').digest('hex');

/** One line of the file of checkpoints, without its end. */
export function signedLine(checkpoint: Checkpoint, key: KeyObject): string {
  const signature = sign(null, signedBytes(checkpoint), key).toString('base64');
  return canonicalJson({ ...checkpoint, signature });
}

/** Undefined for anything but the one spelling of a checkpoint: then a single changed bit shows. */
export function readCheckpoint(line: string): SignedCheckpoint | undefined {
  let value: Json;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value) || canonicalJson(value) !== line) return undefined;
  const { n, seq, hash, at, before, signature, ...more } = value;
  const texts = [hash, at, before, signature].every((it) => typeof it === 'string');
  const numbers = Number.isSafeInteger(n) && Number.isSafeInteger(seq);
  if (!texts || !numbers || Object.keys(more).length > 0) return undefined;
  if (Buffer.from(signature as string, 'base64').toString('base64') !== signature) return undefined;
  return value as unknown as SignedCheckpoint;
}

export function isSigned({ signature, ...checkpoint }: SignedCheckpoint, publicKey: KeyObject): boolean {
  return verify(null, signedBytes(checkpoint), publicKey, Buffer.from(signature, 'base64'));
}

export function digestOfLine(line: string): string {
  return createHash('sha256').update(line).digest('hex');
}

/** Says what is signed, so that a signature for something else never passes for one of these. */
function signedBytes({ n, seq, hash, at, before }: Checkpoint): Buffer {
  return Buffer.from(`toolwharf checkpoint 1\n${n}\n${seq}\n${hash}\n${at}\n${before}\n`);
}
