import type { Mount, SandboxLimits } from '../../../../src/sandbox/sandbox.js';

export type Language = 'python' | 'node' | 'shell';

/** One part of the sandbox. */
export type Layer =
  | 'system call filter'
  | 'hidden key material'
  | 'read-only root'
  | 'read-only /dev'
  | Limit;

/** A limit that the control raises. */
export type Limit = 'process limit' | 'memory limit' | 'disk limit' | 'CPU time limit' | 'open file limit';

/** What shows that an attempt would succeed without the sandbox or one of its layers. */
export type Control =
  | { readonly kind: 'unconfined' }
  /** The same sandbox with exactly one layer less. */
  | { readonly kind: 'without'; readonly layer: Layer }
  /** Only privileged users could do it anywhere; it is tried and listed, but not counted. */
  | { readonly kind: 'none'; readonly reason: string };

/** A folder that is mounted for a run, created for each run. */
export interface Workspace {
  readonly writable: boolean;
  /** Paths below the folder that are hidden. */
  readonly hidden?: readonly string[];
  /** A second mount of the same folder. */
  readonly also?: (root: string) => Mount;
}

/** Targets of the attempts; all of them belong to the test. */
export interface Place {
  /** A file that every user of the machine may read. */
  readonly secret: string;
  /** A private key that only the user of confined processes may read. */
  readonly key: string;
  /** A folder of packages, one of which is mounted. */
  readonly packages: string;
  /** The host's own files. */
  readonly state: string;
  /** A folder that every user may write to. */
  readonly open: string;
  readonly port: number;
  readonly port6: number;
  readonly datagramPort: number;
  readonly victim: Victim;
  /** Files that only root can create; null if the test does not run as root. */
  readonly special: { readonly device: string; readonly setUser: string } | null;
}

/** A process of the same user outside the sandbox, with resources to attack. */
export interface Victim {
  readonly pid: number;
  readonly address: number;
  readonly sharedMemory: number;
  readonly queue: number;
  readonly semaphore: number;
  readonly abstract: string;
  readonly socket: string;
  readonly posixMemory: string;
}

export interface Attempt {
  readonly name: string;
  readonly language: Language;
  /** A script that prints REACHED if it succeeds. `root` is the workspace of this run. */
  readonly code: (place: Place, root: string) => string;
  /** Default: unconfined. */
  readonly control?: Control;
  /** Why a machine may lack the target; then the attempt is listed but not counted. */
  readonly mayBeAbsent?: string;
  readonly workspace?: Workspace;
  readonly mounts?: (place: Place) => readonly Mount[];
  readonly limits?: Partial<SandboxLimits>;
  /** Whether to limit each process's address space too. Default: true for Python. */
  readonly limitAddressSpace?: boolean;
  /** Environment of the host: the control has it, a sandboxed process must not. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** A check that needs more than one script; returns what the control was, or why there is none. */
export interface Check {
  readonly name: string;
  readonly language: Language;
  readonly run: () => Promise<string | { readonly reason: string }>;
}

export const without = (layer: Layer): Control => ({ kind: 'without', layer });
export const noControl = (reason: string): Control => ({ kind: 'none', reason });

/** A string literal that is valid in all three languages. */
export const quoted = (text: string): string => JSON.stringify(text);
