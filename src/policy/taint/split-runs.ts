import type { Json } from '../../model/json.js';

/** Longest piece of a value that was split, and most pieces that are looked at together. */
const maxPiece = 5;
const maxPieces = 16;
/** Longest list of such pieces. */
const maxJoined = 64;

const signs = new Set([...' \t\r\n._,+/:-'].map((it) => it.charCodeAt(0)));

/**
 * Runs of short pieces with a digit, as a value looks that was split: `QX 77 81`. Written as a loop: it looks at every
 * character of every message.
 */
export function splitRuns(text: string): string[][] {
  const found: string[][] = [];
  let run: string[] = [];
  let hasDigit = false;
  let start = -1;
  const close = () => {
    if (run.length > 1 && hasDigit) found.push(run);
    if (run.length > 0) run = [];
    hasDigit = false;
  };
  const size = text.length;
  for (let at = 0; at <= size; at++) {
    const code = at === size ? 32 : text.charCodeAt(at);
    const isDigit = code >= 48 && code <= 57;
    if (isDigit || code > 127 || (code >= 97 && code <= 122) || (code >= 65 && code <= 90)) {
      if (start === -1) start = at;
      if (isDigit) hasDigit = true;
      continue;
    }
    if (start !== -1) {
      if (at - start > maxPiece || run.length >= maxPieces) close();
      if (at - start <= maxPiece) {
        run.push(text.slice(start, at));
        if (!hasDigit && run.length === 1) hasDigit = /\d/.test(run[0] as string);
      }
      start = -1;
    }
    if (!signs.has(code)) close();
  }
  close();
  return found;
}

/** What short values beside each other are together, as a list of letters is a name; undefined if one of them is longer. */
export function joinedPieces(values: readonly Json[]): string | undefined {
  if (values.length < 2 || values.length > maxJoined) return undefined;
  let joined = '';
  for (const it of values) {
    if (typeof it !== 'string' && typeof it !== 'number') return undefined;
    const text = String(it).trim();
    if (text.length > maxPiece) return undefined;
    joined += text;
  }
  return joined;
}
