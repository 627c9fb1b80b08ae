import { HostError } from '../../model/host-error.js';
import type { UrlTarget } from '../../model/program.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { HttpStream } from '../../net/http-client.js';
import { bearerChallenge } from '../oauth/bearer-challenge.js';
import type { AccessTokens } from '../upstream/access-tokens.js';

/** Whether the manifest fills the authorization header itself. Then nobody signs in. */
export function hasOwnAuthorization({ headers, credential }: UrlTarget): boolean {
  return credential !== undefined || headers.some((it) => it.name.toLowerCase() === 'authorization');
}

/** The error for an answer 401 or 403: what the server wants, and how to give it. */
export async function authorizationError(
  { status, reason, headers }: Pick<HttpStream, 'status' | 'reason' | 'headers'>,
  { name, tokens, hasSecrets }: { name: string; tokens: AccessTokens | undefined; hasSecrets: boolean },
): Promise<HostError> {
  const message = `${name} answered ${status} ${reason}`.trimEnd();
  const challenge = bearerChallenge(headers['www-authenticate']);
  if (tokens !== undefined && status === 403 && challenge?.error === 'insufficient_scope') {
    const scopes = challenge.scopes.map((it) => ` --scope ${shellQuote(it)}`).join('');
    const needed = challenge.scopes.length === 0 ? 'more' : challenge.scopes.join(' ');
    return new HostError('auth_required', `${name} needs a sign-in with the scope ${needed}`, {
      hint: `sign in again: ${tokens.command}${scopes}`,
    });
  }
  // A server without a challenge may still publish where to sign in.
  if (tokens !== undefined && status === 401 && (challenge !== undefined || !hasSecrets)) {
    await tokens.request(challenge);
    return new HostError('auth_required', `${name} asks for a sign-in`, {
      hint: `sign in: ${tokens.command}`,
      needsSignIn: true,
    });
  }
  return new HostError('auth_required', message, {
    hint: 'the server needs a credential, or did not accept the one it got; see "toolwharf secret list"',
  });
}
