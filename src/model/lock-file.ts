// `toolwharf.lock`: what a project uses, exactly. People commit it, so it has no secrets and no paths of one machine.
import type { InstallLock } from './installation.js';
import { canonicalJson, type Json, type JsonObject } from './json.js';
import type { Plan } from './plan.js';
import type { LockedSource } from './source.js';

/** Its name in the root of a project. */
export const lockFileName = 'toolwharf.lock';

export const lockFileSchema = 'toolwharf/lock@1';

/** What a project uses (`lock@1`). It is never an agreement: everyone who can change the project can write it. */
export interface LockFile {
  /** Sorted by id. */
  readonly packages: readonly LockedPackage[];
}

/** One package of a lock file. Paths start at the root of the project, and stay inside it. */
export interface LockedPackage {
  readonly id: string;
  readonly version: string;
  /** The source as it was written. */
  readonly source: string;
  readonly locked: LockedSource;
  /** Digest of its files. */
  readonly tree: string;
  /** Path of the manifest in the tree. */
  readonly manifest: string;
  /** Digest of the package. */
  readonly digest: string;
  /** What the package asks for, in the syntax of `--allow`. */
  readonly requires: readonly string[];
  /** What was granted besides. */
  readonly grants: readonly string[];
  readonly lock: InstallLock;
  /** Language packages, one lock for each combination of platform and language version that somebody saved. */
  readonly environments: readonly EnvironmentLock[];
}

/** The exact language packages of a program. */
export interface EnvironmentLock {
  /** What the program asks for, sorted. Empty for Node: its package.json is part of the lock. */
  readonly requirements: readonly string[];
  /** With the language, its version, the platform, and every package with its hash. */
  readonly lock: JsonObject;
}

/** What restoring a lock file would do. */
export interface LockPlan {
  /** Absolute path of the lock file. */
  readonly file: string;
  /** Digest of what the lock file says. Agreeing to it installs exactly that. */
  readonly digest: string;
  /** Installed already, exactly as the lock file says. */
  readonly unchanged: readonly UnchangedPackage[];
  /** One for each of the other packages. */
  readonly plans: readonly Plan[];
}

export interface UnchangedPackage {
  readonly package: string;
  readonly version: string;
  readonly generation: number;
}

/** The file as text: always the same for the same content, with one member per line. */
export function lockFileText({ packages }: LockFile): string {
  const sorted = [...packages].sort((a, b) => (a.id < b.id ? -1 : 1));
  const ordered = JSON.parse(canonicalJson(sorted as unknown as Json)) as Json;
  return `${JSON.stringify({ schema: lockFileSchema, packages: ordered }, null, 2)}\n`;
}
