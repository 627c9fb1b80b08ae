const maxWords = 12;
const maxWord = 64;

/** The words of a question, in lower case, without marks and punctuation. */
export function searchWords(text: string): string[] {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.map((it) => it.slice(0, maxWord)))].slice(0, maxWords);
}

/** A text as it is indexed: words of names such as `draw_lots` and `drawLots` are found one by one. */
export function indexedText(text: string): string {
  return searchable(text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2'));
}

function searchable(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
}
