// Finds characters that make text look different from what it contains. Used for manifests and for tool results.

/** Why a character is suspicious: control code, invisible, changes the reading direction, or Unicode tag. */
export type HiddenKind = 'control' | 'invisible' | 'bidi' | 'tag';

/** A character that a reader cannot see. */
export interface HiddenCharacter {
  readonly kind: HiddenKind;
  /** UTF-16 offset in the text. */
  readonly index: number;
  readonly codePoint: number;
}

const suspects =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\uFFF9-\uFFFB\u2800\u{E0000}-\u{E0FFF}]/gu;
const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;
const joinsVisibly =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Thai}\p{Script=Khmer}\p{Script=Myanmar}\p{M}]/u;

/** Hidden characters, except where they are legitimate: in emoji sequences and in scripts that join letters. */
export function findHidden(text: string): HiddenCharacter[] {
  const found: HiddenCharacter[] = [];
  for (const match of text.matchAll(suspects)) {
    const codePoint = match[0].codePointAt(0) as number;
    const kind = hiddenKind(codePoint, text, match.index);
    if (kind !== null) found.push({ kind, index: match.index, codePoint });
  }
  return found;
}

/** The text with other text in place of each hidden character. */
export function replaceHidden(text: string, replacement: (codePoint: number) => string): string {
  let shown = '';
  let from = 0;
  for (const { index, codePoint } of findHidden(text)) {
    shown += text.slice(from, index) + replacement(codePoint);
    from = index + (codePoint > 0xffff ? 2 : 1);
  }
  return from === 0 ? text : shown + text.slice(from);
}

function hiddenKind(codePoint: number, text: string, index: number): HiddenKind | null {
  if (codePoint === 0x09 || codePoint === 0x0a) return null;
  // Without a line feed it moves a terminal's cursor to the start of the line.
  if (codePoint === 0x0d) return text.charCodeAt(index + 1) === 0x0a ? null : 'control';
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint <= 0x9f)) return 'control';
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 'control';
  if (codePoint >= 0xe0000 && codePoint <= 0xe007f) return flagTag(text, index) ? null : 'tag';
  if (/\p{Bidi_Control}/u.test(String.fromCodePoint(codePoint))) return 'bidi';
  const before = previous(text, index);
  const after = next(text, index + String.fromCodePoint(codePoint).length);
  if (codePoint === 0x200d) {
    if (/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F/u.test(before) && emoji.test(after)) return null;
    if (joinsVisibly.test(before) || joinsVisibly.test(after)) return null;
  }
  if (codePoint === 0x200c && joinsVisibly.test(before) && joinsVisibly.test(after)) return null;
  if (codePoint === 0xfe0f || codePoint === 0xfe0e) {
    if (emoji.test(before) || /[\p{Emoji}\p{S}\p{P}]/u.test(before)) return null;
  }
  if (codePoint >= 0x180b && codePoint <= 0x180f && /\p{Script=Mongolian}/u.test(before)) return null;
  if ((codePoint >= 0xfe00 && codePoint <= 0xfe0d) || (codePoint >= 0xe0100 && codePoint <= 0xe01ef)) {
    if (/[\p{Script=Han}\p{Script=Mongolian}\p{Script=Myanmar}\p{Sm}]/u.test(before)) return null;
  }
  return 'invisible';
}

/** The flags of England, Scotland and Wales are a black flag followed by tag letters and a closing tag. */
function flagTag(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 16), index);
  const start = before.lastIndexOf('\u{1F3F4}');
  if (start === -1) return false;
  const tail = text.slice(index - before.length + start);
  return (
    /^\u{1F3F4}[\u{E0061}-\u{E007A}]{2,6}\u{E007F}/u.test(tail) &&
    /^[\u{E0061}-\u{E007F}]*$/u.test(before.slice(start + 2))
  );
}

function previous(text: string, index: number): string {
  if (index === 0) return '';
  const low = text.charCodeAt(index - 1);
  return low >= 0xdc00 && low <= 0xdfff && index > 1 ? text.slice(index - 2, index) : text.charAt(index - 1);
}

function next(text: string, index: number): string {
  const codePoint = text.codePointAt(index);
  return codePoint === undefined ? '' : String.fromCodePoint(codePoint);
}

/** A word that mixes scripts, so that it can be mistaken for another word. */
export interface LookalikeWord {
  readonly word: string;
  readonly index: number;
  /** The first letter that is not Latin. */
  readonly codePoint: number;
  readonly script: 'Cyrillic' | 'Greek' | 'Cherokee' | 'Armenian' | 'fullwidth';
}

const otherScripts: readonly (readonly [LookalikeWord['script'], RegExp])[] = [
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['fullwidth', /[\uFF21-\uFF3A\uFF41-\uFF5A]/u],
];

/** Words that mix Latin letters with letters of another script that look like them. */
export function findLookalikes(text: string): LookalikeWord[] {
  if (!/[^\u0000-\u024F]/.test(text)) return [];
  const found: LookalikeWord[] = [];
  for (const match of text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
    const word = match[0];
    if (!/[A-Za-z]/.test(word)) continue;
    for (const [script, pattern] of otherScripts) {
      const letter = pattern.exec(word);
      if (letter === null) continue;
      // Units such as μm or kΩ are a Greek letter with at most two Latin ones.
      if (script === 'Greek' && word.length <= 3) continue;
      found.push({ word, index: match.index, codePoint: letter[0].codePointAt(0) as number, script });
      break;
    }
  }
  return found;
}

/** The usual notation of a code point, such as `U+200B`. */
export function codePointName(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;
}
