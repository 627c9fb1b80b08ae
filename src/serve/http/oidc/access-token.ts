import type { JWTPayload } from 'jose';
import type { TokenRole } from '../../../host/host.js';
import { isObject, type Json } from '../../../model/json.js';

/** A token whose claim contains this value belongs to an operator. */
export interface RoleClaim {
  readonly claim: string;
  readonly value: string;
}

export interface TokenHeader {
  readonly typ?: unknown;
}

/**
 * Why a correctly signed token for our audience is not a usable access token; undefined if it is one. A provider signs ID
 * tokens with the same keys. An ID token only tells a client who signed in; it does not grant access.
 */
export function accessTokenProblem(header: TokenHeader, claims: JWTPayload): string | undefined {
  const type =
    typeof header.typ === 'string' ? header.typ.toLowerCase().replace(/^application\//, '') : 'jwt';
  // The client must prove that it has the key a token is bound to. This server cannot check that proof.
  if (claims.cnf !== undefined) return 'it is bound to a client key, which this server cannot check';
  if (type === 'at+jwt') return undefined;
  if (type !== 'jwt') return 'its type is not an access token';
  const isIdToken = ['nonce', 'at_hash', 'c_hash', 's_hash', 'events'].some((it) => claims[it] !== undefined);
  const kind = typeof claims.typ === 'string' ? claims.typ.toLowerCase() : 'bearer';
  // Without the type at+jwt, an access token must at least name a client or a scope.
  const hasAccessClaim = ['scope', 'scp', 'client_id', 'cid'].some((it) => claims[it] !== undefined);
  return isIdToken || kind !== 'bearer' || !hasAccessClaim ? 'it is not an access token' : undefined;
}

/** `agent`, unless the configured claim makes the token an operator's. */
export function tokenRole(claims: JWTPayload, operator: RoleClaim | undefined): TokenRole {
  if (operator === undefined) return 'agent';
  const found = claimAt(claims as Record<string, Json>, operator.claim);
  const values =
    typeof found === 'string'
      ? operator.claim === 'scope' || operator.claim === 'scp'
        ? found.split(' ')
        : [found]
      : Array.isArray(found)
        ? found
        : [];
  return values.includes(operator.value) ? 'operator' : 'agent';
}

/** Looks a claim up by its full name, which may be a URL, then as a dotted path such as `realm_access.roles`. */
function claimAt(claims: Readonly<Record<string, Json>>, name: string): Json | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: Json | undefined = claims;
  for (const part of name.split('.')) at = isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined;
  return at;
}

/** The subject of a token. Undefined if it is missing or cannot be stored and shown safely. */
export function tokenSubject(claims: JWTPayload): string | undefined {
  const { sub } = claims;
  // The subject goes into the audit log: no control characters and no lone surrogates.
  const isValid = typeof sub === 'string' && sub !== '' && sub.length <= 255 && !/[\p{Cc}\p{Cs}]/u.test(sub);
  return isValid ? sub : undefined;
}
