/** The mail address in the results of most benign tasks, if at least a third of them have it: the user's own. */
export function ownAddresses(suite) {
  const counts = new Map();
  const tasks = Object.values(suite.user_tasks).filter((it) => it.trace.length > 0);
  for (const { trace } of tasks) {
    const text = trace.map((it) => JSON.stringify(it.result)).join('\n');
    for (const it of new Set(text.match(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g) ?? []))
      counts.set(it, (counts.get(it) ?? 0) + 1);
  }
  const [first] = [...counts].sort((a, b) => b[1] - a[1]);
  return first !== undefined && first[1] * 3 >= tasks.length ? [first[0]] : [];
}
