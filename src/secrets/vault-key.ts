import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  createPrivateFile,
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
} from '../files/private-file.js';
import { HostError } from '../model/host-error.js';
import {
  currentKeyStorage,
  type KeyStorage,
  type KeyStorageKind,
  keyCheckOf,
  keyFile,
  keyStorageFile,
  readKeyStorageFile,
  saltFile,
  serializeKeyStorage,
} from './key-storage.js';
import type { Keychain } from './keychain.js';
import { keyFromPassphrase, openWithPassphrase, passphraseSizes, wrapKey } from './passphrase.js';

const keyBytes = 32;
const keySizes = { min: keyBytes, max: keyBytes };

/** What is needed to read or store the key. */
export interface KeyAccess {
  readonly state: string;
  readonly passphrase?: string | undefined;
  /** Null on systems without a supported keychain. */
  readonly keychain?: Keychain | null | undefined;
}

/** Reads the key. Undefined when there is none yet. A key that cannot be read is an error and is never replaced. */
export async function readKey(access: KeyAccess): Promise<Buffer | undefined> {
  const { state, passphrase } = access;
  const storage = currentKeyStorage(state);
  if (passphrase === '')
    throw unusable(
      'the passphrase of the vault is empty',
      'set a passphrase, or none at all to use a key file',
    );
  if (storage === undefined) return undefined;
  if (passphrase !== undefined && storage.kind !== 'passphrase')
    throw unusable(
      `the vault in ${state} uses ${keyStorageName(storage.kind)}, not a passphrase`,
      'start the host without a passphrase',
    );
  const key = await fetchKey(storage, access);
  if (storage.check !== undefined && storage.check !== keyCheckOf(key))
    throw unusable(
      `the key from ${keyStorageName(storage.kind)} does not match the vault in ${state}`,
      'restore the right key, or unset the secrets and set them again ("toolwharf secret list")',
    );
  await removeObsolete(storage, key, access);
  return key;
}

/** Creates a new key. Only valid while no value is stored. */
export async function createKey(access: KeyAccess, preferred: KeyStorageKind | undefined): Promise<Buffer> {
  const { state, passphrase } = access;
  const kind = preferred ?? (passphrase === undefined ? 'file' : 'passphrase');
  switch (kind) {
    case 'file':
      createPrivateFile(keyFile(state), randomBytes(keyBytes));
      break;
    case 'passphrase': {
      if (passphrase === undefined) throw noPassphrase();
      createPrivateFile(saltFile(state), (await keyFromPassphrase(passphrase)).stored);
      break;
    }
    case 'keychain': {
      const key = randomBytes(keyBytes);
      createPrivateFile(keyStorageFile(state), serializeKeyStorage(await storeInKeychain(key, access)));
    }
  }
  const created = await readKey(access);
  if (created === undefined) throw keyMissing(keyFile(state));
  return created;
}

/**
 * Moves the key to another storage. The values stay as they are. The move happens at the moment when the key storage file
 * is replaced.
 */
export async function moveKey(key: Buffer, to: KeyStorageKind, access: KeyAccess): Promise<void> {
  const { state, passphrase } = access;
  const from = currentKeyStorage(state);
  if (from === undefined) throw keyMissing(keyFile(state));
  if (from.kind === to && to !== 'passphrase')
    throw new HostError('usage', `the key is already stored in ${keyStorageName(to)}`);
  // From here on the file says which storage is in use, whatever other files exist.
  if (readKeyStorageFile(state) === undefined)
    createPrivateFile(keyStorageFile(state), serializeKeyStorage({ ...from, check: keyCheckOf(key) }));
  const storage = await storeKey(key, to, access, passphrase);
  const obsolete = from.id === undefined ? {} : { obsoleteId: from.id };
  replacePrivateFile(keyStorageFile(state), serializeKeyStorage({ ...storage, ...obsolete }));
  await removeObsolete({ ...storage, ...obsolete }, key, access);
}

async function storeKey(
  key: Buffer,
  to: KeyStorageKind,
  access: KeyAccess,
  passphrase: string | undefined,
): Promise<KeyStorage> {
  switch (to) {
    case 'file':
      replacePrivateFile(keyFile(access.state), key);
      return { kind: to, check: keyCheckOf(key) };
    case 'passphrase':
      if (passphrase === undefined || passphrase === '') throw noPassphrase();
      replacePrivateFile(saltFile(access.state), await wrapKey(passphrase, key));
      return { kind: to, check: keyCheckOf(key) };
    case 'keychain':
      return storeInKeychain(key, access);
  }
}

async function storeInKeychain(key: Buffer, { keychain }: KeyAccess): Promise<KeyStorage> {
  if (!keychain) throw noKeychain();
  const id = randomBytes(16).toString('hex');
  await keychain.write(id, key.toString('hex'));
  // Some keychains report success without storing anything.
  if ((await keychain.read(id)) !== key.toString('hex'))
    throw unusable(`${keychain.name} did not store the key`, 'unlock it, or choose another key storage');
  return { kind: 'keychain', id, check: keyCheckOf(key) };
}

async function fetchKey(storage: KeyStorage, { state, passphrase, keychain }: KeyAccess): Promise<Buffer> {
  switch (storage.kind) {
    case 'file': {
      const key = readPrivateFile(keyFile(state), keySizes);
      if (key === undefined) throw keyMissing(keyFile(state));
      return key;
    }
    case 'passphrase': {
      const stored = readPrivateFile(saltFile(state), passphraseSizes);
      if (stored === undefined) throw keyMissing(saltFile(state));
      if (passphrase === undefined)
        throw unusable(
          `the vault in ${state} needs a passphrase, and none was given`,
          'start the host with the passphrase: TOOLWHARF_PASSPHRASE',
        );
      const key = await openWithPassphrase(passphrase, stored);
      if (key === undefined)
        throw unusable(
          `wrong passphrase for the vault in ${state}`,
          'start the host with the right passphrase; nothing was changed',
        );
      return key;
    }
    case 'keychain': {
      if (!keychain) throw noKeychain();
      const text = await keychain.read(storage.id as string);
      if (text === undefined || !/^[0-9a-f]{64}$/.test(text))
        throw unusable(
          `${keychain.name} no longer has the key of the vault in ${state}`,
          'restore the entry, or unset the secrets and set them again ("toolwharf secret list")',
        );
      return Buffer.from(text, 'hex');
    }
  }
}

/** Removes what an interrupted move left. Called only after the current storage has provided the key. */
async function removeObsolete(
  storage: KeyStorage,
  key: Buffer,
  { state, keychain }: KeyAccess,
): Promise<void> {
  if (storage.check === undefined) return;
  for (const [kind, path] of [
    ['file', keyFile(state)],
    ['passphrase', saltFile(state)],
  ] as const)
    if (storage.kind !== kind && existsSync(path)) removePrivateFile(path);
  const { obsoleteId, ...rest } = storage;
  if (obsoleteId === undefined || !keychain) return;
  try {
    await keychain.remove(obsoleteId);
  } catch {
    // The next opening of the vault tries again.
    return;
  }
  replacePrivateFile(keyStorageFile(state), serializeKeyStorage({ ...rest, check: keyCheckOf(key) }));
}

export function keyStorageName(kind: KeyStorageKind): string {
  return { file: 'a key file', passphrase: 'a passphrase', keychain: 'the keychain' }[kind];
}

function unusable(message: string, hint: string): HostError {
  return new HostError('state_unusable', message, { hint });
}

function noPassphrase(): HostError {
  return unusable('no passphrase was given', 'start the host with one: TOOLWHARF_PASSPHRASE');
}

function noKeychain(): HostError {
  return unusable('no supported keychain on this system', 'use a key file or a passphrase');
}

export function keyMissing(path: string): HostError {
  return unusable(
    `${path} is missing, so the secrets cannot be decrypted`,
    'restore the file, or unset the secrets and set them again ("toolwharf secret list")',
  );
}
