import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson } from '../model/json.js';
import type { KeyStorageKind } from './key-storage.js';
import type { Vault } from './vault.js';

/** The encrypted arguments of one call. */
export interface SealedArguments {
  readonly call: string;
  /** Identifies the key without revealing anything about it. */
  readonly key: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Encrypts and decrypts the stored arguments of calls. */
export interface ArgumentSeal {
  /** `keyStorage`: where to store the key of the vault if it is created now. */
  seal(call: string, digest: string, text: string, keyStorage?: KeyStorageKind): Promise<SealedArguments>;
  open(sealed: SealedArguments, digest: string): Promise<string>;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** Derives a separate key: it cannot decrypt the values of the vault. */
const label = 'toolwharf kept arguments';

/**
 * The call id and the digest from the audit log are authenticated too, so a row that was changed or moved to another call
 * cannot be decrypted.
 */
export function createArgumentSeal(vault: Pick<Vault, 'derive'>): ArgumentSeal {
  let cachedKey: Buffer | undefined;
  const keyFor = async (create: boolean, keyStorage?: KeyStorageKind): Promise<Buffer> => {
    cachedKey ??= await vault.derive(label, create, keyStorage);
    return cachedKey;
  };
  return {
    async seal(call, digest, text, keyStorage) {
      const key = await keyFor(true, keyStorage);
      const nonce = randomBytes(nonceBytes);
      const encryption = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
      encryption.setAAD(additional(call, digest));
      const sealed = Buffer.concat([
        encryption.update(text, 'utf8'),
        encryption.final(),
        encryption.getAuthTag(),
      ]);
      return { call, key: nameOf(key), nonce, sealed };
    },
    async open({ call, key: name, nonce, sealed }, digest) {
      const key = await keyFor(false);
      if (name !== nameOf(key))
        throw new HostError('state_unusable', `the arguments of ${call} were encrypted with another key`, {
          hint: 'restore the key that the vault had then; without it they cannot be decrypted',
        });
      try {
        if (nonce.length !== nonceBytes || sealed.length < tagBytes) throw new Error('wrong size');
        const decryption = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
        decryption.setAAD(additional(call, digest));
        decryption.setAuthTag(sealed.subarray(-tagBytes));
        return Buffer.concat([decryption.update(sealed.subarray(0, -tagBytes)), decryption.final()]).toString(
          'utf8',
        );
      } catch (cause) {
        throw sealMismatch(call, cause);
      }
    },
  };
}

export function sealMismatch(call: string, cause?: unknown): HostError {
  return new HostError(
    'integrity',
    `the stored arguments of ${call} were changed or belong to another call`,
    {
      cause,
      hint: 'they are not shown; check the audit log with "toolwharf audit verify"',
    },
  );
}

function additional(call: string, digest: string): Buffer {
  return Buffer.from(canonicalJson({ call, digest }));
}

function nameOf(key: Buffer): string {
  return createHmac('sha256', key).update('name').digest('hex').slice(0, 16);
}
