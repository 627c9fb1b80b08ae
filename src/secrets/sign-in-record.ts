import { isObject, tryParseStored } from '../model/json.js';
import type { VaultValue } from './vault.js';

/** A sign-in to a server of a package, as the vault seals it: one value, so that it changes as a whole. */
export interface SignInRecord {
  /** The URL of the server. The token is sent nowhere else. */
  readonly url: string;
  /** The name of the server at the authorization server. */
  readonly resource: string;
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint?: string;
  /** `host:port` of everything that a person agreed to for this sign-in. */
  readonly places: readonly string[];
  readonly clientId: string;
  /** Secret. */
  readonly clientSecret?: string;
  readonly clientMethod: 'none' | 'client_secret_basic' | 'client_secret_post';
  readonly scopes: readonly string[];
  /** Secret. */
  readonly accessToken: string;
  /** Secret. */
  readonly refreshToken?: string;
  /** Milliseconds since 1970, as the next two. Absent: the server did not say. */
  readonly expiresAt?: number;
  /** When the token should be refreshed. */
  readonly refreshAt?: number;
  readonly signedInAt: number;
}

/** The vault entry with the secret of a client that the operator registered; the slot is the issuer. */
export const oauthClientPackage = '@oauth';

const prefix = '@sign-in/';

/** The slot of a sign-in in the vault. `@` cannot be in the name of a slot of a manifest. */
export function signInSlot(program: string): string {
  return `${prefix}${program}`;
}

/** The program that a slot in the vault is the sign-in of; undefined for a value of a manifest's slot. */
export function signedInProgram(slot: string): string | undefined {
  return slot.startsWith(prefix) ? slot.slice(prefix.length) : undefined;
}

/** Undefined if the text is not a sign-in. */
export function parseSignIn(text: string): SignInRecord | undefined {
  const value = tryParseStored(text);
  return isObject(value) && typeof value.accessToken === 'string'
    ? (value as unknown as SignInRecord)
    : undefined;
}

/** The values that the scanner looks for: the tokens of a sign-in one by one, and every other value as it is. */
export function scannedValues({ package: id, slot, value }: VaultValue): readonly VaultValue[] {
  const record = signedInProgram(slot) === undefined ? undefined : parseSignIn(value);
  if (record === undefined) return [{ package: id, slot, value }];
  const { accessToken, refreshToken, clientSecret } = record;
  return [accessToken, refreshToken, clientSecret].flatMap((it) =>
    it === undefined ? [] : [{ package: id, slot, value: it }],
  );
}
