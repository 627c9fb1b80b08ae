import { maxDepth } from './document.js';

/** What one pass over the characters tells, before anything is made of them. */
export interface TomlShape {
  readonly tooDeepAt: number | null;
  /** Equal signs, commas and opening brackets: a measure of how many values there are. */
  readonly values: number;
  /** Offsets of strings, quotes included, that are longer than any manifest needs. */
  readonly longStrings: readonly (readonly [number, number])[];
}

const longString = 16 * 1024;

/** Knows strings and comments, and takes everything else as it comes: the text may be broken anywhere. */
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
        if (end - at > longString) longStrings.push([at, end]);
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
        // Up to two quotes may stand directly before the closing ones.
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
