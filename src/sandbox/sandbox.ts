import type { Readable, Writable } from 'node:stream';

/** A folder of this machine that a confined process sees. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/** Bounds that hold for every process inside, and for all of them together. */
export interface Limits {
  /** Of one process. Wall time and output are watched by whoever runs it. */
  readonly cpuSeconds: number;
  readonly processes: number;
  readonly openFiles: number;
  /** All processes of the sandbox together, as far as their memory is in use. */
  readonly memoryBytes: number;
  /** Size of the private /tmp, and of any file the process writes. */
  readonly diskBytes: number;
}

export const defaultLimits: Limits = Object.freeze({
  cpuSeconds: 60,
  processes: 64,
  openFiles: 256,
  memoryBytes: 1024 * 1024 * 1024,
  diskBytes: 64 * 1024 * 1024,
});

/** One process to run confined. Nothing of the host's environment, files or network comes with it. */
export interface SandboxCommand {
  /** The first is an absolute path inside the sandbox. */
  readonly argv: readonly string[];
  /** Absolute, inside the sandbox. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Laid over each other in this order. */
  readonly mounts: readonly Mount[];
  /** Paths inside the mounts that are not to be seen: folders look empty, files cannot be opened. */
  readonly hidden: readonly string[];
  readonly limits: Limits;
  /** Whether each process's address space is bound too; runtimes that reserve more than they use cannot be. */
  readonly boundAddressSpace: boolean;
  /** Socket of the egress proxy on this machine; null leaves no way out at all. */
  readonly egress: string | null;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set when a limit on the whole sandbox ended it. */
  readonly exceeded?: 'memory' | 'files';
}

export interface SandboxProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process and its descriptors are gone. */
  readonly exited: Promise<Exit>;
  /** Ends the process and everything it started. */
  kill(): void;
}

/** What a sandbox really holds on this machine, found out by trying from inside. */
export type Verdict =
  | { readonly level: 'enforced' }
  | { readonly level: 'degraded'; readonly reasons: readonly string[] }
  | { readonly level: 'unavailable'; readonly reasons: readonly string[]; readonly hint: string };

export interface Sandbox {
  readonly name: string;
  /** False where somebody asked for processes to run without confinement. */
  readonly confines: boolean;
  probe(): Promise<Verdict>;
  spawn(command: SandboxCommand): SandboxProcess;
  /** Where a process will find what is mounted: the target, or the source where there are no mounts. */
  inside(mount: Mount): string;
  /** Who confined processes are on this machine; what they read must be readable to it. */
  readonly user: { readonly uid: number; readonly gid: number };
}
