import { createHash } from 'node:crypto';
import { HostError } from '../../../model/host-error.js';
import type { Identity } from '../callers.js';
import { notAnAccessToken, type RoleClaim, roleOf, subjectOf } from './access-token.js';
import { IssuerKeys, type KeySet, type KeyTimes } from './issuer-keys.js';
import { publishedKeys, type ReadDocument } from './published-keys.js';

export interface OidcSettings {
  readonly issuer: string;
  /** What tokens must be made for. */
  readonly audience: string;
  readonly operator?: RoleClaim;
}

export interface ProviderOptions extends OidcSettings {
  readonly read: ReadDocument;
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
  readonly times?: Partial<KeyTimes>;
}

/** Lets people and programs in whom an identity provider knows. */
export interface Provider {
  readonly issuer: string;
  /** Throws a WrongToken, or a HostError while tokens cannot be judged. */
  check(token: string): Promise<Identity>;
}

/** A token that lets nobody in. The reason may be told to whoever sent it. */
export class WrongToken extends Error {}

/** Signatures only: with a shared secret, whoever can check a token could make one. */
const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const skewSeconds = 30;
const rememberedTokens = 1000;

interface Judged {
  readonly identity: Identity;
  readonly generation: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Asks the issuer for its keys; without them it does not open. */
export async function openProvider(options: ProviderOptions): Promise<Provider> {
  const { issuer, audience, operator, now } = options;
  // Loaded here: who does not sign people in pays nothing for it.
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
    throw new HostError(error.code, `nobody could sign in: ${error.message}`, {
      hint: error.hint ?? 'check the URL of the issuer and the network; without its keys nothing is opened',
      cause: error,
    });
  }
  const judged = new Map<string, Judged>();

  const verify = async (token: string, { find }: KeySet) =>
    jwtVerify(token, find, {
      algorithms,
      issuer,
      audience,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: skewSeconds,
      currentDate: new Date(now()),
    });

  /** A key that is not known may be a new one; a signature that does not fit may be one of a key that was exchanged. */
  const verified = async (token: string, set: KeySet) => {
    try {
      return { ...(await verify(token, set)), generation: set.generation };
    } catch (error) {
      const maybeNew =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWSSignatureVerificationFailed;
      if (!maybeNew) throw error;
      const later = await keys.renewed();
      if (later.generation === set.generation) throw error;
      return { ...(await verify(token, later)), generation: later.generation };
    }
  };

  const remember = (digest: string, it: Judged) => {
    judged.set(digest, it);
    const [oldest] = judged.keys();
    if (judged.size > rememberedTokens && oldest !== undefined) judged.delete(oldest);
  };

  return {
    issuer,
    async check(token) {
      const set = await keys.current();
      const digest = createHash('sha256').update(token).digest('base64');
      const known = judged.get(digest);
      if (known !== undefined && known.generation === set.generation && known.until > now())
        return known.identity;
      judged.delete(digest);
      let result: Awaited<ReturnType<typeof verified>>;
      try {
        result = await verified(token, set);
      } catch (error) {
        if (error instanceof errors.JOSEError) throw new WrongToken(reasonOf(error), { cause: error });
        // Parts of a token that are no text or no key make the crypto of the platform complain.
        if (error instanceof HostError) throw error;
        throw new WrongToken('the token cannot be read', { cause: error });
      }
      const { payload, protectedHeader, generation } = result;
      const wrong = notAnAccessToken(protectedHeader, payload);
      if (wrong !== undefined) throw new WrongToken(`the token does not let anybody in: ${wrong}`);
      const subject = subjectOf(payload);
      if (subject === undefined) throw new WrongToken('the token names nobody that can be recorded (sub)');
      const role = roleOf(payload, operator);
      const until = ((payload.exp as number) + skewSeconds) * 1000;
      const name = encodeURIComponent(subject);
      const identity: Identity = {
        id: `oidc:${role}:${name}`,
        name,
        role,
        expiresAt: until,
        // Scoped by the issuer: another one may know somebody of the same name.
        principal: `oidc/${issuer}#${name}`,
      };
      remember(digest, { identity, generation, until });
      return identity;
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the token has run out',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the token is signed in a way that is not accepted',
  ERR_JOSE_NOT_SUPPORTED: 'the token asks for something that is not supported here',
  ERR_JWKS_NO_MATCHING_KEY: 'the issuer publishes no key that fits the token',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'the token does not say which key signed it',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of the token is wrong',
};

const claimReasons: Readonly<Record<string, string>> = {
  aud: 'the token is for somebody else (aud)',
  iss: 'the token is from another issuer (iss)',
  nbf: 'the token is not good yet (nbf)',
  exp: 'the token does not say when it runs out (exp)',
  sub: 'the token names nobody (sub)',
};

function reasonOf(error: { readonly code: string; readonly claim?: unknown }): string {
  const claim = typeof error.claim === 'string' ? claimReasons[error.claim] : undefined;
  return (
    (error.code === 'ERR_JWT_CLAIM_VALIDATION_FAILED' ? claim : reasons[error.code]) ??
    'the token cannot be read'
  );
}
