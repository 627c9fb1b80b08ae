import { isHostName, type NamedPlace, readPlace } from './named-place.js';

/** A part of a text that names a place: a link, an address or an account. */
export interface FoundIdentifier {
  readonly text: string;
  readonly offset: number;
  readonly kind: 'host' | 'address' | 'account';
}

const candidate = /[^\s"'`<>()[\]{}|,;]{4,}/gu;
const account = /\b[A-Z]{2}[ -]?\d{2}(?:[ -]?[A-Z0-9]){6,30}\b|\b\d(?:[ -]?\d){7,18}\b/g;
const date = /^(?:19|20)\d\d[-/ ]?(?:0\d|1[0-2])[-/ ]?[0-3]\d/;

/** Links, mail addresses and account or phone numbers in a text. */
export function identifiersIn(text: string): FoundIdentifier[] {
  const found: FoundIdentifier[] = [];
  if (/[@.:]/.test(text))
    for (const match of text.matchAll(candidate)) {
      if (!/[.@:]./.test(match[0])) continue;
      const word = match[0].replace(/[.:!?*_~]+$/, '').replace(/^[*_~]+/, '');
      const kind = kindOf(word);
      if (kind !== undefined) found.push({ text: word, offset: match.index, kind });
    }
  for (const match of text.matchAll(account)) {
    if (date.test(match[0])) continue;
    if (found.some((it) => match.index >= it.offset && match.index < it.offset + it.text.length)) continue;
    found.push({ text: match[0], offset: match.index, kind: 'account' });
  }
  return found;
}

function kindOf(word: string): 'host' | 'address' | undefined {
  if (word.includes('@') && /^(?:mailto:)?[^@/\\]+@[^@/\\]+\.[^@/\\]+$/i.test(word)) return 'address';
  if (/^[a-z][a-z0-9+.-]*:\/\/./i.test(word)) return 'host';
  const end = word.search(/[/?#\\]/);
  return isHostName(end === -1 ? word : word.slice(0, end)) ? 'host' : undefined;
}

/** What an identifier names. */
export function namedBy(found: FoundIdentifier): NamedPlace {
  return found.kind === 'account'
    ? { kind: 'name', text: found.text.replace(/[ -]/g, '').toLowerCase() }
    : readPlace(found.text);
}
