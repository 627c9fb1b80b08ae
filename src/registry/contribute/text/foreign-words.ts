/** Shorter words are words of their own in several languages. */
const minLetters = 3;

/** Letters that have the shape of a Latin letter, in the case in which they have it. */
const twins = /^[асԁеһіјӏорԛѕуԝхѵАВСЕНІЈКМОРЅТУХԜοναικρτυϲΑΒΕΖΗΙΚΜΝΟΡΤΥΧ0-9_]{3,200}$/u;

/**
 * Words without a Latin letter that look like a Latin word, in a text that is otherwise Latin: such as "access" in
 * Cyrillic letters. In a text that is mostly in another script they are ordinary.
 */
export function foreignWords(text: string): string[] {
  if (!/[\u0370-\u058f]/.test(text)) return [];
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}_]{1,200}/gu)].map((it) => it[0]);
  const latin = words.filter((it) => /^[\u0000-\u024f]+$/.test(it)).length;
  if (latin * 2 < words.length) return [];
  return words.flatMap((word) => {
    if ([...word].length < minLetters || /^[\u0000-\u024f]+$/.test(word) || !twins.test(word)) return [];
    return [`a word in letters of another script that looks like a Latin one: ${JSON.stringify(word)}`];
  });
}
