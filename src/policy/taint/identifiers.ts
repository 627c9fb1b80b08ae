import { findIbans } from '../guardrails/account-number.js';
import { plainDigits } from './folded-text.js';
import { isHostName, isLinkedName, type NamedPlace, readPlace } from './named-place.js';

/** A part of a text that names a place: a link, an address or an account. */
export interface FoundIdentifier {
  readonly text: string;
  readonly offset: number;
  readonly kind: 'host' | 'address' | 'account';
}

const candidate = /[^\s"'`<>()[\]{}|,;]{4,}/gu;
/** A link to an IPv6 address. */
const numericHost = /\b[a-z][a-z0-9+.-]*:\/\/(?:[^\s/]*@)?\[[0-9a-f:.]+\][^\s]*/gi;
const account = /\b[A-Z]{2}[ -]?\d{2}(?:[ -]?[A-Z0-9]){6,30}\b|\b\d(?:[ -]?\d){7,18}\b/g;
/** Addresses of wallets: hexadecimal, bech32, and base58 with its usual first characters. */
const wallet =
  /\b0x[0-9a-fA-F]{40}\b|\b(?:bc|tb|ltc)1[02-9ac-hj-np-z]{25,87}\b|\b[13][1-9A-HJ-NP-Za-km-z]{25,34}\b/g;
/** With a country code or an area code in parentheses. */
const phone =
  /(?<![\w.+])(?:\+\d{1,3}(?:[ .()/-]{0,2}\d){6,12}|(?:\+?\d{1,3}[ .-]?)?\(\d{2,5}\)[ .-]?\d{2,5}(?:[ .-]?\d{2,5}){0,3})\b/g;
const dottedPhone = /^\d{3}\.\d{3}\.\d{4}$/;
const date = /^(?:19|20)\d\d[-/ ]?(?:0\d|1[0-2])[-/ ]?[0-3]\d/;

/**
 * A text as programs that follow its links read it: without invisible characters, and with all dots and digits as usual ones.
 * Offsets in it are not those of the original.
 */
export function visibleText(text: string): string {
  const plain = isAscii.test(text)
    ? text
    : plainDigits(text.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC')).replace(
        /\u3002/g,
        '.',
      );
  const hasBracket = plain.includes('[') || plain.includes('(') || plain.includes('{');
  const signed = hasBracket ? plain.replace(spelledSign, (_, at) => (at === undefined ? '.' : '@')) : plain;
  return signed.includes(':') ? signed.replace(loosePrefix, '$1://') : signed;
}

/** Programs that open links read `https:/host`, `https:host` and backslashes like `https://host`. */
const loosePrefix = /\b(https?):[\\/]*(?=[^\s\\/])/gi;

/** `evil[.]com`, `eve (at) evil (dot) com` */
const spelledSign = /[ \t]?[[({][ \t]?(?:\.|dot|(@|at))[ \t]?[\])}][ \t]?/gi;

const isAscii = /^[\x00-\x7f]*$/;

/** Links, mail addresses and account or phone numbers in a text, as they stand in its readable form. */
export function identifiersIn(original: string): FoundIdentifier[] {
  const text = visibleText(original);
  const found: FoundIdentifier[] = [];
  if (/[@.:]/.test(text))
    for (const match of text.matchAll(candidate)) {
      if (!/[.@:]./.test(match[0])) continue;
      const word = match[0].replace(/[.:!?*_~]+$/, '').replace(/^[*_~\\/]+/, '');
      const kind = kindOf(word);
      if (kind !== undefined) found.push({ text: word, offset: match.index, kind });
    }
  if (text.includes('['))
    for (const match of text.matchAll(numericHost))
      found.push({ text: match[0], offset: match.index, kind: 'host' });
  if (!/\d/.test(text)) return found;
  const addAccount = (value: string, offset: number) => {
    const isKnown = found.some((it) => offset >= it.offset && offset < it.offset + it.text.length);
    if (!isKnown && !date.test(value)) found.push({ text: value, offset, kind: 'account' });
  };
  if (/[a-z]{2}[ -]?\d/.test(text))
    for (const { start, end } of findIbans(text)) addAccount(text.slice(start, end), start);
  for (const match of text.matchAll(wallet)) addAccount(match[0], match.index);
  if (text.includes('+') || text.includes('('))
    for (const match of text.matchAll(phone)) addAccount(match[0], match.index);
  for (const match of text.matchAll(account)) addAccount(match[0], match.index);
  return found;
}

/**
 * Names like `evil.ai`, which can be a host or a word of code: nobody can tell without knowing where they come from. Names of
 * source files are none of them.
 */
export function possibleHostsIn(original: string): string[] {
  const text = visibleText(original);
  if (!innerDot.test(text)) return [];
  return [...text.matchAll(candidate)]
    .map(([it]) => it.replace(/[.:!?*_~]+$/, '').replace(/^[*_~]+/, ''))
    .filter((it) => !isHostName(it) && isLinkedName(it) && !codeEnding.test(it));
}

/** The dot at the end of a sentence is none. */
const innerDot = /\.[^\s.,;:!?]/;
const codeEnding =
  /\.(?:md|py|sh|rs|pl|so|ps|java|zip|mov|cab|name|map|open|call|data|target|id|events?|link)$/i;

function kindOf(word: string): FoundIdentifier['kind'] | undefined {
  if (dottedPhone.test(word)) return 'account';
  if (word.includes('@') && /^(?:mailto:)?[^@/\\]+@[^@/\\]+\.[^@/\\]+$/i.test(word)) return 'address';
  if (/^[a-z][a-z0-9+.-]*:\/\/./i.test(word)) return 'host';
  const end = word.search(/[/?#\\]/);
  if (end === -1) return isHostName(word) ? 'host' : undefined;
  const name = word.slice(0, end);
  return isHostName(name) || isLinkedName(name) ? 'host' : undefined;
}

/** What an identifier names. */
export function namedBy(found: Pick<FoundIdentifier, 'text' | 'kind'>): NamedPlace {
  return found.kind === 'account'
    ? { kind: 'name', text: found.text.replace(/[ ().+/-]/g, '').toLowerCase() }
    : readPlace(found.text);
}
