import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { HostError } from '../model/host-error.js';
import { canonicalJson } from '../model/json.js';
import type { KeyStorageKind } from './key-storage.js';
import type { Vault } from './vault.js';

/** The arguments of one call as they are kept. */
export interface SealedArguments {
  readonly call: string;
  /** Tells keys apart, and nothing else of them. */
  readonly key: string;
  readonly nonce: Uint8Array;
  readonly sealed: Uint8Array;
}

/** Closes and opens what was kept of calls. */
export interface ArgumentSeal {
  /** `keeper`: who should keep the key of the vault where there is none yet. */
  close(call: string, digest: string, text: string, keeper?: KeyStorageKind): Promise<SealedArguments>;
  open(kept: SealedArguments, digest: string): Promise<string>;
}

const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
/** Another label, another key: what this one opens says nothing of the values in the vault. */
const label = 'toolwharf kept arguments';

/**
 * The seal covers which call it was and the digest that the record has of its arguments, so that a row that was changed, or
 * put in the place of another, does not open.
 */
export function argumentSeal(vault: Pick<Vault, 'derive'>): ArgumentSeal {
  let known: Buffer | undefined;
  const keyFor = async (make: boolean, keeper?: KeyStorageKind): Promise<Buffer> => {
    known ??= await vault.derive(label, make, keeper);
    return known;
  };
  return {
    async close(call, digest, text, keeper) {
      const key = await keyFor(true, keeper);
      const nonce = randomBytes(nonceBytes);
      const sealer = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
      sealer.setAAD(additional(call, digest));
      const sealed = Buffer.concat([sealer.update(text, 'utf8'), sealer.final(), sealer.getAuthTag()]);
      return { call, key: nameOf(key), nonce, sealed };
    },
    async open({ call, key: name, nonce, sealed }, digest) {
      const key = await keyFor(false);
      if (name !== nameOf(key))
        throw new HostError('state_unusable', `the arguments of ${call} were sealed under another key`, {
          hint: 'put back the key that the vault had then; without it nobody opens them',
        });
      try {
        if (nonce.length !== nonceBytes || sealed.length < tagBytes) throw new Error('wrong size');
        const opener = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
        opener.setAAD(additional(call, digest));
        opener.setAuthTag(sealed.subarray(-tagBytes));
        return Buffer.concat([opener.update(sealed.subarray(0, -tagBytes)), opener.final()]).toString('utf8');
      } catch (cause) {
        throw changedSeal(call, cause);
      }
    },
  };
}

export function changedSeal(call: string, cause?: unknown): HostError {
  return new HostError('integrity', `the kept arguments of ${call} were changed, or belong to another call`, {
    cause,
    hint: 'nothing of them is shown; the record itself is checked with "toolwharf audit verify"',
  });
}

function additional(call: string, digest: string): Buffer {
  return Buffer.from(canonicalJson({ call, digest }));
}

function nameOf(key: Buffer): string {
  return createHmac('sha256', key).update('name').digest('hex').slice(0, 16);
}
