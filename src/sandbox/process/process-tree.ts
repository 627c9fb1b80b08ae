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

/** What one process uses, in bytes, as /proc/PID/status shows it. */
interface ProcessMemory {
  /** Resident pages, swapped pages and page tables. */
  readonly all: number;
  /** Pages of shared memory and of files in a tmpfs; a part of `all`. */
  readonly shared: number;
}

/**
 * Memory in use, in bytes, with page tables and swapped pages. Forked processes share most of their memory, so the cheap
 * sum (RSS) counts too much. Only if it exceeds the limit, the exact sum (PSS) is read, which is slow. `privateFiles` is
 * the content of the private folders; mapped files of them are counted once.
 */
export function memoryUsage(processes: readonly number[], limit: number, privateFiles = 0): number {
  const sum = total(processes.map(statusMemory), privateFiles);
  return sum <= limit ? sum : total(processes.map(exactMemory), privateFiles);
}

function total(processes: readonly ProcessMemory[], privateFiles: number): number {
  const all = processes.reduce((sum, it) => sum + it.all, 0);
  const shared = processes.reduce((sum, it) => sum + it.shared, 0);
  return all - shared + Math.max(shared, privateFiles);
}

function statusMemory(pid: number): ProcessMemory {
  const status = read(`/proc/${pid}/status`);
  const all = kibibytes(status, 'VmRSS') + kibibytes(status, 'VmPTE') + kibibytes(status, 'VmSwap');
  return { all, shared: kibibytes(status, 'RssShmem') };
}

function exactMemory(pid: number): ProcessMemory {
  const exact = read(`/proc/${pid}/smaps_rollup`);
  // Without the exact numbers, the ones that count too much.
  if (!exact.includes('\nPss:')) return statusMemory(pid);
  const tables = kibibytes(read(`/proc/${pid}/status`), 'VmPTE');
  const all = kibibytes(exact, 'Pss') + kibibytes(exact, 'SwapPss') + tables;
  return { all, shared: kibibytes(exact, 'Pss_Shmem') };
}

/** Bytes of a "Name:  123 kB" line. Kernel threads and processes that have exited have none: 0. */
function kibibytes(text: string, name: string): number {
  const at = text.indexOf(`\n${name}:`);
  return at < 0 ? 0 : Number.parseInt(text.slice(at + name.length + 2, at + name.length + 32), 10) * 1024;
}

/** Size and number of files of a private folder. */
export interface FolderUsage {
  readonly files: number;
  readonly bytes: number;
}

/**
 * What a private tmpfs of the sandbox contains, as a process inside sees it. Null while the tmpfs is not mounted yet:
 * until then the path leads to a folder of the machine, which has another size.
 */
export function folderUsage(folder: string, pid: number, sizeBytes: number): FolderUsage | null {
  try {
    const found = statfsSync(`/proc/${pid}/root${folder}`);
    const size = Math.ceil(sizeBytes / found.bsize) * found.bsize;
    if (found.type !== tmpfsType || found.blocks * found.bsize !== size) return null;
    return { files: found.files - found.ffree, bytes: (found.blocks - found.bfree) * found.bsize };
  } catch {
    return null;
  }
}

/**
 * Makes the process, and those that it starts later, the first victims of the OOM killer. Memory of the kernel for a
 * process, such as the buffers of sockets, is not counted for it when the kernel chooses.
 */
export function preferForOomKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It exited or changed its user; the setting still applies to the other processes.
  }
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
