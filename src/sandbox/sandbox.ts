import type { Readable, Writable } from 'node:stream';

/** A folder of this machine that a confined process sees. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

/** Bounds that the kernel holds for every process inside. Time and output are watched by whoever runs it. */
export interface Limits {
  readonly cpuSeconds: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Address space in bytes; null where the runtime reserves more than it uses. */
  readonly memoryBytes: number | null;
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
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly Mount[];
  readonly limits: Limits;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
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
  probe(): Promise<Verdict>;
  spawn(command: SandboxCommand): SandboxProcess;
  /** Who confined processes are on this machine; what they read must be readable to it. */
  readonly user: { readonly uid: number; readonly gid: number };
}
