import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from '../../files/sha256.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { canonicalText } from './canonical-text.js';

/** A public key as metadata names it. */
export type RegistryKey = {
  readonly keytype: 'ed25519';
  readonly scheme: 'ed25519';
  /** 64 hexadecimal digits. */
  readonly keyval: { readonly public: string };
};

/** Signs with one private key. */
export interface RegistrySigner {
  readonly key: RegistryKey;
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

const hexKey = /^[0-9a-f]{64}$/;

/** The id of a key is the hash of its description, so that no key has two ids. */
export function registryKeyId(key: RegistryKey): string {
  return sha256(canonicalText(key as unknown as Json));
}

export function registryKeyOf(publicKey: KeyObject): RegistryKey {
  const raw = Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url');
  return { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: raw.toString('hex') } };
}

/** Throws for some values: not every 32 bytes are a key. */
export function publicKeyOf(key: RegistryKey): KeyObject {
  const x = Buffer.from(key.keyval.public, 'hex').toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

export function registrySigner(privateKey: KeyObject): RegistrySigner {
  if (privateKey.asymmetricKeyType !== 'ed25519')
    throw new HostError('usage', 'the keys of a registry are Ed25519 keys');
  const key = registryKeyOf(createPublicKey(privateKey));
  return { key, keyId: registryKeyId(key), privateKey };
}

export function newRegistrySigner(): RegistrySigner {
  return registrySigner(generateKeyPairSync('ed25519').privateKey);
}

/** Undefined if the value is not the description of an Ed25519 key. */
export function parseRegistryKey(value: Json | undefined): RegistryKey | undefined {
  if (!isObject(value) || value.keytype !== 'ed25519' || value.scheme !== 'ed25519') return undefined;
  const keyval = value.keyval;
  if (Object.keys(value).length !== 3 || !isObject(keyval) || Object.keys(keyval).length !== 1)
    return undefined;
  return typeof keyval.public === 'string' && hexKey.test(keyval.public)
    ? (value as unknown as RegistryKey)
    : undefined;
}

/** The form in which people pass a key on: `ed25519:` and 64 hexadecimal digits. */
export function registryKeyText(key: RegistryKey): string {
  return `ed25519:${key.keyval.public}`;
}

export function parseRegistryKeyText(text: string): RegistryKey | undefined {
  const digits = /^ed25519:([0-9a-f]{64})$/.exec(text.trim())?.[1];
  return digits === undefined
    ? undefined
    : { keytype: 'ed25519', scheme: 'ed25519', keyval: { public: digits } };
}

export function signText(text: string, { privateKey }: RegistrySigner): string {
  return sign(null, Buffer.from(text), privateKey).toString('hex');
}

export function isTextSignedBy(text: string, sig: string, key: RegistryKey): boolean {
  if (!/^[0-9a-f]{128}$/.test(sig)) return false;
  try {
    return verify(null, Buffer.from(text), publicKeyOf(key), Buffer.from(sig, 'hex'));
  } catch {
    // Not every 32 bytes are a key.
    return false;
  }
}
