import type { JsonObject } from '../../model/json.js';

/** Error codes of RFC 6749, 6750, 7009, 7591, 8707 and OpenID Connect, with what they mean to a person. */
const meanings: Readonly<Record<string, string>> = {
  access_denied: 'the sign-in was declined',
  invalid_client: 'it does not know this client',
  invalid_client_metadata: 'it does not accept what this host says about itself',
  invalid_grant: 'the code or the refresh token is not valid any more',
  invalid_redirect_uri: 'it does not accept the redirect address',
  invalid_request: 'it does not accept the request',
  invalid_scope: 'it does not know a requested scope',
  invalid_target: 'it does not know the server that the sign-in is for',
  login_required: 'it wants a new sign-in',
  server_error: 'it had an internal error',
  temporarily_unavailable: 'it is overloaded; try again later',
  unauthorized_client: 'this client may not do that',
  unsupported_grant_type: 'it does not offer this kind of sign-in',
  unsupported_response_type: 'it does not offer this kind of sign-in',
  unsupported_token_type: 'it cannot revoke this kind of token',
};

/**
 * An error of an authorization server in our words. Its own text is never shown: it may repeat codes and tokens, or say
 * anything else.
 */
export function knownError(content: JsonObject | undefined, status: number): string {
  return errorMeaning(content?.error) ?? `it answered ${status}`;
}

export function errorMeaning(code: unknown): string | undefined {
  if (typeof code !== 'string' || !Object.hasOwn(meanings, code)) return undefined;
  return `${meanings[code]} (${code})`;
}
