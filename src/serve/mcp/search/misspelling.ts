/** Allows one typo in a word of at least four letters, two in a word of at least eight. The first letter must match. */
export function isMisspelling(word: string, term: string): boolean {
  const allowed = word.length >= 8 ? 2 : 1;
  if (word.length < 4 || word[0] !== term[0] || Math.abs(word.length - term.length) > allowed) return false;
  return distance(word, term) <= allowed;
}

/** Edit distance: insertions, deletions, substitutions and swaps of neighboring letters. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (last[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(changed, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (beforeLast[j - 2] as number) + 1);
      row.push(least);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] as number;
}
