import type { LogHead } from '../log/log-head.js';
import type { RegistryTransport } from '../transport/registry-transport.js';

/** What was trusted before. `root` is the only thing that a person must provide. */
export interface TrustedFiles {
  readonly root: Buffer;
  readonly timestamp?: Buffer | undefined;
  readonly snapshot?: Buffer | undefined;
  /** The newest head of the log that was seen. */
  readonly head?: LogHead | undefined;
  /** The file of a role as it was trusted last; undefined: never read. */
  role(name: string): Buffer | undefined;
}

export interface ViewOptions {
  readonly transport: RegistryTransport;
  readonly trusted: TrustedFiles;
  /** Milliseconds since 1970; the same for the whole view. */
  readonly now: number;
  /** Whether expired files are used, with a note. Default: false. */
  readonly acceptExpired?: boolean | undefined;
}

/** What a client keeps after every check has passed. */
export interface NewTrust {
  readonly root: Buffer;
  readonly timestamp: Buffer;
  readonly snapshot: Buffer;
  readonly versions: Readonly<Record<'root' | 'timestamp' | 'snapshot', number>>;
  readonly head: LogHead;
  readonly roles: ReadonlyMap<string, { readonly version: number; readonly bytes: Buffer }>;
}
