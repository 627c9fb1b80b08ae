import { replaceHidden } from './unicode.js';

/** Terminal escape sequences with their parameters, including window titles and links. */
const escapeSequences =
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)|(?:\u001b[PX^_]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]{0,4096}(?:\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]|\u001b[ -/]{0,16}[0-~]/g;

const suspicious =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\uFFF9-\uFFFB\u2800\u{E0000}-\u{E0FFF}]/u;
const plain = /^[\n\t\u0020-\u007e]*$/;
const maxRounds = 8;

/**
 * Removes invisible characters, characters that change the reading direction, and terminal escape sequences. Emoji
 * sequences, flags and the joiners that some scripts need stay. The function is idempotent.
 */
export function cleanText(text: string): string {
  if (plain.test(text) || !suspicious.test(text)) return text;
  let current = text;
  for (let round = 0; round < maxRounds; round++) {
    const next = replaceHidden(current.replace(escapeSequences, ''), replacement);
    if (next === current) return current;
    current = next;
  }
  // Each removal exposed another hidden character, so the text was built to evade this: remove all of them.
  return current.replace(
    /[^\n\t\P{C}]|[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\uFFF9-\uFFFB\u2800]/gu,
    '',
  );
}

/** Line separators become a line feed and a blank pattern a space, so that words stay apart. */
function replacement(codePoint: number): string {
  if (codePoint === 0x0d || codePoint === 0x0b || codePoint === 0x0c || codePoint === 0x85) return '\n';
  if (codePoint === 0x2028 || codePoint === 0x2029) return '\n';
  return codePoint === 0x2800 ? ' ' : '';
}
