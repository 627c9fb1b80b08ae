import {
  createCipheriv,
  createDecipheriv,
  createHash,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';

const keyBytes = 32;
const saltBytes = 16;
const checkBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
// Each guess costs 128 MiB and about half a second.
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const purpose = Buffer.from('toolwharf vault key');

/** Size of the stored file: salt and check value, and optionally a wrapped key. */
export const passphraseSizes = {
  min: saltBytes + checkBytes,
  max: saltBytes + checkBytes + nonceBytes + keyBytes + tagBytes,
};

/** A new key, derived from the passphrase alone, and what is stored to verify the passphrase. */
export async function keyFromPassphrase(passphrase: string): Promise<{ key: Buffer; stored: Buffer }> {
  const salt = randomBytes(saltBytes);
  const { key, check } = await derive(passphrase, salt);
  return { key, stored: Buffer.concat([salt, check]) };
}

/** Wraps (encrypts) an existing key with the passphrase. */
export async function wrapKey(passphrase: string, key: Buffer): Promise<Buffer> {
  const { key: wrappingKey, stored } = await keyFromPassphrase(passphrase);
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv('aes-256-gcm', wrappingKey, nonce, { authTagLength: tagBytes });
  encryption.setAAD(purpose);
  return Buffer.concat([stored, nonce, encryption.update(key), encryption.final(), encryption.getAuthTag()]);
}

/** Returns the key; undefined when the passphrase is wrong. */
export async function openWithPassphrase(passphrase: string, stored: Buffer): Promise<Buffer | undefined> {
  const { key, check } = await derive(passphrase, stored.subarray(0, saltBytes));
  if (!timingSafeEqual(check, stored.subarray(saltBytes, saltBytes + checkBytes))) return undefined;
  const wrapped = stored.subarray(saltBytes + checkBytes);
  if (wrapped.length === 0) return key;
  try {
    const decryption = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decryption.setAAD(purpose);
    decryption.setAuthTag(wrapped.subarray(-tagBytes));
    return Buffer.concat([decryption.update(wrapped.subarray(nonceBytes, -tagBytes)), decryption.final()]);
  } catch {
    return undefined;
  }
}

/** Key and check value come from separate halves of one derivation: the check reveals nothing about the key. */
async function derive(passphrase: string, salt: Buffer): Promise<{ key: Buffer; check: Buffer }> {
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    scrypt(passphrase.normalize('NFC'), salt, keyBytes + checkBytes, cost, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
  const check = createHash('sha256')
    .update('toolwharf vault check\0')
    .update(bytes.subarray(keyBytes))
    .digest();
  return { key: bytes.subarray(0, keyBytes), check };
}
