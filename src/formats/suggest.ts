/** The known name with the smallest edit distance (swaps included); undefined when no name is similar. */
export function suggest(name: string, known: Iterable<string>): string | undefined {
  const folded = fold(name);
  let best: string | undefined;
  // All names of one or two letters are similar to each other.
  const allowed = folded.length < 3 ? 0 : Math.max(1, Math.floor(folded.length / 3));
  let bestDistance = allowed + 1;
  for (const candidate of known) {
    const distance = editDistance(folded, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Removes differences of case and separators, so that `toolName` equals `tool_name`. */
export function fold(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_\s]/g, '')
    .slice(0, 64);
}

/** Optimal string alignment distance. Stops and returns `limit` as soon as the distance cannot be smaller. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        (previous[column] as number) + 1,
        (current[column - 1] as number) + 1,
        (previous[column - 1] as number) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforePrevious[column - 2] as number) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= limit) return limit;
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] as number;
}
