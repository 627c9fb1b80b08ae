import { levelOf, shapeOf } from './shape.js';

const severity = { error: 2, warning: 1, other: 0 };
const minimum = { error: 2, warning: 1, any: 0 };

/** Groups lines by shape. */
function group(log) {
  const groups = new Map();
  let lines = 0;
  for (const [index, raw] of log.split(/\r?\n/).entries()) {
    const line = raw.trimEnd();
    if (line === '') continue;
    lines++;
    const shape = shapeOf(line);
    const known = groups.get(shape);
    if (known === undefined) {
      groups.set(shape, {
        shape,
        level: levelOf(line),
        count: 1,
        first: index + 1,
        last: index + 1,
        sample: line,
      });
    } else {
      known.count++;
      known.last = index + 1;
    }
  }
  return { lines, groups: [...groups.values()] };
}

const bySeverity = (a, b) => severity[b.level] - severity[a.level] || b.count - a.count || a.first - b.first;

export function digest(log, { limit, level }) {
  const { lines, groups } = group(log);
  const levels = { error: 0, warning: 0, other: 0 };
  for (const it of groups) levels[it.level] += it.count;
  const top = groups
    .filter((it) => severity[it.level] >= minimum[level])
    .sort(bySeverity)
    .slice(0, limit);
  return { lines, groups: groups.length, levels, top };
}

export function compare(before, after, { limit }) {
  const old = new Map(group(before).groups.map((it) => [it.shape, it.count]));
  const { groups } = group(after);
  const added = groups.filter((it) => !old.has(it.shape)).sort(bySeverity);
  const louder = groups
    .filter((it) => old.has(it.shape) && it.count >= 2 * old.get(it.shape))
    .map((it) => ({ ...it, before: old.get(it.shape) }))
    .sort(bySeverity);
  const shapes = new Set(groups.map((it) => it.shape));
  return {
    new: added.slice(0, limit),
    louder: louder.slice(0, limit),
    gone: [...old].filter(([shape]) => !shapes.has(shape)).length,
  };
}
