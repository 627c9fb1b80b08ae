const minWords = 24;
const minShare = 0.5;

/** Whether one word makes up most of a text: a way to make a model lose its instructions. */
export function repeatsItself(plain: string): boolean {
  const words = plain.split(' ').filter((it) => it.length > 1);
  if (words.length < minWords) return false;
  const counts = new Map<string, number>();
  for (const it of words) counts.set(it, (counts.get(it) ?? 0) + 1);
  return Math.max(...counts.values()) / words.length > minShare;
}
