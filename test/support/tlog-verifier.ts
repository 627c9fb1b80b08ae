// Verifies checkpoints and proofs as somebody without Toolwharf would: written from c2sp.org/signed-note,
// c2sp.org/tlog-checkpoint, c2sp.org/tlog-proof, c2sp.org/tlog-witness and RFC 9162 (2.1.3.2 and 2.1.4.2). It shares no
// code with src.
import { createHash, createPublicKey, verify } from 'node:crypto';

const sha256 = (...parts: readonly Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const it of parts) hash.update(it);
  return hash.digest();
};
const join = (left: Buffer, right: Buffer) => sha256(Buffer.of(1), left, right);

export const leafOf = (data: Uint8Array) => sha256(Buffer.of(0), data);

/** The text of a note, if the key signed it. Throws otherwise. */
export function openNote(note: string, verifierKey: string): string {
  const [, name = '', id = '', encoded = ''] =
    /^([^+]+)\+([0-9a-f]{8})\+(.+)$/.exec(verifierKey.trim()) ?? [];
  const key = Buffer.from(encoded, 'base64');
  if (key[0] !== 1 || key.length !== 33) throw new Error('not an Ed25519 key');
  if (
    sha256(Buffer.from(`${name}\n`), key)
      .subarray(0, 4)
      .toString('hex') !== id
  )
    throw new Error('wrong key id');
  // The fixed start of a SubjectPublicKeyInfo with Ed25519 (RFC 8410).
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key.subarray(1)]);
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const end = note.lastIndexOf('\n\n');
  const text = note.slice(0, end + 1);
  for (const line of note
    .slice(end + 2)
    .trimEnd()
    .split('\n')) {
    const [dash, signer, signature = ''] = line.split(' ');
    const bytes = Buffer.from(signature, 'base64');
    if (dash !== '\u2014' || signer !== name || bytes.subarray(0, 4).toString('hex') !== id) continue;
    if (verify(null, Buffer.from(text), publicKey, bytes.subarray(4))) return text;
  }
  throw new Error('no valid signature');
}

export interface OpenedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
}

export function openCheckpoint(note: string, verifierKey: string): OpenedCheckpoint {
  const [origin = '', size, root = '', ...more] = openNote(note, verifierKey).trimEnd().split('\n');
  if (more.length > 0) throw new Error('extension lines');
  return { origin, size: Number(size), root: Buffer.from(root, 'base64') };
}

export function isIncluded(
  { size, root }: OpenedCheckpoint,
  index: number,
  leaf: Buffer,
  proof: readonly Buffer[],
): boolean {
  if (index >= size) return false;
  let [fn, sn, r] = [index, size - 1, leaf];
  for (const p of proof) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      r = join(p, r);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
    } else r = join(r, p);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && r.equals(root);
}

export function isConsistent(
  first: Omit<OpenedCheckpoint, 'origin'>,
  second: Omit<OpenedCheckpoint, 'origin'>,
  given: readonly Buffer[],
): boolean {
  if (first.size === second.size) return given.length === 0 && first.root.equals(second.root);
  const isPower = Number.isInteger(Math.log2(first.size));
  const [start, ...rest] = isPower ? [first.root, ...given] : given;
  if (start === undefined) return false;
  let [fn, sn, fr, sr] = [first.size - 1, second.size - 1, start, start];
  while (fn % 2 === 1) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  for (const c of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [join(c, fr), join(c, sr)];
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
    } else sr = join(sr, c);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  return sn === 0 && fr.equals(first.root) && sr.equals(second.root);
}

/** The parts of a c2sp.org/tlog-proof, or of a request to a c2sp.org/tlog-witness. */
export function openProof(text: string): { head: string[]; proof: Buffer[]; note: string } {
  const end = text.indexOf('\n\n');
  const lines = text.slice(0, end).split('\n');
  const head = lines.filter((it) => /^(?:c2sp\.org|index |old )/.test(it));
  const proof = lines.slice(head.length).map((it) => Buffer.from(it, 'base64'));
  return { head, proof, note: text.slice(end + 2) };
}
