// The head of a registry's transparency log: a checkpoint with the same note format and verifier as those of the audit log.
import { HostError } from '../../model/host-error.js';
import { isCheckpointOf, parseCheckpoint, type SignedCheckpoint } from '../../store/checkpoint.js';
import { isCosignedBy, parseWitnessKey } from '../../store/cosignature.js';
import { type NoteKey, parseSignedNote, parseVerifierKey } from '../../store/signed-note.js';

export interface LogHead {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** The signed note. */
  readonly note: string;
}

/** Who must have signed a head. */
export interface LogTrust {
  /** As in c2sp.org/signed-note; its name is the origin of the log. */
  readonly logKey: string;
  readonly witnesses: { readonly keys: readonly string[]; readonly threshold: number };
}

/** Reads the head of a log and checks who signed it. */
export function openLogHead(note: string, { logKey, witnesses }: LogTrust): LogHead {
  const key = parseVerifierKey(logKey);
  const checkpoint = parseCheckpoint(note);
  if (key === undefined || checkpoint === undefined || checkpoint.origin !== key.name)
    throw rejected('is damaged, or belongs to another log');
  if (!isCheckpointOf(checkpoint, key.publicKey)) throw rejected('is not signed by the key of the log');
  const found = witnessCount(note, witnesses.keys);
  if (found < witnesses.threshold)
    throw rejected(`has the signatures of ${found} witnesses, and needs ${witnesses.threshold}`);
  return headOf(checkpoint);
}

export function logKeyOf(text: string): NoteKey {
  const key = parseVerifierKey(text);
  if (key === undefined) throw rejected('has a key that is damaged');
  return key;
}

function headOf({ origin, size, root, note }: SignedCheckpoint): LogHead {
  return { origin, size, root: Buffer.from(root, 'base64'), note };
}

/** How many different keys of witnesses signed the head. Two keys in the list that are the same count once. */
function witnessCount(note: string, witnesses: readonly string[]): number {
  const signed = parseSignedNote(note);
  if (signed === undefined) return 0;
  const keys = [...new Set(witnesses)].map(parseWitnessKey);
  if (keys.includes(undefined)) throw rejected('has a key of a witness that is damaged');
  const found = keys.filter((it) => it !== undefined && isCosignedBy(signed, it));
  // One witness with two names is still one.
  return new Set(found.map((it) => String(it?.publicKey.export({ format: 'jwk' }).x))).size;
}

function rejected(problem: string): HostError {
  return new HostError('integrity', `the head of the registry's transparency log ${problem}`, {
    hint: 'the registry is damaged or was manipulated; tell its operator',
  });
}
