/**
 * The offset where a YAML text may be nested deeper than the limit; null when it is not. The parser is recursive, and
 * a stack overflow inside a regular expression ends the whole process, so the depth is checked before parsing. Quotes
 * are ignored: brackets in strings count too, which matters only if hundreds of them are not closed.
 */
export function tooDeepAt(text: string, limit: number): number | null {
  let flow = 0;
  /** Columns of the open levels. A deeper level starts farther to the right. */
  const levels: number[] = [];
  let lineStart = 0;
  while (lineStart < text.length) {
    let end = text.indexOf('\n', lineStart);
    if (end === -1) end = text.length;
    let at = lineStart;
    let fresh = true;
    const open = () => {
      while (fresh && levels.length > 0 && (levels.at(-1) as number) >= at - lineStart) levels.pop();
      fresh = false;
      levels.push(at - lineStart);
    };
    // Each "- ", "? " or ": " at the start of a line opens a level of its own.
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x20 || unit === 0x09 || unit === 0x0d) continue;
      open();
      if ((unit !== 0x2d && unit !== 0x3f && unit !== 0x3a) || !isBlank(text, at + 1)) break;
    }
    let row = 0;
    if (levels.length + flow > limit) return lineStart;
    for (; at < end; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x5b || unit === 0x7b) {
        if (levels.length + ++flow > limit) return at;
      } else if ((unit === 0x5d || unit === 0x7d) && flow > 0) flow--;
      // Several keys on one line are nested in each other, where they are allowed.
      else if (unit === 0x3a && flow === 0 && isBlank(text, at + 1) && ++row > limit) return at;
    }
    lineStart = end + 1;
  }
  return null;
}

/**
 * Lines, and characters that can start a value or give it a property: at least the number of values. The parser is slow,
 * so this is checked before parsing. Characters in strings count too, which matters only for strings of a megabyte.
 */
export function yamlMarks(text: string): number {
  let marks = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x0a:
      case 0x2c: // ,
      case 0x3a: // :
      case 0x5b: // [
      case 0x7b: // {
      case 0x21: // !
      case 0x26: // &
      case 0x2a: // *
        marks++;
    }
  }
  return marks;
}

function isBlank(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return Number.isNaN(unit) || unit === 0x20 || unit === 0x09 || unit === 0x0a || unit === 0x0d;
}
