import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { findHidden } from '../model/unicode.js';

/** The stored form of a PIN. */
export interface PinHash {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

const saltBytes = 16;
const hashBytes = 32;
// Each guess costs 32 MiB and about 0.1 s, also for an attacker with a copy of the database.
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const minLength = 6;
const maxLength = 128;

/** Why a text cannot be a PIN; undefined when it can. */
export function pinProblem(pin: string): string | undefined {
  const length = [...pin].length;
  if (length < minLength) return `it needs at least ${minLength} characters`;
  if (length > maxLength) return `it has more than ${maxLength} characters`;
  if (/\s/.test(pin) || findHidden(pin).length > 0) return 'it contains white space or hidden characters';
  if (isSequence(pin)) return 'it is too easy to guess';
  return undefined;
}

/** Sequences such as `111111`, `123456`, `fedcba`. */
function isSequence(pin: string): boolean {
  const steps = new Set<number>();
  for (let at = 1; at < pin.length; at++) steps.add(pin.charCodeAt(at) - pin.charCodeAt(at - 1));
  const [only] = steps;
  return steps.size === 1 && Math.abs(only as number) <= 1;
}

export async function hashPin(pin: string): Promise<PinHash> {
  const salt = randomBytes(saltBytes);
  return { salt, hash: await derive(pin, salt) };
}

export async function verifyPin(pin: string, { salt, hash }: PinHash): Promise<boolean> {
  const derived = await derive(pin, salt);
  return derived.length === hash.length && timingSafeEqual(derived, hash);
}

function derive(pin: string, salt: Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(pin.normalize('NFC'), salt, hashBytes, cost, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
}

const freeAttempts = 5;
const firstDelayMs = 30_000;
const maxDelayMs = 24 * 3_600_000;

/** Lockout after a number of wrong PINs in a row: none at first, then doubled each time. Milliseconds. */
export function tryDelayMs(failures: number): number {
  if (failures < freeAttempts) return 0;
  return Math.min(firstDelayMs * 2 ** Math.min(failures - freeAttempts, 30), maxDelayMs);
}
