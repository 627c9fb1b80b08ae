// Signed envelopes as in github.com/secure-systems-lab/dsse, with Ed25519.
import { type KeyObject, sign, verify } from 'node:crypto';
import { sha256 } from '../../../files/sha256.js';
import { isObject } from '../../../model/json.js';
import { type JsonLimits, tryParseBounded } from '../../../model/json-bounds.js';

/** A payload with its type and signatures over both. */
export interface DsseEnvelope {
  /** Base64. */
  readonly payload: string;
  readonly payloadType: string;
  readonly signatures: readonly { readonly keyid?: string; readonly sig: string }[];
}

/** What an envelope says, and which of the trusted keys signed it. */
export interface OpenedEnvelope {
  readonly payload: Uint8Array;
  /** SHA-256 of the public keys, in hex, sorted. */
  readonly signers: readonly string[];
}

const limits: JsonLimits = { bytes: 16 * 1024 * 1024, depth: 8, values: 10_000 };
const maxSignatures = 64;

/** The bytes that are signed: the type is part of them, so that a signature for one type is none for another. */
export function preAuthEncoding(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType, 'utf8');
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `, 'ascii'),
    type,
    Buffer.from(` ${payload.length} `, 'ascii'),
    payload,
  ]);
}

/** SHA-256 of a public key in hex; a private key has the id of its public key. */
export function dsseKeyId(publicKey: KeyObject): string {
  return sha256(publicKey.export({ type: 'spki', format: 'der' }));
}

export function signEnvelope(
  payloadType: string,
  payload: Uint8Array,
  keys: readonly { readonly privateKey: KeyObject; readonly publicKey: KeyObject }[],
): DsseEnvelope {
  const signed = preAuthEncoding(payloadType, payload);
  return {
    payload: Buffer.from(payload).toString('base64'),
    payloadType,
    signatures: keys.map(({ privateKey, publicKey }) => ({
      keyid: dsseKeyId(publicKey),
      sig: sign(null, signed, privateKey).toString('base64'),
    })),
  };
}

/** Undefined if the text is not an envelope. Does not check signatures. */
export function parseEnvelope(text: string): DsseEnvelope | undefined {
  const value = tryParseBounded(text, limits);
  if (!isObject(value)) return undefined;
  const { payload, payloadType, signatures } = value;
  if (typeof payload !== 'string' || typeof payloadType !== 'string' || !Array.isArray(signatures))
    return undefined;
  if (signatures.length === 0 || signatures.length > maxSignatures) return undefined;
  const read: { keyid?: string; sig: string }[] = [];
  for (const it of signatures) {
    if (!isObject(it) || typeof it.sig !== 'string') return undefined;
    if (it.keyid !== undefined && typeof it.keyid !== 'string') return undefined;
    read.push({ sig: it.sig, ...(it.keyid === undefined ? {} : { keyid: it.keyid }) });
  }
  return { payload, payloadType, signatures: read };
}

export interface EnvelopeTrust {
  readonly keys: readonly KeyObject[];
  /** Number of different keys that must have signed. Default: 1. */
  readonly threshold?: number;
  readonly payloadType: string;
}

/**
 * The payload if enough trusted keys signed it; undefined otherwise. The key id of a signature is not signed, so every key
 * is tried with every signature.
 */
export function openEnvelope(
  envelope: DsseEnvelope,
  { keys, threshold = 1, payloadType }: EnvelopeTrust,
): OpenedEnvelope | undefined {
  if (envelope.payloadType !== payloadType || threshold < 1) return undefined;
  const payload = bytesOf(envelope.payload);
  if (payload === undefined) return undefined;
  const signed = preAuthEncoding(payloadType, payload);
  const signers = new Set<string>();
  for (const { sig } of envelope.signatures) {
    const signature = bytesOf(sig);
    if (signature?.length !== 64) continue;
    for (const key of keys)
      if (key.asymmetricKeyType === 'ed25519' && verify(null, signed, key, signature))
        signers.add(dsseKeyId(key));
  }
  return signers.size < threshold ? undefined : { payload, signers: [...signers].sort() };
}

/** Standard and URL-safe base64 are allowed, with and without padding; everything else is not. */
function bytesOf(text: string): Buffer | undefined {
  const standard = text
    .replace(/-/g, '+')
    .replace(/_/g, '/')
    .replace(/={1,2}$/, '');
  const bytes = Buffer.from(standard, 'base64');
  return bytes.toString('base64').replace(/={1,2}$/, '') === standard ? bytes : undefined;
}
