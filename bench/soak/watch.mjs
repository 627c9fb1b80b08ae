// What the kernel says of a process and of everything below it.
import { readdirSync, readFileSync } from 'node:fs';

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every process by its number: its parent, its name, and when it was started. */
function processes() {
  const found = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      const fields = stat.slice(end + 2).split(' ');
      const [state, parent] = fields;
      const name = stat.slice(stat.indexOf('(') + 1, end);
      if (state !== 'Z') found.set(Number(entry), { parent: Number(parent), name, started: fields[19] });
    } catch {
      // It ended meanwhile.
    }
  }
  return found;
}

function below(pid, all) {
  const children = [...all].filter(([, it]) => it.parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...below(child, all)]);
}

/** Everything that sandboxes of a process hold, their own processes too. */
export function sandboxesOf(pid) {
  const all = processes();
  const roots = [...all].filter(([, it]) => it.parent === pid && it.name === 'bwrap').map(([root]) => root);
  return roots.flatMap((root) => [root, ...below(root, all)]);
}

/** The programs inside, without the sandbox around them. */
export function insideOf(pid) {
  const all = processes();
  return sandboxesOf(pid).filter((it) => all.get(it)?.name !== 'bwrap');
}

/** Numbers are given out again within minutes; with the moment of its start a process is told from all others. */
export function namesOf(pids) {
  const all = processes();
  return pids.map((pid) => `${pid} ${all.get(pid)?.started}`);
}

export function isThere(name) {
  const [pid, started] = name.split(' ');
  return processes().get(Number(pid))?.started === started;
}

/** Processes in sandboxes, descriptors, and resident MiB. */
export function measure(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    processes: sandboxesOf(pid).length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    rss: Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024,
  };
}
