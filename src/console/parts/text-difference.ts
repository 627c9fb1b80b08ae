/** A part of a text that the other version has too, or not. */
export interface TextPart {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface MarkedTexts {
  readonly before: readonly TextPart[];
  readonly after: readonly TextPart[];
}

/** More steps would take too long in a page: then everything between the equal ends counts as changed. */
const maxSteps = 4_000_000;

/** Which words of two versions differ. The parts of a side together are its whole text. */
export function markChanges(before: string, after: string): MarkedTexts {
  const [oldWords, nowWords] = [wordsOf(before), wordsOf(after)];
  const [old, now] = [oldWords.map(comparable), nowWords.map(comparable)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < Math.min(old.length, now.length) - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end++;
  const [oldMiddle, nowMiddle] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const kept =
    oldMiddle.length * nowMiddle.length > maxSteps
      ? { before: new Set<number>(), after: new Set<number>() }
      : commonWords(oldMiddle, nowMiddle);
  const side = (tokens: readonly string[], middle: readonly string[], common: ReadonlySet<number>) =>
    partsOf(tokens, (at) => at < start || at >= start + middle.length || common.has(at - start));
  return { before: side(oldWords, oldMiddle, kept.before), after: side(nowWords, nowMiddle, kept.after) };
}

/** Each word with the spaces behind it, so that deceptive names and long gaps stay in one piece. */
function wordsOf(text: string): readonly string[] {
  return text.match(/^\s+|\S+\s*/g) ?? [];
}

/** The last word of a text has no space behind it, and is the same word. */
function comparable(word: string): string {
  return /\s$/.test(word) ? word : `${word} `;
}

/** The places of a longest common sequence of words in both lists. */
function commonWords(before: readonly string[], after: readonly string[]) {
  const width = after.length + 1;
  const lengths = new Uint16Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        before[i] === after[j]
          ? (lengths[(i + 1) * width + j + 1] as number) + 1
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number);
  const found = { before: new Set<number>(), after: new Set<number>() };
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) {
      found.before.add(i++);
      found.after.add(j++);
    } else if ((lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number)) i++;
    else j++;
  }
  return found;
}

function partsOf(tokens: readonly string[], isKept: (at: number) => boolean): readonly TextPart[] {
  const parts: { text: string; isChanged: boolean }[] = [];
  tokens.forEach((word, at) => {
    const isChanged = !isKept(at);
    const last = parts.at(-1);
    if (last?.isChanged === isChanged) last.text += word;
    else parts.push({ text: word, isChanged });
  });
  return parts;
}
