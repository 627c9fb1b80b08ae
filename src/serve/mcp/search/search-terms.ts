import { joinPhrases } from './phrases.js';
import { stem } from './stem.js';

/** Words that say nothing about a tool, in English and the other languages of `foreign-words.ts`. */
const stopWords = new Set(
  `a an and are as at be been by can could did do does for from has have how i if in into is it its let like me my of on or
  our please s should some somebody someone something that the their them then there these this those to up us want was we
  were what which will with would you your need needs just about via using use any every each still am
  der das ein eine einen einem einer den dem und mit von zu zum zur auf im ist mir mein meine meinen ich wir bitte
  un une le la les des du dans au aux et avec sur mon ma mes je est
  el los las una al con mi mis en es y del por o os um uma no na nos nas do da dos das com meu minha e para pour il lo gli`.split(
    /\s+/,
  ),
);

/** Lower-case words without accents. Splits `camelCase`, `HTTPServer`, `snake_case` and letters from digits. */
export function wordsOf(text: string): string[] {
  const parts = text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/\b([eE])-([mM]ails?)\b/g, '$1$2')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/ß/g, 'ss')
    .toLowerCase()
    .match(/\p{L}+|\p{N}+/gu);
  return parts ?? [];
}

/** The words of a query or text that count. */
export function contentWords(text: string): string[] {
  return joinPhrases(wordsOf(text)).filter((it) => !stopWords.has(it));
}

/** Stems of the words that count. */
export function searchTerms(text: string): string[] {
  return contentWords(text).map(stem);
}
