import type { Json } from '../../model/json.js';
import { identifiersIn } from './identifiers.js';

/** More words in a row can be a sentence that tells an agent what to do. */
const maxWords = 5;
const maxLength = 20_000;
/** Characters that separate the values of a structure, also where it is shown as text. */
const separator = /["'{}[\]():,;=|<>\n\r\t]+/;

/**
 * Whether a result consists of short values only, without links, addresses and accounts: a balance, a date, the names of
 * goods. Values of the user's own account in this shape leave a session clean; a name with a sentence in it does not.
 */
export function hasShortValuesOnly(result: Json): boolean {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  if (text.length > maxLength) return false;
  if (text.split(separator).some((it) => it.split(/[\s_/\\.-]+/).filter(isWord).length > maxWords))
    return false;
  return identifiersIn(text).length === 0;
}

function isWord(text: string): boolean {
  return /\p{L}/u.test(text);
}
