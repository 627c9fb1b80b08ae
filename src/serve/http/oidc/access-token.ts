import type { JWTPayload } from 'jose';
import type { TokenRole } from '../../../host/host.js';
import { isObject, type Json } from '../../../model/json.js';

/** What makes a token one of an operator: this value in that claim. */
export interface RoleClaim {
  readonly claim: string;
  readonly value: string;
}

export interface TokenHeader {
  readonly typ?: unknown;
}

/**
 * Why a token that is signed and meant for us is still no access token; undefined when it is one. A provider signs ID
 * tokens with the same keys: they tell a client who signed in and let nobody do anything.
 */
export function notAnAccessToken(header: TokenHeader, claims: JWTPayload): string | undefined {
  const type =
    typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : 'jwt';
  // Whoever presents a token that is bound to a key must show that it has the key; nobody asked here.
  if (claims.cnf !== undefined) return 'it is bound to a key of its client, which cannot be checked here';
  if (type === 'at+jwt') return undefined;
  if (type !== 'jwt') return 'it is another kind of token';
  const foreign = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'].some((it) => claims[it] !== undefined);
  const kind = typeof claims.typ === 'string' ? claims.typ.toLowerCase() : 'bearer';
  // Providers that do not name the type say at least which client or scope an access token is for.
  const ours = ['scope', 'scp', 'client_id', 'cid'].some((it) => claims[it] !== undefined);
  return foreign || kind !== 'bearer' || !ours ? 'it is not an access token' : undefined;
}

/** An agent, unless the operator of this host said what makes an operator. */
export function roleOf(claims: JWTPayload, wanted: RoleClaim | undefined): TokenRole {
  if (wanted === undefined) return 'agent';
  const found = claimAt(claims as Record<string, Json>, wanted.claim);
  const values =
    typeof found === 'string'
      ? wanted.claim === 'scope' || wanted.claim === 'scp'
        ? found.split(' ')
        : [found]
      : Array.isArray(found)
        ? found
        : [];
  return values.includes(wanted.value) ? 'operator' : 'agent';
}

/** By its whole name, which may be a URL; else along the dots, as in `realm_access.roles`. */
function claimAt(claims: Readonly<Record<string, Json>>, name: string): Json | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: Json | undefined = claims;
  for (const part of name.split('.')) at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  return at;
}

/** Undefined where a token names nobody in a way that can be kept and shown. */
export function subjectOf(claims: JWTPayload): string | undefined {
  const { sub } = claims;
  // Neither control characters nor halves of one character: it is written into the record.
  const sound = typeof sub === 'string' && sub !== '' && sub.length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(sub);
  return sound ? sub : undefined;
}
