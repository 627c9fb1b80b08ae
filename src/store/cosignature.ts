// Signatures of witnesses on checkpoints, as in c2sp.org/tlog-cosignature: Ed25519 with the time (type 0x04, cosignature/v1).
import { verify } from 'node:crypto';
import type { NoteKey, SignedNote } from './signed-note.js';
import { noteKeyId, parseTypedKey, typedKeyText } from './signed-note.js';

/** A witness has a key of this type, so that no signature of another kind can stand for one of its own. */
const cosignatureType = 4;
const timeBytes = 8;
const signatureBytes = 64;

/** Undefined if the text is not the verifier key of a witness. */
export function parseWitnessKey(text: string): NoteKey | undefined {
  return parseTypedKey(text, cosignatureType);
}

/** The text form of a witness's key: `NAME+ID+KEY`. */
export function witnessKeyText(key: NoteKey): string {
  return typedKeyText(key, cosignatureType);
}

/** Whether the witness signed the checkpoint. False also if one of several signatures of its key is wrong. */
export function isCosignedBy({ text, signatures }: SignedNote, witness: NoteKey): boolean {
  const id = noteKeyId(witness, cosignatureType);
  const own = signatures.filter((it) => it.name === witness.name && it.keyId.equals(id));
  return own.length > 0 && own.every((it) => isValid(it.signature, text, witness));
}

/** What a witness signs: that it saw the checkpoint at this time, in seconds since 1970. */
export function cosignedText(text: string, time: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${time}\n${text}`);
}

function isValid(stored: Buffer, text: string, { publicKey }: NoteKey): boolean {
  if (stored.length !== timeBytes + signatureBytes) return false;
  const time = stored.readBigUInt64BE(0);
  return verify(null, cosignedText(text, time), publicKey, stored.subarray(timeBytes));
}
