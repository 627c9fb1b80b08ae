import type { Readable, Writable } from 'node:stream';

/** A file or folder of this machine that a sandboxed process can see. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/** Limits for each process of a sandbox, or for all of them together. */
export interface SandboxLimits {
  /** Per process. The caller limits wall time and output. */
  readonly cpuSeconds: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Memory in use by all processes of the sandbox together. */
  readonly memoryBytes: number;
  /** Size of the private /tmp, and maximum size of each file that a process writes. */
  readonly diskBytes: number;
}

export const defaultSandboxLimits: SandboxLimits = Object.freeze({
  cpuSeconds: 60,
  processes: 64,
  openFiles: 256,
  memoryBytes: 1024 * 1024 * 1024,
  diskBytes: 64 * 1024 * 1024,
});

/** One process to run in the sandbox. It gets nothing of the host's environment, files or network by default. */
export interface SandboxCommand {
  /** The first one is an absolute path inside the sandbox. */
  readonly argv: readonly string[];
  /** Absolute, inside the sandbox. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The mount of an inner folder counts more than that of an outer one; of two at the same path, the last one counts. */
  readonly mounts: readonly Mount[];
  /** Hidden paths inside the mounts: folders appear empty, files cannot be opened. */
  readonly hidden: readonly string[];
  /** Hidden paths whose folders are not fixed in their place, see `MountPlan`. Default: none. */
  readonly unanchored?: readonly string[] | undefined;
  readonly limits: SandboxLimits;
  /** Whether to limit each process's address space too; false for runtimes that reserve more than they use (Node). */
  readonly limitAddressSpace: boolean;
  /** Socket of the egress proxy on this machine; null: no network access. */
  readonly egress: string | null;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Set if the process was killed because the whole sandbox exceeded a limit. */
  readonly exceeded?: 'memory' | 'files';
}

export interface SandboxProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has exited and its streams are closed. */
  readonly exited: Promise<ProcessExit>;
  /** Kills the process and all its descendants. */
  kill(): void;
}

/** What a sandbox really enforces on this machine, tested from inside. */
export type ProbeResult =
  | { readonly level: 'enforced' }
  | { readonly level: 'degraded'; readonly reasons: readonly string[]; readonly hint?: string }
  | { readonly level: 'unavailable'; readonly reasons: readonly string[]; readonly hint: string };

export interface ProbeOptions {
  /** The caller only shows the result and starts nothing: a recent result of an unchanged machine is enough. Default: false. */
  readonly onlyShown?: boolean;
}

export interface Sandbox {
  readonly name: string;
  /** False if the operator chose to run processes without a sandbox. */
  readonly isolates: boolean;
  /** Tests from inside what the sandbox enforces. */
  probe(options?: ProbeOptions): Promise<ProbeResult>;
  spawn(command: SandboxCommand): SandboxProcess;
  /** The path of a mount for the process: the target, or the source if there are no mounts. */
  inside(mount: Mount): string;
  /** User and group of sandboxed processes; files that they use must be readable for it. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Ends what waits for the next process. Processes of commands are not touched. */
  close?(): void;
}
