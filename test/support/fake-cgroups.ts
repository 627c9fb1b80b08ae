// A control group tree of version 2 in memory, with the rules of the kernel that a host has to obey.
import { posix } from 'node:path';
import type { CgroupFiles } from '../../src/sandbox/cgroup/cgroup-files.js';

interface Group {
  readonly controllers: readonly string[];
  readonly delegated: Set<string>;
  readonly processes: Set<number>;
  readonly values: Map<string, string>;
}

const values: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  memory: {
    'memory.max': 'max\n',
    'memory.swap.max': 'max\n',
    'memory.oom.group': '0\n',
    'memory.events': 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n',
  },
  pids: { 'pids.max': 'max\n' },
};

export class FakeCgroups implements CgroupFiles {
  readonly #groups = new Map<string, Group>();

  constructor(root: string, controllers: readonly string[]) {
    this.#groups.set(root, group(controllers));
  }

  read(path: string): string | null {
    const found = this.#groups.get(posix.dirname(path));
    if (found === undefined) return null;
    switch (posix.basename(path)) {
      case 'cgroup.controllers':
        return `${found.controllers.join(' ')}\n`;
      case 'cgroup.subtree_control':
        return `${[...found.delegated].join(' ')}\n`;
      case 'cgroup.procs':
        return [...found.processes].map((it) => `${it}\n`).join('');
      default:
        return found.values.get(posix.basename(path)) ?? null;
    }
  }

  groups(path: string): readonly string[] {
    return [...this.#groups.keys()]
      .filter((it) => posix.dirname(it) === path)
      .map((it) => posix.basename(it));
  }

  create(path: string): void {
    if (this.#groups.has(path)) throw fault('EEXIST', path);
    this.#groups.set(path, group([...this.#group(posix.dirname(path)).delegated]));
  }

  write(path: string, value: string): void {
    const found = this.#group(posix.dirname(path));
    const name = posix.basename(path);
    if (name === 'cgroup.procs') {
      // No processes beside groups with controllers.
      if (found.delegated.size > 0) throw fault('EBUSY', path);
      for (const other of this.#groups.values()) other.processes.delete(Number(value));
      found.processes.add(Number(value));
    } else if (name === 'cgroup.subtree_control') {
      const added = value.split(' ').map((it) => it.slice(1));
      if (found.processes.size > 0) throw fault('EBUSY', path);
      if (!added.every((it) => found.controllers.includes(it))) throw fault('ENOENT', path);
      for (const it of added) found.delegated.add(it);
    } else {
      if (!found.values.has(name)) throw fault('ENOENT', path);
      found.values.set(name, `${value}\n`);
    }
  }

  async writeLater(path: string, value: string): Promise<void> {
    this.write(path, value);
  }

  remove(path: string): void {
    if (this.#group(path).processes.size > 0 || this.groups(path).length > 0) throw fault('EBUSY', path);
    this.#groups.delete(path);
  }

  /** Sets a file that only the kernel writes. */
  put(path: string, value: string): void {
    this.#group(posix.dirname(path)).values.set(posix.basename(path), value);
  }

  exit(pid: number): void {
    for (const it of this.#groups.values()) it.processes.delete(pid);
  }

  /** Everything, to compare. */
  dump(): unknown {
    return [...this.#groups].map(([path, it]) => [
      path,
      [...it.delegated],
      [...it.processes],
      [...it.values],
    ]);
  }

  #group(path: string): Group {
    const found = this.#groups.get(path);
    if (found === undefined) throw fault('ENOENT', path);
    return found;
  }
}

function group(controllers: readonly string[]): Group {
  return {
    controllers,
    delegated: new Set(),
    processes: new Set(),
    values: new Map(controllers.flatMap((it) => Object.entries(values[it] ?? {}))),
  };
}

function fault(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
