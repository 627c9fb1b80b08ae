/** Marks of an axis from 0: round numbers, at most `count` of them above 0. The last one is not below `max`. */
export function axisMarks(max: number, count: number): readonly number[] {
  const rough = Math.max(1, max) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 5, 10].map((it) => it * power).find((it) => it >= rough) ?? rough);
  const marks = [0];
  while ((marks.at(-1) ?? 0) < max) marks.push((marks.at(-1) ?? 0) + step);
  return marks.length === 1 ? [0, step] : marks;
}

/** How to write a moment on an axis that covers a span. */
export function timeMark(at: number, spanMs: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (spanMs <= 36 * 3_600_000) return time;
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  return spanMs <= 4 * 86_400_000 ? `${day} ${time}` : day;
}
