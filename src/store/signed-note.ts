// Signed notes as in c2sp.org/signed-note, with Ed25519 signatures (type 0x01).
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256Bytes } from '../files/sha256.js';

/** A public key and the name that its owner signs with. */
export interface NoteKey {
  readonly name: string;
  readonly publicKey: KeyObject;
}

export interface SignedNote {
  /** Ends with a newline. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

export interface NoteSignature {
  readonly name: string;
  /** Four bytes. */
  readonly keyId: Buffer;
  readonly signature: Buffer;
}

const ed25519Type = 1;
const keyBytes = 32;
const idBytes = 4;
/** A note with the signatures of many witnesses is still smaller. */
const maxLength = 100_000;
const controlCharacter = /[\u0000-\u0009\u000b-\u001f]/;
const keyName = /^[^\s+]+$/u;
const signatureLine = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u;

/** `text` must end with a newline. */
export function signNote(text: string, name: string, privateKey: KeyObject): string {
  const id = keyIdOf({ name, publicKey: createPublicKey(privateKey) });
  const signature = sign(null, Buffer.from(text), privateKey);
  return `${text}\n\u2014 ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;
}

/** Undefined if the text is not a signed note. Does not check signatures. */
export function parseSignedNote(note: string): SignedNote | undefined {
  if (note.length > maxLength || controlCharacter.test(note)) return undefined;
  const split = note.lastIndexOf('\n\n');
  if (split === -1 || !note.endsWith('\n')) return undefined;
  const lines = note.slice(split + 2, -1).split('\n');
  const signatures = lines.map(parseSignature);
  if (signatures.includes(undefined)) return undefined;
  return { text: note.slice(0, split + 1), signatures: signatures as NoteSignature[] };
}

/** Whether the key signed the note. False also if one of several signatures of this key is wrong. */
export function isSignedBy({ text, signatures }: SignedNote, key: NoteKey): boolean {
  const id = keyIdOf(key);
  const own = signatures.filter((it) => it.name === key.name && it.keyId.equals(id));
  return own.length > 0 && own.every((it) => verify(null, Buffer.from(text), key.publicKey, it.signature));
}

/** The text form of a key that others verify with: `NAME+ID+KEY`. */
export function verifierKeyText(key: NoteKey): string {
  return typedKeyText(key, ed25519Type);
}

/** The text form of a key whose signatures are of this type. */
export function typedKeyText(key: NoteKey, type: number): string {
  const encoded = Buffer.concat([Buffer.of(type), rawKey(key.publicKey)]).toString('base64');
  return `${key.name}+${noteKeyId(key, type).toString('hex')}+${encoded}`;
}

/** Undefined if the text is not the verifier key of an Ed25519 key. */
export function parseVerifierKey(text: string): NoteKey | undefined {
  return parseTypedKey(text, ed25519Type);
}

/** Undefined if the text is not the verifier key of an Ed25519 key whose signatures are of this type. */
export function parseTypedKey(text: string, type: number): NoteKey | undefined {
  const [, name = '', id, encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  if (!keyName.test(name) || bytes.length !== 1 + keyBytes || bytes[0] !== type) return undefined;
  if (bytes.toString('base64') !== encoded) return undefined;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.subarray(1).toString('base64url') };
  const key = { name, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
  return noteKeyId(key, type).toString('hex') === id ? key : undefined;
}

function parseSignature(line: string): NoteSignature | undefined {
  const [, name, encoded] = signatureLine.exec(line) ?? [];
  if (name === undefined || encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Only the canonical form, so that every changed bit is detected.
  if (bytes.length <= idBytes || bytes.toString('base64') !== encoded) return undefined;
  return { name, keyId: bytes.subarray(0, idBytes), signature: bytes.subarray(idBytes) };
}

function keyIdOf(key: NoteKey): Buffer {
  return noteKeyId(key, ed25519Type);
}

/** The four bytes by which a signature of this type names its key. */
export function noteKeyId({ name, publicKey }: NoteKey, type: number): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(type), rawKey(publicKey)]);
  return sha256Bytes(named).subarray(0, idBytes);
}

function rawKey(publicKey: KeyObject): Buffer {
  return Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
}
