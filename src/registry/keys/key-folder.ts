// Private keys of a registry: one file per key that only its owner can read, or an entry in the keychain of the operating
// system. Which role a key has is not written here; the metadata says which keys it accepts.
import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../files/make-folder.js';
import { createPrivateFile, readPrivateFile } from '../../files/private-file.js';
import { HostError } from '../../model/host-error.js';
import type { Keychain, KeychainItem } from '../../secrets/keychain.js';
import { type RegistrySigner, registrySigner } from '../metadata/registry-key.js';

export const registryKeychainItem: KeychainItem = {
  service: 'toolwharf-registry',
  label: 'Toolwharf: key of a registry',
};

export type KeyPlace = 'file' | 'keychain';

/** A key with the name that its owner gave it. */
export interface NamedKey {
  readonly name: string;
  readonly place: KeyPlace;
  readonly signer: RegistrySigner;
}

export interface KeyFolderOptions {
  readonly folder: string;
  /** Null: this system has none. */
  readonly keychain: Keychain | null;
}

const keyName = /^[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/;
const sizes = { min: 1, max: 16 * 1024 };
const fileEnding = '.key';
/** Names an entry of the keychain. */
const linkEnding = '.keychain';

export class KeyFolder {
  readonly #folder: string;
  readonly #keychain: Keychain | null;

  constructor({ folder, keychain }: KeyFolderOptions) {
    this.#folder = folder;
    this.#keychain = keychain;
  }

  get folder(): string {
    return this.#folder;
  }

  /** Whether there is a key with this name. */
  has(name: string): boolean {
    return [fileEnding, linkEnding].some((it) => existsSync(this.#path(name, it)));
  }

  /** Creates a key. A key that is there is never replaced. */
  async create(name: string, place: KeyPlace = 'file'): Promise<NamedKey> {
    if (!keyName.test(name))
      throw new HostError('usage', `${JSON.stringify(name)} is not a name for a key`, {
        hint: 'use lower-case letters, digits, "." and "-"',
      });
    if (this.has(name))
      throw new HostError('usage', `${this.#folder} has a key ${name} already`, {
        hint: 'choose another name',
      });
    this.#make();
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    let created: boolean;
    if (place === 'file') created = createPrivateFile(this.#path(name, fileEnding), pem);
    else {
      const id = randomBytes(16).toString('hex');
      await this.#requireKeychain().write(id, Buffer.from(pem).toString('base64url'));
      created = createPrivateFile(this.#path(name, linkEnding), id);
    }
    if (!created) throw new HostError('usage', `another process created the key ${name} at the same time`);
    return { name, place, signer: registrySigner(privateKey) };
  }

  /** All keys, by name. A key that cannot be read is an error: it may be the one that is needed. */
  async list(): Promise<readonly NamedKey[]> {
    const files = this.#files();
    const keys: NamedKey[] = [];
    for (const file of files) {
      const place = file.endsWith(fileEnding) ? 'file' : file.endsWith(linkEnding) ? 'keychain' : undefined;
      if (place === undefined) continue;
      const name = file.slice(0, -(place === 'file' ? fileEnding : linkEnding).length);
      if (keyName.test(name)) keys.push({ name, place, signer: await this.#read(name, place) });
    }
    return keys;
  }

  #make(): void {
    try {
      makeFolder(this.#folder, 0o700);
      accessSync(this.#folder, constants.W_OK);
    } catch (error) {
      throw unusable(this.#folder, 'written', error);
    }
  }

  #files(): string[] {
    if (!existsSync(this.#folder)) return [];
    try {
      return readdirSync(this.#folder).sort();
    } catch (error) {
      throw unusable(this.#folder, 'read', error);
    }
  }

  async #read(name: string, place: KeyPlace): Promise<RegistrySigner> {
    const path = this.#path(name, place === 'file' ? fileEnding : linkEnding);
    const text = readPrivateFile(path, sizes)?.toString('utf8').trim();
    const pem = place === 'file' || text === undefined ? text : await this.#fromKeychain(text, name);
    if (pem === undefined) throw unreadable(path);
    try {
      return registrySigner(createPrivateKey(pem));
    } catch (error) {
      throw unreadable(path, error);
    }
  }

  async #fromKeychain(id: string, name: string): Promise<string> {
    const value = /^[0-9a-f]{32}$/.test(id) ? await this.#requireKeychain().read(id) : undefined;
    if (value !== undefined) return Buffer.from(value, 'base64url').toString('utf8');
    throw new HostError('state_unusable', `the keychain does not have the key ${name}`, {
      hint: 'restore it, or use the other keys of its role',
    });
  }

  #requireKeychain(): Keychain {
    if (this.#keychain !== null) return this.#keychain;
    throw new HostError('state_unusable', 'this system has no keychain that is supported', {
      hint: 'keep the key in a file',
    });
  }

  #path(name: string, ending: string): string {
    return join(this.#folder, `${name}${ending}`);
  }
}

function unusable(folder: string, what: 'read' | 'written', cause: unknown): HostError {
  return new HostError('state_unusable', `the folder for keys ${folder} cannot be ${what}`, {
    cause,
    hint: 'name a folder that you own: --keys DIR',
  });
}

function unreadable(path: string, cause?: unknown): HostError {
  return new HostError('state_unusable', `${path} is not an Ed25519 key`, {
    hint: 'restore it from a backup',
    ...(cause === undefined ? {} : { cause }),
  });
}
