/** What a server says about the access token that it wants (RFC 6750, RFC 9728). Everything in it is untrusted. */
export interface BearerChallenge {
  /** URL of the protected resource metadata. */
  readonly resourceMetadata?: string;
  /** Empty: it names none. */
  readonly scopes: readonly string[];
  /** Such as `insufficient_scope`. */
  readonly error?: string;
}

const maxHeader = 8192;
const maxScopes = 64;
const maxScopeLength = 256;
/** A scheme or a name; with `=`, the value follows. */
const word = /[ \t,]*([\w!#$%&'*+.^`|~-]+)(?:[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s",]*)))?/y;

/** The first Bearer challenge of a `WWW-Authenticate` header; undefined if there is none. */
export function bearerChallenge(header: string | undefined): BearerChallenge | undefined {
  if (header === undefined || header.length > maxHeader) return undefined;
  const values = new Map<string, string>();
  let isBearer = false;
  word.lastIndex = 0;
  for (;;) {
    const found = word.exec(header);
    if (found === null) break;
    const [, name = '', quoted, plain] = found;
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) {
      if (isBearer) break;
      isBearer = name.toLowerCase() === 'bearer';
    } else if (isBearer && !values.has(name.toLowerCase())) values.set(name.toLowerCase(), value);
  }
  if (!isBearer) return undefined;
  const resourceMetadata = values.get('resource_metadata');
  const error = values.get('error');
  return {
    scopes: scopesIn(values.get('scope')),
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(error === undefined || !/^[a-z_]{1,64}$/.test(error) ? {} : { error }),
  };
}

/** The scopes of a list with spaces, without duplicates. Text that cannot be a scope is left out. */
export function scopesIn(text: unknown): readonly string[] {
  return typeof text === 'string' ? validScopes(text.split(' ')) : [];
}

/** The scopes of a JSON list. */
export function validScopes(list: readonly unknown[]): readonly string[] {
  const valid = list.filter(
    (it): it is string =>
      typeof it === 'string' && it.length <= maxScopeLength && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(it),
  );
  return [...new Set(valid)].slice(0, maxScopes);
}
