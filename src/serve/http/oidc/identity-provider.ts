import { createHash } from 'node:crypto';
import { HostError } from '../../../model/host-error.js';
import type { Identity } from '../identity.js';
import { accessTokenProblem, type RoleClaim, tokenRole, tokenSubject } from './access-token.js';
import { IssuerKeys, type KeySet, type KeyTimes } from './issuer-keys.js';
import { publishedKeys, type ReadDocument } from './published-keys.js';

export interface OidcSettings {
  readonly issuer: string;
  /** The `aud` claim that tokens must have. */
  readonly audience: string;
  readonly operator?: RoleClaim;
}

export interface IdentityProviderOptions extends OidcSettings {
  readonly read: ReadDocument;
  readonly now: () => number;
  readonly onRefreshError: (error: unknown) => void;
  readonly times?: Partial<KeyTimes>;
}

/** Checks access tokens of an external identity provider (OpenID Connect). */
export interface IdentityProvider {
  readonly issuer: string;
  /** Throws an WrongToken, or a HostError if tokens cannot be checked at the moment. */
  check(token: string): Promise<Identity>;
}

/** The token is not accepted. The message may be shown to the client. */
export class InvalidToken extends Error {
  /** What to do instead of the usual next step. */
  readonly hint: string | undefined;

  constructor(message: string, options: { readonly cause?: unknown; readonly hint?: string } = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.hint = options.hint;
  }
}

/** Asymmetric signatures only: with a shared secret, anyone who can check a token could also create one. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const skewSeconds = 30;
const maxCachedTokens = 1000;

interface CheckedToken {
  readonly identity: Identity;
  readonly generation: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Fetches the issuer's keys and fails if that is not possible. */
export async function openIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const { issuer, audience, operator, now } = options;
  // Loaded here, so that hosts without an identity provider do not load the library.
  const { createLocalJWKSet, errors, jwtVerify } = await import('jose');
  const keys = new IssuerKeys({
    ...options,
    fetch: () => publishedKeys(issuer, options.read),
    find: createLocalJWKSet,
  });
  try {
    await keys.start();
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    throw new HostError(error.code, `cannot load the keys of the identity provider: ${error.message}`, {
      hint: error.hint ?? 'check the issuer URL and the network; "serve" does not start without these keys',
      cause: error,
    });
  }
  const cache = new Map<string, CheckedToken>();

  const verify = async (token: string, { find }: KeySet) =>
    jwtVerify(token, find, {
      algorithms,
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: skewSeconds,
      currentDate: new Date(now()),
    });

  /** An unknown key may be new, and a wrong signature may come from a replaced key: refresh the keys and try again. */
  const verified = async (token: string, set: KeySet) => {
    try {
      return { ...(await verify(token, set)), generation: set.generation };
    } catch (error) {
      const maybeNew =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
      if (!maybeNew) throw error;
      const later = await keys.refreshed();
      if (later.generation === set.generation) throw error;
      return { ...(await verify(token, later)), generation: later.generation };
    }
  };

  const remember = (digest: string, token: CheckedToken) => {
    cache.set(digest, token);
    const [oldest] = cache.keys();
    if (cache.size > maxCachedTokens && oldest !== undefined) cache.delete(oldest);
  };

  return {
    issuer,
    async check(token) {
      const set = await keys.current();
      const digest = createHash('sha256').update(token).digest('base64');
      const known = cache.get(digest);
      if (known !== undefined && known.generation === set.generation && known.until > now())
        return known.identity;
      cache.delete(digest);
      let result: Awaited<ReturnType<typeof verified>>;
      try {
        result = await verified(token, set);
      } catch (error) {
        if (error instanceof errors.JOSEError) throw new InvalidToken(reasonOf(error), { cause: error });
        // The crypto module throws its own errors for malformed parts of a token.
        if (error instanceof HostError) throw error;
        throw new InvalidToken('the token cannot be read', { cause: error });
      }
      const { payload, protectedHeader, generation } = result;
      const problem = accessTokenProblem(protectedHeader, payload);
      if (problem !== undefined) throw new InvalidToken(`the token is not accepted: ${problem}`);
      const subject = tokenSubject(payload);
      if (subject === undefined) throw new InvalidToken('the token has no usable subject (sub)');
      const role = tokenRole(payload, operator);
      const until = ((payload.exp as number) + skewSeconds) * 1000;
      const name = encodeURIComponent(subject);
      const identity: Identity = {
        id: `oidc:${role}:${name}`,
        name,
        role,
        expiresAt: until,
        // Includes the issuer: two issuers may use the same subject.
        principal: `oidc/${issuer}#${name}`,
        // The operator allows single clients by their tokens; nobody can allow this one.
        mayApprove: false,
      };
      remember(digest, { identity, generation, until });
      return identity;
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the signature algorithm of the token is not allowed',
  ERR_JOSE_NOT_SUPPORTED: 'the token uses a feature that is not supported',
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer publishes no key for this token',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the token does not say which key signed it',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of the token is wrong',
};

const claimReasons: Readonly<Record<string, string>> = {
  aud: 'the token is for another audience (aud)',
  iss: 'the token is from another issuer (iss)',
  nbf: 'the token is not valid yet (nbf)',
  exp: 'the token has no expiry time (exp)',
  sub: 'the token has no subject (sub)',
};

function reasonOf(error: { readonly code: string; readonly claim?: unknown }): string {
  const claim = typeof error.claim === 'string' ? claimReasons[error.claim] : undefined;
  return (
    (error.code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' ? claim : reasons[error.code]) ??
    'the token cannot be read'
  );
}
