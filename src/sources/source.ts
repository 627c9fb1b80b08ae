import type { OpenEgress } from '../environment/installer-network.js';
import type { PackageSources } from '../environment/package-need.js';
import type { NetworkHost } from '../model/permissions.js';
import type { LockedSource, RegistrySource } from '../model/source.js';
import type { HttpClient } from '../net/http-client.js';
import type { PythonCache } from '../sandbox/interpreter.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { ContentStore } from './content-store.js';

/** What acquiring a source needs. */
export interface SourceServices {
  readonly store: ContentStore;
  readonly http: HttpClient;
  /** Hosts on loopback or private addresses that the operator granted. */
  readonly granted: readonly NetworkHost[];
  /** Hosts that the operator denied. */
  readonly denied: readonly NetworkHost[];
  /** PEM text of certificate authorities that are trusted besides those of the system. */
  readonly ca?: string | undefined;
  readonly sandbox: Sandbox;
  readonly openEgress: OpenEgress;
  /** The configured registry of npm and index of pip. */
  readonly indexes: PackageSources;
  /** The registries that the operator configured; undefined: none. */
  readonly registries?: RegistryReader | undefined;
  /** For git and the installers. Must be reachable for the user of sandboxed processes; only the host writes to it. */
  readonly buildFolder: string;
  /** A short unique name. */
  readonly newName: () => string;
  /** A short path for a socket. Default: in the build folder. */
  readonly newSocket?: (() => string) | undefined;
  /** Times in milliseconds. Defaults: 30 s without a byte, 15 minutes for one download. */
  readonly timeouts?: { readonly idleMs?: number; readonly totalMs?: number } | undefined;
  /** The Node that the host runs on, for npm. */
  readonly node: { readonly path: string; readonly version: string };
  /** The home folder, where other versions of Python may be. */
  readonly home: string;
  /** What was found there and elsewhere on this machine by earlier searches. */
  readonly pythons: PythonCache;
}

export interface AcquireOptions {
  readonly services: SourceServices;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: SourceProgress) => void) | undefined;
}

/** One step of acquiring a source. The same step is reported again while its bytes arrive. */
export interface SourceProgress {
  readonly step: 'resolve' | 'download' | 'unpack' | 'store';
  /** What the step works on, such as a host or a file. */
  readonly detail: string;
  readonly bytes?: number;
  /** Unknown if the server does not say. */
  readonly totalBytes?: number;
}

/** Something about a source that a person should know. */
export interface SourceNote {
  /**
   * `moved`: a tag now means something else than the lock says; the lock was followed. `yanked`: the authors withdrew this
   * version. `expired`: the copy of the registry is old. `deprecated`: the authors advise against it. `converted`: a manifest was made from the files of the tree.
   */
  readonly code: 'moved' | 'yanked' | 'expired' | 'deprecated' | 'converted';
  readonly text: string;
}

/** A source whose files are in the content store. */
export interface AcquiredSource {
  readonly locked: LockedSource;
  /** The digest of the tree in the content store. */
  readonly tree: string;
  /** Its folder on this machine, read-only. */
  readonly folder: string;
  /** Size of all files. */
  readonly bytes: number;
  readonly notes: readonly SourceNote[];
  /** True: the source names a tag, which should always mean the same. */
  readonly isTag?: boolean;
}

export type LockedRegistry = Extract<LockedSource, { kind: 'registry' }>;

/** A release that its registry vouches for. */
export interface RegistryRelease {
  readonly version: string;
  /** Of its archive. */
  readonly sha256: string;
  readonly notes: readonly SourceNote[];
  /** Copies the archive to a path, checked. */
  fetch(target: string): Promise<void>;
}

/** The registries of the operator. */
export interface RegistryReader {
  /**
   * What a name and range mean now. Withdrawn releases are found only for a source that is locked to them; releases under
   * quarantine never.
   */
  find(source: RegistrySource | LockedRegistry, signal: AbortSignal): Promise<RegistryRelease>;
}
