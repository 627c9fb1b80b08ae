const zero = /^[\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;
const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{1F300}-\u{1F64F}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}])$/u;

/** Number of cells that a text takes on a terminal. */
export function width(text: string): number {
  let cells = 0;
  for (const character of text) cells += characterWidth(character);
  return cells;
}

export function characterWidth(character: string): number {
  if (character >= ' ' && character <= '~') return 1;
  if (zero.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Cuts a text to `cells`, with an ellipsis if something was cut. */
export function clip(text: string, cells: number): string {
  if (width(text) <= cells) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += characterWidth(character);
    if (used > cells) break;
    kept += character;
  }
  return `${kept}…`;
}

export function pad(text: string, cells: number): string {
  return text + ' '.repeat(Math.max(0, cells - width(text)));
}

/** Wraps to lines of at most `cells`, between words if possible. */
export function wrap(text: string, cells: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (width(longer) <= cells) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = word;
    while (width(line) > cells) {
      const head = firstCells(line, cells);
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  if (line !== '' || lines.length === 0) lines.push(line);
  return lines;
}

/** Wraps without dropping any character: the joined lines are the text. */
export function wrapLossless(text: string, cells: number): string[] {
  const found: string[] = [];
  let rest = text;
  while (width(rest) > cells) {
    const head = firstCells(rest, cells);
    const gap = head.lastIndexOf(' ') + 1;
    // Split a long word rather than leave a very short line.
    const piece = gap > head.length / 2 ? head.slice(0, gap) : head;
    found.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...found, rest];
}

function firstCells(text: string, cells: number): string {
  let kept = '';
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > cells && kept !== '') break;
    kept += character;
  }
  return kept;
}
