// Searches in all texts of an index, letter by letter.
import type { IndexedLeaf } from './indexed-leaf.js';
import type { ValueIndex } from './value-index.js';

type Texts = Pick<ValueIndex, 'texts' | 'isComplete'>;

/** Whether a result of this package contained the value as a word, a name or a text of its own. */
export function isGivenBy({ texts, isComplete }: Texts, packageId: string, value: string): boolean {
  return isComplete && texts.some((it) => it.origin.package === packageId && hasToken(it.text, value));
}

/** Whether the value was the whole of a field in a result of this package, and a part of no other text. */
export function isMintedBy({ texts, isComplete }: Texts, packageId: string, value: string): boolean {
  const holders = texts.filter((it) => it.text.includes(value));
  const isField = ({ path, text, origin }: IndexedLeaf) =>
    path.length > 0 && text === value && origin.package === packageId;
  return isComplete && holders.length > 0 && holders.every(isField);
}

/** Whether a text was seen letter by letter, with nothing that continues it. */
export function hasVerbatim({ texts }: Pick<ValueIndex, 'texts'>, text: string): boolean {
  for (const { text: all } of texts) {
    for (let at = all.indexOf(text); at !== -1; at = all.indexOf(text, at + 1))
      if (!/^[\w%=&?#/-]/.test(all.slice(at + text.length).replace(/^\//, ''))) return true;
  }
  return false;
}

/** Whether a text occurs in another one with no letter or digit beside it. */
function hasToken(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
    if (!/[\p{L}\p{N}]/u.test(`${text.charAt(at - 1)}${text.charAt(at + value.length)}`)) return true;
  return false;
}
