import { entropyOf } from '../../../policy/scan/entropy.js';

const secretParameter =
  /(?:^|[-_.])(?:api[-_]?key|key|token|secret|pass|password|passwd|pwd|auth|sig|signature)$/i;

/** The part of a URL that is a secret; undefined if there is none, or if the text is not a URL. */
export function secretInUrl(text: string): string | undefined {
  // Also of URLs that are not valid for a parser, such as those with several hosts.
  if (/:\/\/[^\s/?#@:]*:[^\s/?#@]+@/.test(text)) return 'a password';
  if (!/:\/\//.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.username !== '' && /^https?:$/.test(url.protocol)) return 'a user name';
  for (const [name, value] of url.searchParams)
    if (value !== '' && (secretParameter.test(name) || (value.length >= 20 && /\d/.test(value))))
      return `the parameter ${name}`;
  return url.pathname.split('/').some(isKeySegment) ? 'a part of its path' : undefined;
}

/** Random text in a path, as in the address of a webhook. Names with a version or a date are not. */
function isKeySegment(segment: string): boolean {
  if (segment.length < 20) return false;
  if (/^[0-9a-f-]{32,}$/i.test(segment)) return true;
  const isMixed = (it: string) => it.length >= 10 && /\d/.test(it) && /[A-Za-z]/.test(it);
  return segment.split(/[-.]/).some(isMixed) && entropyOf(segment) > 3.5;
}
