import { amountsIn } from './amounts.js';
import { canonical } from './folded-text.js';
import { identifiersIn, namedBy } from './identifiers.js';
import type { NamedPlace } from './named-place.js';

/** A text that a person wrote, prepared to look up what it vouches for. */
export interface PersonWords {
  /** Canonical, with a space at both ends, without quoted text. */
  readonly text: string;
  /** Short quoted values, such as a title. They vouch for texts, not for places. */
  readonly quoted: ReadonlySet<string>;
  /** Hosts that were named alone. */
  readonly hosts: ReadonlySet<string>;
  /** Pages by host, for links with a path. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
  /** Addresses and accounts. */
  readonly places: ReadonlySet<string>;
  readonly amounts: ReadonlySet<string>;
}

/** Longer quoted texts are probably pasted. */
const maxQuoted = 60;
const fenced = /```[\s\S]*?(?:```|$)|^[ \t]*>.*$/gm;
const quotes =
  /"([^"\n]*)"|“([^”\n]*)”|«([^»\n]*)»|`([^`\n]*)`|(?<![\p{L}\p{N}])'([^'\n]*)'(?![\p{L}\p{N}])/gu;

/** Quoted and fenced text was written by somebody else, perhaps: it vouches for no place. */
export function readWords(original: string, { isQuoteAware = true } = {}): PersonWords {
  const quoted = new Set<string>();
  let own = original;
  if (isQuoteAware)
    own = original.replace(fenced, ' ').replace(quotes, (_, ...groups: (string | undefined)[]) => {
      const inner = groups.slice(0, 5).find((it) => it !== undefined) ?? '';
      if (inner.length <= maxQuoted && identifiersIn(inner).length === 0) quoted.add(canonical(inner));
      return ' ';
    });
  const hosts = new Set<string>();
  const pages = new Map<string, string[]>();
  const places = new Set<string>();
  for (const found of identifiersIn(own)) {
    const named = namedBy(found);
    if (named.kind !== 'host') places.add(named.text);
    else if (named.plain && named.page === '') hosts.add(named.host);
    else if (named.plain) pages.set(named.host, [...(pages.get(named.host) ?? []), named.page]);
  }
  return { text: ` ${canonical(own)} `, quoted, hosts, pages, places, amounts: amountsIn(original) };
}

/** Whether the words name a place. For sends, a link with a path vouches only for that page and those below it. */
export function namesPlace(words: PersonWords, to: NamedPlace, isSend: boolean): boolean {
  // A part of an address can be the address of somebody else: `smith@mail.example` in `ann.smith@mail.example`.
  if (to.kind === 'address' && /@.*\./.test(to.text)) return words.places.has(to.text);
  if (to.kind !== 'host') return words.places.has(to.text) || hasWords(words, to.text);
  if (!to.plain) return false;
  if (words.hosts.has(to.host)) return true;
  const pages = words.pages.get(to.host);
  if (pages === undefined) return false;
  return !isSend || pages.some((it) => to.page === it || to.page.startsWith(`${it.replace(/\/$/, '')}/`));
}

/** Whether a text occurs in the words, as whole words. Short numbers occur everywhere and vouch for nothing. */
export function hasWords(words: PersonWords, value: string): boolean {
  const text = canonical(value);
  if (text.length < 3 || /^\d{1,4}$/.test(text)) return false;
  if (words.quoted.has(text)) return true;
  for (let at = words.text.indexOf(text); at !== -1; at = words.text.indexOf(text, at + 1))
    if (!isJoined(words.text, at, -1) && !isJoined(words.text, at + text.length - 1, 1)) return true;
  return false;
}

/** Whether each part of a date or a number occurs in the words. */
export function hasControl(words: PersonWords, value: string): boolean {
  if (hasWords(words, value)) return true;
  if (/^\d+(?:\.\d+)?$/.test(value))
    return words.amounts.has(value.replace(/\.?0+$/, '')) || words.amounts.has(value);
  const parts = value.split(/[\sT]+/).filter((it) => it !== '');
  return (
    parts.length > 1 &&
    parts.every((it) => hasWords(words, it.replace(/:00$/, '').replace(/^(\d\d)$/, '$1:00')))
  );
}

/**
 * Whether the word at an offset goes on in a direction. A dot, a hyphen or a plus between two letters belongs to a name, such as
 * `smith@mail.example` in `ann.smith@mail.example`, or `notes.md` in `old-notes.md`. Between two digits it separates them.
 */
function isJoined(text: string, at: number, direction: -1 | 1): boolean {
  const next = text.charAt(at + direction);
  if (isLetter(next)) return true;
  if (!/[.+-]/.test(next)) return false;
  const beyond = text.charAt(at + 2 * direction);
  return isLetter(beyond) && !(isDigit(text.charAt(at)) && isDigit(beyond));
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{N}_@]/u.test(character);
}
