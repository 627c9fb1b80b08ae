// Installed packages, as data. A generation is one version of a package with everything that was agreed for it.
import type { Package } from './package.js';
import type { Program, Runtime } from './program.js';
import type { LockedSource } from './source.js';

/** What the ranges of a manifest were resolved to. */
export interface InstallLock {
  /** The exact version of the pip or npm package that the manifest installs. */
  readonly version?: string;
  /** The image with its digest. */
  readonly image?: string;
  /** The versions of interpreters that the hints of its programs were resolved to, such as `3.11` for python. */
  readonly runtimes?: Readonly<Partial<Record<Runtime['language'], string>>>;
  /** Where the code came from that the manifest gets from git or a URL. Its files are part of the tree. */
  readonly code?: LockedSource;
}

/** The last result of a smoke test. `none`: the package has no smoke test. */
export interface SmokeResult {
  readonly status: 'passed' | 'failed' | 'skipped' | 'none';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Why it failed, in the words of the tool where it said something. */
  readonly detail?: string;
}

/** Whether a generation that replaced another one starts. */
export interface GenerationTrial {
  /** `open`: no start succeeded yet. `failed`: no start succeeded, and the host went back to an earlier generation. */
  readonly state: 'open' | 'failed';
  /** Failed starts. */
  readonly failures: number;
  /** Why the last start failed. Absent: none failed. */
  readonly reason?: string;
  /** When the state began; milliseconds since 1970. */
  readonly at: number;
}

/** A newer generation that never started. */
export interface FailedUpdate {
  readonly generation: number;
  readonly version: string;
  readonly trial: GenerationTrial;
}

/** One version of an installed package on disk. It never changes, except for its last smoke result and its trial. */
export interface Generation {
  readonly package: string;
  /** Counts from 1 for each package. */
  readonly number: number;
  readonly version: string;
  /** The source as it was written. */
  readonly source: string;
  readonly locked: LockedSource;
  /** Digest of its files in the content store. */
  readonly tree: string;
  /** Path of the manifest in the tree. */
  readonly manifest: string;
  /** Digest of the package, its files and its lock. */
  readonly digest: string;
  /** Digest of the plan that was agreed to. */
  readonly plan: string;
  readonly lock: InstallLock;
  /** What the operator granted in addition to the manifest, in the syntax of `--allow`. */
  readonly grants: readonly string[];
  /** Folders and files with language packages that it uses. */
  readonly environments: readonly string[];
  readonly images: readonly string[];
  readonly smoke: SmokeResult;
  /** Null: it replaced no other generation, or a start succeeded. */
  readonly trial: GenerationTrial | null;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly createdBy: string;
}

/** One installed package. `revoking`: it is not served any more, but its kill switch has not succeeded yet. */
export interface Installation {
  readonly package: string;
  /** Number of the generation that is served. */
  readonly current: number;
  readonly state: 'active' | 'revoking';
  /** Served only to sessions with one of these workspaces, sorted. Null: to all. */
  readonly roots: readonly string[] | null;
  readonly installedAt: number;
}

/** The package with its ranges replaced by what they were resolved to, so that its digest covers the lock. */
export function withInstallLock(declared: Package, { version, image, runtimes }: InstallLock): Package {
  const pkg = runtimes === undefined ? declared : withRuntimes(declared, runtimes);
  const { install } = pkg;
  if ((install.kind === 'pip' || install.kind === 'npm') && version !== undefined)
    return {
      ...pkg,
      // A manifest without a version has that of what it installs.
      version: pkg.version === '0.0.0' ? version : pkg.version,
      install: { ...install, version },
    };
  if (install.kind === 'container' && image !== undefined)
    return {
      ...pkg,
      install: { ...install, image },
      programs: pkg.programs.map((it) =>
        it.target.kind === 'container' && it.target.image === install.image
          ? { ...it, target: { ...it.target, image } }
          : it,
      ),
    };
  return pkg;
}

function withRuntimes(pkg: Package, locked: NonNullable<InstallLock['runtimes']>): Package {
  const programs = pkg.programs.map((it): Program => {
    const { target } = it;
    const runtime = target.kind === 'process' ? target.runtime : undefined;
    const version = runtime?.mustFit === true ? locked[runtime.language] : undefined;
    if (target.kind !== 'process' || runtime === undefined || version === undefined) return it;
    return { ...it, target: { ...target, runtime: { ...runtime, version } } };
  });
  return { ...pkg, programs };
}
