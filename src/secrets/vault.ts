import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson } from '../model/json.js';
import { normalizeAudience, parseAudience, type ValueAudience } from './audience.js';
import { currentKeyStorage, type KeyStorageKind, keyFile } from './key-storage.js';
import type { Keychain } from './keychain.js';
import { createKey, keyMissing, keyStorageName, moveKey, readKey } from './vault-key.js';

/** One encrypted value, as stored. */
export interface SealedRow {
  package: string;
  slot: string;
  /** Canonical JSON. */
  audience: string;
  version: number;
  nonce: Uint8Array;
  sealed: Uint8Array;
  set_at: number;
}

/** The store of encrypted values. */
export interface SealedRows {
  get(packageId: string, slot: string): Promise<SealedRow | undefined>;
  list(): Promise<readonly SealedRow[]>;
  /** Replaces exactly the previous version. False when another process was faster. */
  put(row: SealedRow): Promise<boolean>;
  remove(packageId: string, slot: string): Promise<boolean>;
}

export interface ValueInput {
  readonly package: string;
  readonly slot: string;
  readonly value: string;
  readonly audience: ValueAudience;
  /** Who should keep the key; another one than does is an error, and moves nothing. */
  readonly keyStorage?: KeyStorageKind | undefined;
}

/** What may be shown of a value: everything except the value itself. */
export interface ValueEntry {
  readonly package: string;
  readonly slot: string;
  readonly audience: ValueAudience;
  /** Milliseconds since 1970. */
  readonly setAt: number;
}

export interface OpenedValue {
  readonly value: string;
  readonly audience: ValueAudience;
  readonly version: number;
}

/** A value and the slot it belongs to. */
export interface VaultValue {
  readonly package: string;
  readonly slot: string;
  readonly value: string;
}

export interface Vault {
  /** Where the key is stored; undefined when there is no key yet. */
  keyStorage(): KeyStorageKind | undefined;
  /** Moves the key to another storage; the values stay as they are. */
  rekey(to: KeyStorageKind, passphrase: string | undefined): Promise<void>;
  set(entry: ValueInput): Promise<ValueEntry>;
  /** Encrypts a value as the next version of what is stored, without storing it. */
  seal(entry: ValueInput): Promise<SealedRow>;
  /** Sorted by package and slot. Needs no key. */
  list(): Promise<readonly ValueEntry[]>;
  /** False when there was none. Needs no key. */
  unset(packageId: string, slot: string): Promise<boolean>;
  value(packageId: string, slot: string): Promise<OpenedValue | undefined>;
  /** All values that can be decrypted, for the secret scanner. A value that cannot be decrypted reaches no tool either. */
  all(): Promise<readonly VaultValue[]>;
  /** Adds values that are not stored yet to `all`. Returns what removes them again. */
  alsoHide(values: readonly VaultValue[]): () => void;
  /** Derives a key for another use. `create`: create the vault's key if there is none and no value is stored. */
  derive(label: string, create: boolean, keyStorage?: KeyStorageKind): Promise<Buffer>;
  /** Changes after every change of a value. Caches of all values are valid while it stays the same. */
  generation(): number;
  /** Call it after values were restored in the store itself. */
  forgetCached(): void;
}

export interface VaultOptions {
  readonly state: string;
  readonly rows: SealedRows;
  readonly now: () => number;
  /** Instead of a key file. */
  readonly passphrase?: string | undefined;
  readonly keychain?: Keychain | null | undefined;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const maxValueBytes = 64 * 1024;
/** Each failed attempt means that another process succeeded. */
const maxAttempts = 1000;

/**
 * Encrypts each value separately. Owner, slot, audience and version are authenticated too, so a row that was moved or
 * changed cannot be decrypted. The key is read, or created, when it is first needed.
 */
export function openVault({ state, rows, now, passphrase, keychain }: VaultOptions): Vault {
  let key: Buffer | undefined;
  let changes = 0;
  const hidden = new Set<readonly VaultValue[]>();
  const access = { state, passphrase, keychain };
  const keyFor = async (create: boolean, preferred?: KeyStorageKind): Promise<Buffer> => {
    if (key === undefined) {
      key = await readKey(access);
      if (key === undefined && !create) throw keyMissing(keyFile(state));
      key ??= await createKey(access, preferred);
      changes++;
    }
    return key;
  };
  const seal = async ({ package: packageId, slot, value, audience, keyStorage }: ValueInput) => {
    checkValue(packageId, slot, value);
    checkKeyStorage(keyStorage, currentKeyStorage(state)?.kind);
    const audienceText = canonicalJson(normalizeAudience(audience));
    // No new key while values exist: those of the old key would look tampered with.
    const key = await keyFor((await rows.list()).length === 0, keyStorage);
    const version = ((await rows.get(packageId, slot))?.version ?? 0) + 1;
    return encrypt(key, { package: packageId, slot, audience: audienceText, version, set_at: now() }, value);
  };
  return {
    keyStorage: () => currentKeyStorage(state)?.kind,
    async rekey(to, newPassphrase) {
      if (currentKeyStorage(state) === undefined)
        throw new HostError('not_found', 'the vault has no key yet', {
          hint: `it is created with the first secret; choose its storage with vault.key = "${to}" in the configuration`,
        });
      const currentKey = await keyFor(false);
      await moveKey(currentKey, to, { ...access, passphrase: newPassphrase });
    },
    seal,
    async set(entry) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const row = await seal(entry);
        if (await rows.put(row)) {
          changes++;
          return entryOf(row);
        }
      }
      throw new HostError(
        'state_unusable',
        `the value for ${entry.slot} of ${entry.package} is being set by other processes`,
        {
          hint: 'try again',
        },
      );
    },
    async list() {
      return (await rows.list()).map(entryOf);
    },
    async unset(packageId, slot) {
      const removed = await rows.remove(packageId, slot);
      changes++;
      return removed;
    },
    async derive(label, create, keyStorage) {
      const root = await keyFor(create && (await rows.list()).length === 0, keyStorage);
      return Buffer.from(hkdfSync('sha256', root, '', label, 32));
    },
    generation: () => changes,
    forgetCached: () => void changes++,
    alsoHide(values) {
      hidden.add(values);
      changes++;
      return () => {
        hidden.delete(values);
        changes++;
      };
    },
    async all() {
      const more = [...hidden].flat();
      const stored = await rows.list();
      if (stored.length === 0) return more;
      const currentKey = await keyFor(false).catch(ignoreHostError);
      if (currentKey === undefined) return more;
      const opened = stored.flatMap((row) => {
        const value = tryDecrypt(currentKey, row);
        return value === undefined ? [] : [{ package: row.package, slot: row.slot, value }];
      });
      return [...opened, ...more];
    },
    async value(packageId, slot) {
      const row = await rows.get(packageId, slot);
      if (row === undefined) return undefined;
      const value = decrypt(await keyFor(false), row);
      return { value, audience: audienceOf(row), version: row.version };
    },
  };
}

/** A key is only moved by `rekey`, never as a side effect. */
function checkKeyStorage(configured: KeyStorageKind | undefined, current: KeyStorageKind | undefined): void {
  if (configured === undefined || current === undefined || configured === current) return;
  throw new HostError(
    'state_unusable',
    `the configuration says that the vault key is in ${keyStorageName(configured)}, but it is in ${keyStorageName(current)}`,
    {
      hint: `move it: toolwharf secret rekey --to ${configured}; or remove vault.key from the configuration`,
    },
  );
}

function checkValue(packageId: string, slot: string, value: string): void {
  const problem =
    value === ''
      ? 'is empty'
      : value.includes('\0')
        ? 'contains a NUL character, which variables and headers cannot contain'
        : Buffer.byteLength(value) > maxValueBytes
          ? 'is larger than 64 KiB'
          : Buffer.from(value).toString() === value
            ? undefined
            : 'is not valid Unicode';
  if (problem === undefined) return;
  throw new HostError('invalid_input', `the value for ${slot} of ${packageId} ${problem}`, {
    hint: `pass the value on standard input: toolwharf secret set ${packageId} ${slot}`,
  });
}

type RowIdentity = Pick<SealedRow, 'package' | 'slot' | 'audience' | 'version'>;

function additionalData(identity: RowIdentity): Buffer {
  const { package: packageId, slot, audience, version } = identity;
  return Buffer.from(canonicalJson({ package: packageId, slot, audience, version }));
}

function encrypt(key: Buffer, row: Omit<SealedRow, 'nonce' | 'sealed'>, value: string): SealedRow {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  encryption.setAAD(additionalData(row));
  const sealed = Buffer.concat([
    encryption.update(value, 'utf8'),
    encryption.final(),
    encryption.getAuthTag(),
  ]);
  return { ...row, nonce, sealed };
}

function decrypt(key: Buffer, row: SealedRow): string {
  try {
    const sealed = Buffer.from(row.sealed);
    if (row.nonce.length !== nonceBytes || sealed.length <= tagBytes) throw new Error('wrong size');
    const decryption = createDecipheriv(cipher, key, row.nonce, { authTagLength: tagBytes });
    decryption.setAAD(additionalData(row));
    decryption.setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([decryption.update(sealed.subarray(0, -tagBytes)), decryption.final()]).toString(
      'utf8',
    );
  } catch (error) {
    throw tampered(row, error);
  }
}

/** Without the key no value leaves the vault, so there is nothing to scan for. */
function ignoreHostError(error: unknown): undefined {
  if (!(error instanceof HostError)) throw error;
  return undefined;
}

function tryDecrypt(key: Buffer, row: SealedRow): string | undefined {
  try {
    return decrypt(key, row);
  } catch (error) {
    return ignoreHostError(error);
  }
}

function entryOf(row: SealedRow): ValueEntry {
  return { package: row.package, slot: row.slot, audience: audienceOf(row), setAt: row.set_at };
}

function audienceOf(row: SealedRow): ValueAudience {
  const audience = parseAudience(row.audience);
  if (audience === undefined) throw tampered(row, undefined);
  return audience;
}

function tampered(row: SealedRow, cause: unknown): HostError {
  return new HostError(
    'integrity',
    `the stored value for ${row.slot} of ${row.package} was changed or moved`,
    {
      cause,
      hint: `set it again: toolwharf secret set ${row.package} ${row.slot}`,
    },
  );
}
