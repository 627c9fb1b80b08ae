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
// A guess costs 128 MiB and a good part of a second.
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 };
const purpose = Buffer.from('toolwharf vault key');

/** A salt and a check, and where a key was wrapped that came from elsewhere, that too. */
export const passphraseSizes = {
  least: saltBytes + checkBytes,
  most: saltBytes + checkBytes + nonceBytes + keyBytes + tagBytes,
};

/** A new key that is made of the passphrase alone, and what is kept to check it by. */
export async function keyFromPassphrase(passphrase: string): Promise<{ key: Buffer; kept: Buffer }> {
  const salt = randomBytes(saltBytes);
  const { key, check } = await derive(passphrase, salt);
  return { key, kept: Buffer.concat([salt, check]) };
}

/** A key that is there already, wrapped with the passphrase. */
export async function wrapKey(passphrase: string, key: Buffer): Promise<Buffer> {
  const { key: wrapping, kept } = await keyFromPassphrase(passphrase);
  const nonce = randomBytes(nonceBytes);
  const sealer = createCipheriv('aes-256-gcm', wrapping, nonce, { authTagLength: tagBytes });
  sealer.setAAD(purpose);
  return Buffer.concat([kept, nonce, sealer.update(key), sealer.final(), sealer.getAuthTag()]);
}

/** Undefined when this is not the passphrase. */
export async function openWithPassphrase(passphrase: string, kept: Buffer): Promise<Buffer | undefined> {
  const { key, check } = await derive(passphrase, kept.subarray(0, saltBytes));
  if (!timingSafeEqual(check, kept.subarray(saltBytes, saltBytes + checkBytes))) return undefined;
  const wrapped = kept.subarray(saltBytes + checkBytes);
  if (wrapped.length === 0) return key;
  try {
    const opener = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    opener.setAAD(purpose);
    opener.setAuthTag(wrapped.subarray(-tagBytes));
    return Buffer.concat([opener.update(wrapped.subarray(nonceBytes, -tagBytes)), opener.final()]);
  } catch {
    return undefined;
  }
}

/** Key and check value are halves of one derivation: the check says nothing of the key. */
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
