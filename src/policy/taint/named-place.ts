import { hasKnownSuffix, registrableDomain } from '../../model/public-suffix.js';
import { canonical } from './folded-text.js';

/** What a value of a destination names. */
export type NamedPlace =
  | {
      readonly kind: 'host';
      /** Without `www.`, in lower case. */
      readonly host: string;
      /** Path, query and fragment, without a slash at the end; empty for the host alone. */
      readonly page: string;
      /** False: user info, backslashes, an unusual scheme or letters beyond ASCII. Nobody can vouch for it by its look. */
      readonly plain: boolean;
    }
  | { readonly kind: 'address' | 'path' | 'name'; readonly text: string };

const schemeOf = /^([a-z][a-z0-9+.-]*):(?:\/\/)?/i;
const mail = /^(?:mailto:)?[^\s@<>,;:/\\]+@[^\s@<>,;:/\\]+$/i;
/** Name endings of files that are also countries or new top-level domains. */
const fileEnding = /\.(?:zip|md|py|sh|rs|pl|so|ps|ai|app|mov|cab|java|name|id|is|to|me|in|am|at|do)$/i;

/** What a value names. Everything that is not clearly a host, an address or a path is a name. */
export function readPlace(value: string): NamedPlace {
  const text = value.trim();
  if (mail.test(text)) return { kind: 'address', text: canonical(text.replace(/^mailto:/i, '')) };
  if (/^(?:~?\/(?!\/)|\.{1,2}\/|~$|[a-z]:\\)/i.test(text)) return { kind: 'path', text: canonical(text) };
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? schemeOf.exec(text)?.[1]?.toLowerCase() : undefined;
  const rest = scheme === undefined ? text.replace(/^\/\//, '') : text.slice(scheme.length + 3);
  const end = rest.search(/[/?#\\]/);
  const authority = end === -1 ? rest : rest.slice(0, end);
  if (scheme === undefined && !text.startsWith('//') && !isHostName(authority))
    return { kind: 'name', text: canonical(text) };
  const page = end === -1 ? '' : rest.slice(end);
  const plain =
    (scheme === undefined || scheme === 'http' || scheme === 'https') &&
    /^[\w.-]+(?::\d{1,5})?$/.test(authority) &&
    !/(?:^|\.)xn--/i.test(authority) &&
    !/[\\\s\p{Default_Ignorable_Code_Point}]/u.test(rest);
  return { kind: 'host', host: plainHost(authority), page: page.replace(/\/+$/, ''), plain };
}

/** Whether a word without a scheme is read as the name of a host. */
export function isHostName(text: string): boolean {
  const name = text.replace(/:\d{1,5}$/, '');
  if (!/^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)+\.?$/u.test(name)) return false;
  if (/^www\./i.test(name)) return true;
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(name)) return true;
  if (fileEnding.test(name) || /\d$/.test(name)) return false;
  return (
    registrableDomain(name.toLowerCase()) !== null &&
    /\.(?:[a-z]{2}|com|org|net|edu|gov|mil|int|info|biz|dev|app|xyz|online|site|shop|store|top|club|live|cloud|tech|link|click|page|example|test)\.?$/i.test(
      name,
    )
  );
}

/** Whether a word before a path is the name of a host, whatever its last part means for files: `t.me/x`. */
export function isLinkedName(text: string): boolean {
  const name = text.replace(/:\d{1,5}$/, '').toLowerCase();
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+$/u.test(name) && /\p{L}$/u.test(name) && hasKnownSuffix(name);
}

/** Lower case, without `www.`, a port that is usual, and the dot at the end. */
export function plainHost(authority: string): string {
  return authority
    .replace(/^.*@/, '')
    .toLowerCase()
    .replace(/:(?:80|443)$/, '')
    .replace(/\.$/, '')
    .replace(/^www\./, '');
}

/** Whether the host is a domain that somebody registered, without a further name before it. */
export function isRegistrable(host: string): boolean {
  return registrableDomain(host.replace(/_/g, '-')) === host.replace(/_/g, '-');
}
