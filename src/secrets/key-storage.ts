import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readPrivateFile } from '../files/private-file.js';
import { HostError } from '../model/host-error.js';
import { isObject } from '../model/json.js';

/** Where the key of the vault is stored. */
export type KeyStorageKind = 'file' | 'passphrase' | 'keychain';

export const keyStorageKinds: readonly KeyStorageKind[] = ['file', 'passphrase', 'keychain'];

/** The storage that is in use. The file is replaced atomically when a key moves, so it names the old or the new one. */
export interface KeyStorage {
  readonly kind: KeyStorageKind;
  /** Id of the keychain entry. */
  readonly id?: string;
  /** HMAC to verify the key. It reveals nothing about the key. */
  readonly check?: string;
  /** Id of an old keychain entry that must still be removed. */
  readonly obsoleteId?: string;
}

export const keyStorageFile = (state: string) => join(state, 'vault.key-storage');
export const keyFile = (state: string) => join(state, 'vault.key');
export const saltFile = (state: string) => join(state, 'vault.salt');

/** The content of the file; undefined when there is none, because the key never moved. */
export function readKeyStorageFile(state: string): KeyStorage | undefined {
  const path = keyStorageFile(state);
  const bytes = readPrivateFile(path, { min: 2, max: 1024 });
  if (bytes === undefined) return undefined;
  const storage = parsed(bytes.toString('utf8'));
  if (storage !== undefined) return storage;
  throw new HostError('state_unusable', `${path} is damaged`, {
    hint: 'restore it from a backup, or remove it if the key was never moved',
  });
}

/** Where the key is stored, according to the files. Undefined when there is no key yet. */
export function currentKeyStorage(state: string): KeyStorage | undefined {
  const recorded = readKeyStorageFile(state);
  if (recorded !== undefined) return recorded;
  if (existsSync(keyFile(state))) return { kind: 'file' };
  return existsSync(saltFile(state)) ? { kind: 'passphrase' } : undefined;
}

export function serializeKeyStorage(storage: KeyStorage): Buffer {
  return Buffer.from(JSON.stringify(storage));
}

export function keyCheckOf(key: Buffer): string {
  return createHmac('sha256', key).update('toolwharf vault key storage').digest('hex');
}

function parsed(text: string): KeyStorage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { kind, id, check, obsoleteId } = value;
    if (!keyStorageKinds.includes(kind as KeyStorageKind)) return undefined;
    if (kind === 'keychain' && (typeof id !== 'string' || typeof check !== 'string')) return undefined;
    if ([id, check, obsoleteId].some((it) => it !== undefined && !/^[0-9a-f]{1,64}$/.test(String(it))))
      return undefined;
    return value as unknown as KeyStorage;
  } catch {
    return undefined;
  }
}
