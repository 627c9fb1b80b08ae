import { maxDepth } from './document.js';

/** Measurements from one pass over the characters, made before parsing. */
export interface TomlShape {
  /** Offset where the nesting exceeds the limit; null if it does not. */
  readonly tooDeepAt: number | null;
  /** Number of equal signs, commas and opening brackets: an estimate of the number of values. */
  readonly values: number;
  /** Offsets of very long strings, including their quotes. */
  readonly longStrings: readonly (readonly [number, number])[];
}

/** Characters. */
const longStringLength = 16 * 1024;

/** Measures a text that may have syntax errors. Only strings and comments are recognized. */
export function scanToml(text: string): TomlShape {
  const longStrings: (readonly [number, number])[] = [];
  let depth = 0;
  let dots = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
      case 0x27: {
        const end = stringEnd(text, at);
        if (end - at > longStringLength) longStrings.push([at, end]);
        at = end - 1;
        break;
      }
      case 0x23: // #
        at = lineEnd(text, at) - 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        dots = 0;
        if (++depth >= maxDepth) return { tooDeepAt: at, values, longStrings };
        break;
      case 0x5d:
      case 0x7d:
        depth = Math.max(0, depth - 1);
        break;
      case 0x2e: // .
        if (++dots >= maxDepth) return { tooDeepAt: at, values, longStrings };
        break;
      case 0x2c: // ,
      case 0x3d: // =
        values++;
        dots = 0;
        break;
      case 0x0a:
        dots = 0;
        break;
    }
  }
  return { tooDeepAt: null, values, longStrings };
}

/** The offset after the closing quotes; where they are missing, the end of the line or of the text. */
function stringEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  const escapes = quote === '"';
  if (text.startsWith(quote.repeat(3), start)) {
    for (let at = start + 3; at < text.length; at++) {
      if (escapes && text.charAt(at) === '\\') at++;
      else if (text.charAt(at) === quote && text.startsWith(quote.repeat(3), at)) {
        let end = at + 3;
        // A string may end with up to two quotes before the closing ones.
        while (end < at + 5 && text.charAt(end) === quote) end++;
        return end;
      }
    }
    return text.length;
  }
  for (let at = start + 1; at < text.length; at++) {
    const unit = text.charAt(at);
    if (escapes && unit === '\\') at++;
    else if (unit === quote) return at + 1;
    else if (unit === '\n') return at;
  }
  return text.length;
}

function lineEnd(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}
