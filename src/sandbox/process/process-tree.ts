import { readdirSync, readFileSync, statfsSync, writeFileSync } from 'node:fs';

const tmpfsType = 0x01021994;

/** The process and all its descendants. Every thread has its own list of children. */
export function processTree(root: number): number[] {
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
 * Memory in use, in bytes. Forked processes share most of their memory, so the cheap sum (RSS) counts too much. Only if
 * it exceeds the limit, the exact sum (PSS) is read, which is slow.
 */
export function memoryUsage(processes: readonly number[], limit: number): number {
  const sum = total(processes, residentBytes);
  return sum <= limit ? sum : total(processes, proportionalBytes);
}

function residentBytes(pid: number): number {
  return Number(read(`/proc/${pid}/statm`).split(' ')[1] ?? 0) * pageSize();
}

/** A constant of the machine. */
let knownPageSize: number | undefined;

/** 4 KiB on most machines, 64 KiB on some arm64 kernels. The kernel passes it to every program in auxv. */
function pageSize(): number {
  if (knownPageSize !== undefined) return knownPageSize;
  const auxv = readFileSync('/proc/self/auxv');
  const pageSizeKey = 6n;
  knownPageSize = 4096;
  for (let at = 0; at + 16 <= auxv.length; at += 16)
    if (auxv.readBigUInt64LE(at) === pageSizeKey) knownPageSize = Number(auxv.readBigUInt64LE(at + 8));
  return knownPageSize;
}

function proportionalBytes(pid: number): number {
  const found = /^Pss:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`));
  return found === null ? residentBytes(pid) : Number(found[1]) * 1024;
}

/**
 * Number of files in a private tmpfs of the sandbox, as a process inside sees it. Null while the tmpfs is not mounted
 * yet: until then the path leads to a folder of the machine, which has another size.
 */
export function countFiles(folder: string, pid: number, sizeBytes: number): number | null {
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
 * Makes the process the first victim of the OOM killer. Some memory is not visible in any process: a shared mapping
 * keeps its pages after every process unmapped them.
 */
export function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It exited or changed its user; the setting still applies to the other processes.
  }
}

function total(processes: readonly number[], bytesOf: (pid: number) => number): number {
  return processes.reduce((sum, it) => sum + bytesOf(it), 0);
}

/** Empty if the process has exited, which can happen at any time. */
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
