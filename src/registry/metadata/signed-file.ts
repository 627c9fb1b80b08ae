import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { documentLimits, excessText, JsonExcessError, parseBounded } from '../../model/json-bounds.js';
import { canonicalText } from './canonical-text.js';
import { isTextSignedBy, type RegistryKey, type RegistrySigner, signText } from './registry-key.js';

/** Who must sign a role: at least `threshold` of these keys. */
export interface RoleKeys {
  readonly keyids: readonly string[];
  readonly threshold: number;
}

/** The keys by their ids. */
export type KeyTable = Readonly<Record<string, RegistryKey>>;

/** A metadata file that was read, but whose signatures were not checked. */
export interface SignedFile {
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
  readonly signed: JsonObject;
  /** What the signatures cover. */
  readonly text: string;
}

const maxSignatures = 64;

/** The whole file. The same content and keys always give the same bytes. */
export function writeSignedFile(signed: JsonObject, signers: readonly RegistrySigner[]): Buffer {
  const text = canonicalText(signed);
  const signatures = signers
    .map((it) => ({ keyid: it.keyId, sig: signText(text, it) }))
    .sort((a, b) => (a.keyid < b.keyid ? -1 : 1));
  return Buffer.from(`{"signatures":${canonicalText(signatures)},"signed":${text}}\n`);
}

/** The file with more signatures, such as those of other people. */
export function withSignatures(bytes: Uint8Array, signers: readonly RegistrySigner[]): Buffer {
  const { signatures, signed, text } = readSignedFile(bytes, 'the file');
  const added = signers.map((it) => ({ keyid: it.keyId, sig: signText(text, it) }));
  const kept = signatures.filter((it) => !added.some((own) => own.keyid === it.keyid));
  const all = [...kept, ...added].sort((a, b) => (a.keyid < b.keyid ? -1 : 1));
  return Buffer.from(`{"signatures":${canonicalText(all)},"signed":${canonicalText(signed)}}\n`);
}

export function readSignedFile(bytes: Uint8Array, what: string): SignedFile {
  const value = parsed(bytes, what);
  if (!isObject(value) || !isObject(value.signed) || !Array.isArray(value.signatures))
    throw damagedMetadata(what, 'it has no signatures');
  const { signatures } = value;
  if (signatures.length > maxSignatures) throw damagedMetadata(what, 'it has too many signatures');
  const ids = new Set<string>();
  for (const it of signatures as readonly Json[]) {
    if (!isObject(it) || typeof it.keyid !== 'string' || typeof it.sig !== 'string')
      throw damagedMetadata(what, 'a signature is damaged');
    if (ids.has(it.keyid)) throw damagedMetadata(what, 'a key signed it twice');
    ids.add(it.keyid);
  }
  const { signed } = value;
  let text: string | undefined;
  return {
    signatures: signatures as unknown as SignedFile['signatures'],
    signed,
    // Only for those who check a signature.
    get text() {
      text ??= canonicalText(signed);
      return text;
    },
  };
}

/** How many of the keys of a role signed the file. A key counts once, whatever the file says. */
export function countSignatures(file: SignedFile, role: RoleKeys, keys: KeyTable): number {
  const valid = new Set<string>();
  for (const { keyid, sig } of file.signatures) {
    const key = role.keyids.includes(keyid) && Object.hasOwn(keys, keyid) ? keys[keyid] : undefined;
    if (key !== undefined && isTextSignedBy(file.text, sig, key)) valid.add(key.keyval.public);
  }
  return valid.size;
}

/** Throws unless enough keys of the role signed the file. */
export function assertSigned(file: SignedFile, role: RoleKeys, keys: KeyTable, what: string): void {
  const found = countSignatures(file, role, keys);
  if (found >= role.threshold) return;
  throw new HostError(
    'integrity',
    `${what} is signed by ${found} of the keys that may sign it, and needs ${role.threshold}`,
    { hint: 'the registry is damaged or was manipulated; tell its operator' },
  );
}

export function damagedMetadata(what: string, problem: string, cause?: unknown): HostError {
  return new HostError('integrity', `${what} of the registry is damaged: ${problem}`, {
    hint: 'the registry is damaged or was manipulated; tell its operator',
    ...(cause === undefined ? {} : { cause }),
  });
}

function parsed(bytes: Uint8Array, what: string): Json {
  try {
    return parseBounded(Buffer.from(bytes).toString('utf8'), documentLimits);
  } catch (error) {
    const problem = error instanceof JsonExcessError ? `it ${excessText(error.excess)}` : 'it is not JSON';
    throw damagedMetadata(what, problem, error);
  }
}
