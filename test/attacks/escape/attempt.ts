import type { Limits, Mount } from '../../../src/sandbox/sandbox.js';

export type Language = 'python' | 'node' | 'shell';

/** One thing that the sandbox is made of. */
export type Layer =
  | 'system call filter'
  | 'covers over key material'
  | 'read-only root'
  | 'read-only /dev'
  | Bound;

/** A limit that the control has plenty of. */
export type Bound =
  | 'bound on processes'
  | 'bound on memory'
  | 'bound on the disk'
  | 'bound on time'
  | 'bound on files';

/** What shows that an attempt would succeed if nobody stopped it. */
export type Control =
  | { readonly kind: 'unconfined' }
  /** The same sandbox with exactly one layer less. */
  | { readonly kind: 'without'; readonly layer: Layer }
  /** Nobody without privileges can do it anywhere; tried, listed and not counted. */
  | { readonly kind: 'none'; readonly reason: string };

/** A folder that a run is lent, made anew for each. */
export interface Workspace {
  readonly writable: boolean;
  /** Paths below the folder that must not be seen. */
  readonly hidden?: readonly string[];
  /** A second view of the same folder. */
  readonly also?: (root: string) => Mount;
}

/** What attempts aim at; everything in it belongs to the test. */
export interface Place {
  /** Everybody on the machine may read it. */
  readonly secret: string;
  /** A private key that only the user of confined processes may read. */
  readonly key: string;
  /** A folder of packages, one of which is lent. */
  readonly packages: string;
  /** The host's own files. */
  readonly state: string;
  /** A folder that everybody may write to. */
  readonly open: string;
  readonly port: number;
  readonly port6: number;
  readonly datagramPort: number;
  readonly victim: Victim;
  /** Files that only root can make; null for others. */
  readonly special: { readonly device: string; readonly setUser: string } | null;
}

/** A process of the same user outside that has things worth taking. */
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
  /** A script that prints REACHED when it got what it wanted. `root` is the workspace of this run. */
  readonly code: (place: Place, root: string) => string;
  /** Unconfined unless told. */
  readonly control?: Control;
  /** Why a machine may have nothing to attack; then the attempt is listed and not counted. */
  readonly mayBeAbsent?: string;
  readonly workspace?: Workspace;
  readonly mounts?: (place: Place) => readonly Mount[];
  readonly limits?: Partial<Limits>;
  /** Whether each process's address space is bound as well; it is for Python unless told. */
  readonly boundAddressSpace?: boolean;
  /** Environment of the host: the control has it, a confined process must not. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Something that takes more than one script to show; says what the control was, or why there is none. */
export interface Check {
  readonly name: string;
  readonly language: Language;
  readonly run: () => Promise<string | { readonly reason: string }>;
}

export const without = (layer: Layer): Control => ({ kind: 'without', layer });
export const noControl = (reason: string): Control => ({ kind: 'none', reason });

/** A value as it is written in all three languages. */
export const quoted = (text: string): string => JSON.stringify(text);
