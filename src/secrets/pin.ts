import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { findHidden } from '../model/unicode.js';

/** What is kept of a PIN. */
export interface SealedPin {
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

const saltBytes = 16;
const hashBytes = 32;
// A guess costs 32 MiB and a tenth of a second, for whoever got hold of the database too.
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const shortest = 6;
const longest = 128;

/** Why a text cannot be a PIN; undefined when it can. */
export function pinProblem(pin: string): string | undefined {
  const length = [...pin].length;
  if (length < shortest) return `it needs at least ${shortest} characters`;
  if (length > longest) return `it has more than ${longest} characters`;
  if (/\s/.test(pin) || findHidden(pin).length > 0) return 'it has white space or hidden characters';
  if (isRun(pin)) return 'it is the first thing that anybody would try';
  return undefined;
}

/** `111111`, `123456`, `fedcba`. */
function isRun(pin: string): boolean {
  const steps = new Set<number>();
  for (let at = 1; at < pin.length; at++) steps.add(pin.charCodeAt(at) - pin.charCodeAt(at - 1));
  const [only] = steps;
  return steps.size === 1 && Math.abs(only as number) <= 1;
}

export async function sealPin(pin: string): Promise<SealedPin> {
  const salt = randomBytes(saltBytes);
  return { salt, hash: await derive(pin, salt) };
}

export async function isPin(pin: string, { salt, hash }: SealedPin): Promise<boolean> {
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

const freeTries = 5;
const firstDelayMs = 30_000;
const longestDelayMs = 24 * 3_600_000;

/** How long nobody may try after so many wrong ones in a row: nothing at first, then twice as long each time. */
export function tryDelayMs(failures: number): number {
  if (failures < freeTries) return 0;
  return Math.min(firstDelayMs * 2 ** Math.min(failures - freeTries, 30), longestDelayMs);
}
