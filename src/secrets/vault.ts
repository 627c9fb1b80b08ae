import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson } from '../model/json.js';
import { normalAudience, readAudience, type ValueAudience } from './audience.js';
import { keyStorageName, lost, makeKey, moveKey, readKey } from './key.js';
import { type KeyStorageKind, keyFile, keyStorageOf } from './key-storage.js';
import type { Keychain } from './keychain.js';

/** One sealed value as it is kept. */
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

/** Where sealed values are kept. */
export interface SealedRows {
  get(packageId: string, slot: string): Promise<SealedRow | undefined>;
  list(): Promise<readonly SealedRow[]>;
  /** Takes the place of exactly the version before it. False when somebody else was faster. */
  put(row: SealedRow): Promise<boolean>;
  remove(packageId: string, slot: string): Promise<boolean>;
}

export interface ValueInput {
  readonly package: string;
  readonly slot: string;
  readonly value: string;
  readonly audience: ValueAudience;
  /** Who should keep the key; another one than does is an error, and moves nothing. */
  readonly keeper?: KeyStorageKind | undefined;
}

/** What may be said of a value. */
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

/** A value with whose it is. */
export interface KeptValue {
  readonly package: string;
  readonly slot: string;
  readonly value: string;
}

export interface Vault {
  /** Undefined when there is no key yet. */
  keeper(): KeyStorageKind | undefined;
  /** Gives the key to another keeper; the values stay as they are. */
  rekey(to: KeyStorageKind, passphrase: string | undefined): Promise<void>;
  set(entry: ValueInput): Promise<ValueEntry>;
  /** Sorted by package and slot. Needs no key. */
  list(): Promise<readonly ValueEntry[]>;
  /** False when there was none. Needs no key. */
  unset(packageId: string, slot: string): Promise<boolean>;
  value(packageId: string, slot: string): Promise<OpenedValue | undefined>;
  /** Every value that can be opened, to be known again where it turns up. One that cannot reaches no tool either. */
  all(): Promise<readonly KeptValue[]>;
  /** Another key for another use, made of the vault's; `make`: where there is none yet and nothing was sealed. */
  derive(label: string, make: boolean, keeper?: KeyStorageKind): Promise<Buffer>;
  /** Another number after every change, so that what was made of all values can be kept until then. */
  generation(): number;
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
/** Each lost attempt means that somebody else succeeded. */
const maxAttempts = 1000;

/**
 * Values sealed one by one. The seal covers whose value it is and who may get it, so that a row that was moved or
 * changed does not open. The key is read, or made, when it is first needed.
 */
export function openVault({ state, rows, now, passphrase, keychain }: VaultOptions): Vault {
  let key: Buffer | undefined;
  let changes = 0;
  const means = { state, passphrase, keychain };
  const keyFor = async (make: boolean, wish?: KeyStorageKind): Promise<Buffer> => {
    if (key === undefined) {
      key = await readKey(means);
      if (key === undefined && !make) throw lost(keyFile(state));
      key ??= await makeKey(means, wish);
      changes++;
    }
    return key;
  };
  return {
    keeper: () => keyStorageOf(state)?.kind,
    async rekey(to, chosen) {
      if (keyStorageOf(state) === undefined)
        throw new HostError('not_found', 'there is no key yet', {
          hint: `it is made with the first secret; say where with vault.key = "${to}" in the configuration`,
        });
      const held = await keyFor(false);
      await moveKey(held, to, { ...means, passphrase: chosen });
    },
    async set({ package: packageId, slot, value, audience, keeper }) {
      checkValue(packageId, slot, value);
      checkKeeper(keeper, keyStorageOf(state)?.kind);
      const spoken = canonicalJson(normalAudience(audience));
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        // A new key beside values that another one sealed would make them look forged.
        const key = await keyFor((await rows.list()).length === 0, keeper);
        const version = ((await rows.get(packageId, slot))?.version ?? 0) + 1;
        const row = seal(key, { package: packageId, slot, audience: spoken, version, set_at: now() }, value);
        if (await rows.put(row)) {
          changes++;
          return entryOf(row);
        }
      }
      throw new HostError('state_unusable', `the value for ${slot} of ${packageId} is being set by others`, {
        hint: 'try again',
      });
    },
    async list() {
      return (await rows.list()).map(entryOf);
    },
    async unset(packageId, slot) {
      const gone = await rows.remove(packageId, slot);
      changes++;
      return gone;
    },
    async derive(label, make, keeper) {
      const root = await keyFor(make && (await rows.list()).length === 0, keeper);
      return Buffer.from(hkdfSync('sha256', root, '', label, 32));
    },
    generation: () => changes,
    async all() {
      const kept = await rows.list();
      if (kept.length === 0) return [];
      const opener = await keyFor(false).catch(unavailable);
      if (opener === undefined) return [];
      return kept.flatMap((row) => {
        const value = openable(opener, row);
        return value === undefined ? [] : [{ package: row.package, slot: row.slot, value }];
      });
    },
    async value(packageId, slot) {
      const row = await rows.get(packageId, slot);
      if (row === undefined) return undefined;
      const value = unseal(await keyFor(false), row);
      return { value, audience: audienceOf(row), version: row.version };
    },
  };
}

/** Keys are never moved in passing. */
function checkKeeper(wish: KeyStorageKind | undefined, kind: KeyStorageKind | undefined): void {
  if (wish === undefined || kind === undefined || wish === kind) return;
  throw new HostError(
    'state_unusable',
    `the configuration wants the key of the secrets in ${keyStorageName(wish)}, and ${keyStorageName(kind)} has it`,
    { hint: `move it: toolwharf secret rekey --to ${wish}; or leave vault.key out of the configuration` },
  );
}

function checkValue(packageId: string, slot: string, value: string): void {
  const problem =
    value === ''
      ? 'is empty'
      : value.includes('\0')
        ? 'has a NUL character, which no variable or header can carry'
        : Buffer.byteLength(value) > maxValueBytes
          ? 'has more than 64 KiB'
          : Buffer.from(value).toString() === value
            ? undefined
            : 'is not valid Unicode';
  if (problem === undefined) return;
  throw new HostError('invalid_input', `the value for ${slot} of ${packageId} ${problem}`, {
    hint: `give the value on standard input: toolwharf secret set ${packageId} ${slot}`,
  });
}

type Place = Pick<SealedRow, 'package' | 'slot' | 'audience' | 'version'>;

function additional(place: Place): Buffer {
  const { package: packageId, slot, audience, version } = place;
  return Buffer.from(canonicalJson({ package: packageId, slot, audience, version }));
}

function seal(key: Buffer, place: Omit<SealedRow, 'nonce' | 'sealed'>, value: string): SealedRow {
  const nonce = randomBytes(nonceBytes);
  const sealer = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
  sealer.setAAD(additional(place));
  const sealed = Buffer.concat([sealer.update(value, 'utf8'), sealer.final(), sealer.getAuthTag()]);
  return { ...place, nonce, sealed };
}

function unseal(key: Buffer, row: SealedRow): string {
  try {
    const sealed = Buffer.from(row.sealed);
    if (row.nonce.length !== nonceBytes || sealed.length <= tagBytes) throw new Error('wrong size');
    const opener = createDecipheriv(cipher, key, row.nonce, { authTagLength: tagBytes });
    opener.setAAD(additional(row));
    opener.setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([opener.update(sealed.subarray(0, -tagBytes)), opener.final()]).toString('utf8');
  } catch (error) {
    throw forged(row, error);
  }
}

/** Without the key no value leaves the vault. */
function unavailable(error: unknown): undefined {
  if (!(error instanceof HostError)) throw error;
  return undefined;
}

function openable(key: Buffer, row: SealedRow): string | undefined {
  try {
    return unseal(key, row);
  } catch (error) {
    return unavailable(error);
  }
}

function entryOf(row: SealedRow): ValueEntry {
  return { package: row.package, slot: row.slot, audience: audienceOf(row), setAt: row.set_at };
}

function audienceOf(row: SealedRow): ValueAudience {
  const audience = readAudience(row.audience);
  if (audience === undefined) throw forged(row, undefined);
  return audience;
}

function forged(row: SealedRow, cause: unknown): HostError {
  return new HostError('integrity', `the kept value for ${row.slot} of ${row.package} was changed or moved`, {
    cause,
    hint: `set it again: toolwharf secret set ${row.package} ${row.slot}`,
  });
}
