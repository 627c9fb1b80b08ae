import { readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';

const tmpfsType = 0x01021994;

/** All processes below one, and the one itself. Every thread has children of its own. */
export function processesBelow(root: number): number[] {
  const found: number[] = [];
  const left = [root];
  for (let pid = left.pop(); pid !== undefined; pid = left.pop()) {
    found.push(pid);
    for (const thread of listed(`/proc/${pid}/task`))
      for (const it of read(`/proc/${pid}/task/${thread}/children`).split(' '))
        if (it !== '') left.push(Number(it));
  }
  return found;
}

/**
 * Memory in use. Forked processes share most of theirs, so the cheap sum counts too much; only where that sum is
 * over the limit is the exact one asked for, which takes the kernel a while.
 */
export function memoryOf(processes: readonly number[], limit: number): number {
  const sum = total(processes, residentBytes);
  return sum <= limit ? sum : total(processes, proportionalBytes);
}

function residentBytes(pid: number): number {
  return Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageSize();
}

let knownPageSize: number | undefined;

/** Sixteen times larger on some arm64 kernels; told to every program at its start. */
function pageSize(): number {
  if (knownPageSize !== undefined) return knownPageSize;
  const notes = readFileSync('/proc/self/auxv');
  const pageSizeNote = 6n;
  knownPageSize = 4096;
  for (let at = 0; at + 16 <= notes.length; at += 16)
    if (notes.readBigUInt64LE(at) === pageSizeNote) knownPageSize = Number(notes.readBigUInt64LE(at + 8));
  return knownPageSize;
}

function proportionalBytes(pid: number): number {
  const found = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`));
  return found === null ? residentBytes(pid) : Number(found[1]) * 1024;
}

/**
 * Files in a private folder of the sandbox, through the eyes of a process inside. Null while the folder is not
 * mounted yet: until then the path leads to a folder of the machine, told apart by its size.
 */
export function filesIn(folder: string, pid: number, sizeBytes: number): number | null {
  try {
    const found = statfsSync(`/proc/${pid}/root${folder}`);
    const size = Math.ceil(sizeBytes / found.bsize) * found.bsize;
    if (found.type !== tmpfsType || found.blocks * found.bsize !== size) return null;
    return found.files - found.ffree;
  } catch {
    return null;
  }
}

/**
 * The first to go when the machine runs out of memory. There is memory that no look at a process shows: a shared
 * mapping keeps its pages after they were dropped from every process.
 */
export function offerToKernel(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It ended, or set itself up as somebody else; the others are offered.
  }
}

function total(processes: readonly number[], of: (pid: number) => number): number {
  return processes.reduce((sum, it) => sum + of(it), 0);
}

/** Empty when the process is gone: it ends whenever it likes. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function listed(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
