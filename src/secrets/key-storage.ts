import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { isObject } from '../model/json.js';
import { readPrivate } from './private-file.js';

/** Who keeps the key of the vault. */
export type KeyStorageKind = 'file' | 'passphrase' | 'keychain';

export const keyStorageKinds: readonly KeyStorageKind[] = ['file', 'passphrase', 'keychain'];

/** Which keeper counts. Written when a key moves, so that whoever dies on the way leaves the old one or the new one. */
export interface KeyStorage {
  readonly kind: KeyStorageKind;
  /** The entry of the keychain. */
  readonly id?: string;
  /** Says whether a key is the right one, and nothing else of it. */
  readonly check?: string;
  /** An entry of the keychain that was given up and is still to be removed. */
  readonly left?: string;
}

export const keyStorageFile = (state: string) => join(state, 'vault.keeper');
export const keyFile = (state: string) => join(state, 'vault.key');
export const saltFile = (state: string) => join(state, 'vault.salt');

/** What was written down; undefined when nothing was, because the key never moved. */
export function writtenKeyStorage(state: string): KeyStorage | undefined {
  const path = keyStorageFile(state);
  const bytes = readPrivate(path, { least: 2, most: 1024 });
  if (bytes === undefined) return undefined;
  const keeper = parsed(bytes.toString('utf8'));
  if (keeper !== undefined) return keeper;
  throw new HostError('state_unusable', `${path} was damaged`, {
    hint: 'put the right one back, or move it away if the key never left its first place',
  });
}

/** Who keeps the key, going by the files alone. Undefined when there is no key yet. */
export function keyStorageOf(state: string): KeyStorage | undefined {
  const written = writtenKeyStorage(state);
  if (written !== undefined) return written;
  if (existsSync(keyFile(state))) return { kind: 'file' };
  return existsSync(saltFile(state)) ? { kind: 'passphrase' } : undefined;
}

export function keyStorageText(keeper: KeyStorage): Buffer {
  return Buffer.from(JSON.stringify(keeper));
}

export function checkOf(key: Buffer): string {
  return createHmac('sha256', key).update('toolwharf vault keeper').digest('hex');
}

function parsed(text: string): KeyStorage | undefined {
  try {
    const said: unknown = JSON.parse(text);
    if (!isObject(said)) return undefined;
    const { kind, id, check, left } = said;
    if (!keyStorageKinds.includes(kind as KeyStorageKind)) return undefined;
    if (kind === 'keychain' && (typeof id !== 'string' || typeof check !== 'string')) return undefined;
    if ([id, check, left].some((it) => it !== undefined && !/^[0-9a-f]{1,64}$/.test(String(it))))
      return undefined;
    return said as unknown as KeyStorage;
  } catch {
    return undefined;
  }
}
