import { findHidden } from './unicode.js';

/** What steers a terminal: sequences with their parameters, and titles and links up to their end. */
const sequences =
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]{0,4096}(?:\u0007|\u001b\\|\u009c)|(?:\u001b[PX^_]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]{0,4096}(?:\u001b\\|\u009c)|(?:\u001b\[|\u009b)[0-?]{0,256}[ -/]{0,16}[@-~]|\u001b[ -/]{0,16}[0-~]/g;

const suspicious =
  /[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\uFFF9-\uFFFB\u2800\u{E0000}-\u{E0FFF}]/u;
const plain = /^[\n\t\u0020-\u007e]*$/;
const maxRounds = 8;

/**
 * Text for a model or a person: without what cannot be seen, turns the order of letters around or steers a terminal.
 * Emoji families, flags and the joiners of the scripts that need them stay. Doing it twice changes nothing more.
 */
export function cleanText(text: string): string {
  if (plain.test(text) || !suspicious.test(text)) return text;
  let current = text;
  for (let round = 0; round < maxRounds; round++) {
    const next = cleanOnce(current);
    if (next === current) return current;
    current = next;
  }
  // Made so that taking one away uncovers another: then none of them stays.
  return current.replace(
    /[^\n\t\P{C}]|[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\uFFF9-\uFFFB\u2800]/gu,
    '',
  );
}

function cleanOnce(text: string): string {
  const steered = text.replace(sequences, '');
  let clean = '';
  let done = 0;
  for (const { index, codePoint } of findHidden(steered)) {
    clean += steered.slice(done, index) + instead(codePoint);
    done = index + (codePoint > 0xffff ? 2 : 1);
  }
  return clean + steered.slice(done);
}

/** Some of them end a line or keep words apart. */
function instead(codePoint: number): string {
  if (codePoint === 0x0d || codePoint === 0x0b || codePoint === 0x0c || codePoint === 0x85) return '\n';
  if (codePoint === 0x2028 || codePoint === 0x2029) return '\n';
  return codePoint === 0x2800 ? ' ' : '';
}
