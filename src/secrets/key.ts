import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { HostError } from '../model/host-error.js';
import {
  checkOf,
  type KeyStorage,
  type KeyStorageKind,
  keyFile,
  keyStorageFile,
  keyStorageOf,
  keyStorageText,
  saltFile,
  writtenKeyStorage,
} from './key-storage.js';
import type { Keychain } from './keychain.js';
import { keyFromPassphrase, openWithPassphrase, passphraseSizes, wrapKey } from './passphrase.js';
import { makePrivate, readPrivate, removePrivate, replacePrivate } from './private-file.js';

const keyBytes = 32;
const keySizes = { least: keyBytes, most: keyBytes };

/** What a key can be kept with. */
export interface KeyMeans {
  readonly state: string;
  readonly passphrase?: string | undefined;
  /** Null where the system has none that is known. */
  readonly keychain?: Keychain | null | undefined;
}

/** The key that is there. Undefined when there is none yet; one that cannot be had is an error and never replaced. */
export async function readKey(means: KeyMeans): Promise<Buffer | undefined> {
  const { state, passphrase } = means;
  const keeper = keyStorageOf(state);
  if (passphrase === '')
    throw unusable('the passphrase of the secrets is empty', 'give one, or none at all for a key file');
  if (keeper === undefined) return undefined;
  if (passphrase !== undefined && keeper.kind !== 'passphrase')
    throw unusable(
      `the secrets in ${state} are kept with ${keyStorageName(keeper.kind)}, not a passphrase`,
      'start the host without a passphrase',
    );
  const key = await fetched(keeper, means);
  if (keeper.check !== undefined && keeper.check !== checkOf(key))
    throw unusable(
      `the key that ${keyStorageName(keeper.kind)} gives is not the one of the secrets in ${state}`,
      'put the right one back, or unset the secrets and set them again ("toolwharf secret list")',
    );
  await sweep(keeper, key, means);
  return key;
}

/** A new key, which is right only while nothing was sealed. */
export async function makeKey(means: KeyMeans, wish: KeyStorageKind | undefined): Promise<Buffer> {
  const { state, passphrase } = means;
  const kind = wish ?? (passphrase === undefined ? 'file' : 'passphrase');
  switch (kind) {
    case 'file':
      makePrivate(keyFile(state), randomBytes(keyBytes));
      break;
    case 'passphrase': {
      if (passphrase === undefined) throw noPassphrase();
      makePrivate(saltFile(state), (await keyFromPassphrase(passphrase)).kept);
      break;
    }
    case 'keychain': {
      const key = randomBytes(keyBytes);
      makePrivate(keyStorageFile(state), keyStorageText(await keptInKeychain(key, means)));
    }
  }
  const made = await readKey(means);
  if (made === undefined) throw lost(keyFile(state));
  return made;
}

/**
 * Gives the key to another keeper. The values keep their seals, so there is one moment at which the new keeper counts:
 * when the note of it takes the place of the old one.
 */
export async function moveKey(key: Buffer, to: KeyStorageKind, means: KeyMeans): Promise<void> {
  const { state, passphrase } = means;
  const from = keyStorageOf(state);
  if (from === undefined) throw lost(keyFile(state));
  if (from.kind === to && to !== 'passphrase')
    throw new HostError('usage', `the key is kept with ${keyStorageName(to)} already`);
  // From here on it is written down who counts, whatever else lies there.
  if (writtenKeyStorage(state) === undefined)
    makePrivate(keyStorageFile(state), keyStorageText({ ...from, check: checkOf(key) }));
  const keeper = await handed(key, to, means, passphrase);
  const left = from.id === undefined ? {} : { left: from.id };
  replacePrivate(keyStorageFile(state), keyStorageText({ ...keeper, ...left }));
  await sweep({ ...keeper, ...left }, key, means);
}

async function handed(
  key: Buffer,
  to: KeyStorageKind,
  means: KeyMeans,
  passphrase: string | undefined,
): Promise<KeyStorage> {
  switch (to) {
    case 'file':
      replacePrivate(keyFile(means.state), key);
      return { kind: to, check: checkOf(key) };
    case 'passphrase':
      if (passphrase === undefined || passphrase === '') throw noPassphrase();
      replacePrivate(saltFile(means.state), await wrapKey(passphrase, key));
      return { kind: to, check: checkOf(key) };
    case 'keychain':
      return keptInKeychain(key, means);
  }
}

async function keptInKeychain(key: Buffer, { keychain }: KeyMeans): Promise<KeyStorage> {
  if (!keychain) throw noKeychain();
  const id = randomBytes(16).toString('hex');
  await keychain.write(id, key.toString('hex'));
  // Some accept everything and keep nothing.
  if ((await keychain.read(id)) !== key.toString('hex'))
    throw unusable(`${keychain.name} did not keep the key`, 'unlock it, or keep the key elsewhere');
  return { kind: 'keychain', id, check: checkOf(key) };
}

async function fetched(keeper: KeyStorage, { state, passphrase, keychain }: KeyMeans): Promise<Buffer> {
  switch (keeper.kind) {
    case 'file': {
      const key = readPrivate(keyFile(state), keySizes);
      if (key === undefined) throw lost(keyFile(state));
      return key;
    }
    case 'passphrase': {
      const kept = readPrivate(saltFile(state), passphraseSizes);
      if (kept === undefined) throw lost(saltFile(state));
      if (passphrase === undefined)
        throw unusable(
          `the secrets in ${state} are kept with a passphrase, and none was given`,
          'start the host with the passphrase: TOOLWHARF_PASSPHRASE',
        );
      const key = await openWithPassphrase(passphrase, kept);
      if (key === undefined)
        throw unusable(
          `this is not the passphrase of the secrets in ${state}`,
          'start the host with the right one; nothing was changed',
        );
      return key;
    }
    case 'keychain': {
      if (!keychain) throw noKeychain();
      const text = await keychain.read(keeper.id as string);
      if (text === undefined || !/^[0-9a-f]{64}$/.test(text))
        throw unusable(
          `${keychain.name} no longer has the key of the secrets in ${state}`,
          'bring the entry back, or unset the secrets and set them again ("toolwharf secret list")',
        );
      return Buffer.from(text, 'hex');
    }
  }
}

/** What a move left behind because it was interrupted. Only once the keeper that counts gave the key. */
async function sweep(keeper: KeyStorage, key: Buffer, { state, keychain }: KeyMeans): Promise<void> {
  if (keeper.check === undefined) return;
  for (const [kind, path] of [
    ['file', keyFile(state)],
    ['passphrase', saltFile(state)],
  ] as const)
    if (keeper.kind !== kind && existsSync(path)) removePrivate(path);
  const { left, ...rest } = keeper;
  if (left === undefined || !keychain) return;
  try {
    await keychain.remove(left);
  } catch {
    // The next one who opens the vault tries again.
    return;
  }
  replacePrivate(keyStorageFile(state), keyStorageText({ ...rest, check: checkOf(key) }));
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
  return unusable('no keychain of this system is known', 'keep the key in a file or with a passphrase');
}

export function lost(path: string): HostError {
  return unusable(
    `${path} is gone, so the secrets kept there cannot be opened`,
    'put the file back, or unset the secrets and set them again ("toolwharf secret list")',
  );
}
