import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFileLater } from '../files/atomic-file.js';
import { HostError } from '../model/host-error.js';
import { tryParseStored } from '../model/json.js';
import type { EnvironmentLock } from '../model/lock-file.js';
import { isPassable } from '../sandbox/path-access.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { type BuildSandbox, openBuildSandbox, removeAbandonedBuilds } from './build-sandbox.js';
import { environmentLockOf, lockFor } from './environment-lock.js';
import { makeFolderWithMode, moveTree } from './file-tree.js';
import type { OpenEgress } from './installer-network.js';
import { installNpm, type ResolvedNpm, resolveNpm } from './npm.js';
import { type NpmLock, readNpmLock, readNpmManifest, skippedScripts } from './npm-lock.js';
import type { InstalledPackages, PackageNeed, PackageSources } from './package-need.js';
import { type FetchedWheels, fetchLocked, installWheels, resolveWheels } from './pip.js';
import { shareWork } from './shared-work.js';
import { sortedJson, sortedJsonDigest } from './sorted-json.js';
import { checkRequirements, readWheelLock, type WheelLock } from './wheel.js';

export interface PrepareOptions {
  readonly signal: AbortSignal;
  /** Called when a step starts. */
  readonly onStep?: ((name: string) => void) | undefined;
}

/** Installed language packages: resolved once, locked by hash, and shared by all programs with the same lock. */
export interface EnvironmentStore {
  /** What is already installed; undefined if it is not. */
  find(need: PackageNeed): InstalledPackages | undefined;
  prepare(need: PackageNeed, options: PrepareOptions): Promise<InstalledPackages>;
  /** Where `prepare` records what it installs: its lock, or the folder if the lock comes with the package. */
  place(need: PackageNeed): string;
  /** The lock of a need, if it was resolved. Undefined also if the lock comes with the package. */
  lockOf(need: PackageNeed): EnvironmentLock | undefined;
  /**
   * Takes over the lock of a need that was resolved elsewhere, so that `prepare` installs exactly that. Throws
   * `integrity` if there is none for this platform, or if something else is installed here already.
   */
  useLock(need: PackageNeed, locks: readonly EnvironmentLock[]): Promise<void>;
  /** npm packages whose install scripts did not run; empty if it is not installed. */
  skippedScripts(need: PackageNeed): readonly string[];
  /** Removes what was installed at a place, and what a killed process left. Packages that others use stay. */
  remove(places: readonly string[]): Promise<void>;
}

export interface EnvironmentOptions {
  /** Must be reachable for the user of sandboxed processes; only the host writes to it. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly sources: PackageSources;
  readonly openEgress: OpenEgress;
  /** A short unique name. */
  readonly newName: () => string;
  /** A short path for a socket (socket paths have a length limit). Default: in the folder of the build. */
  readonly newSocket?: () => string;
  /** Folder with additional certificate authorities; undefined if there are none now. */
  readonly certificateFolder?: () => string | undefined;
}

type Lock = WheelLock | NpmLock;

/** Part of the lock, because the folder may move to another machine where these wheels do not run. */
const platform = `${process.platform}-${process.arch}`;

export function environmentStore(options: EnvironmentOptions): EnvironmentStore {
  const { folder, sandbox, sources, newName } = options;
  const locks = join(folder, 'locks');
  const installed = join(folder, 'installed');
  const building = join(folder, 'building');
  const share = shareWork<InstalledPackages>();

  const folderOf = (lock: Lock) => join(installed, `${lock.language}-${sortedJsonDigest(lock)}`);
  const lockPath = (need: PackageNeed) => join(locks, `${keyOf(need)}.json`);

  const install = async (need: PackageNeed, signal: AbortSignal, onStep: (name: string) => void) => {
    await makeFolders();
    await removeAbandonedBuilds(building);
    const build = await openBuildSandbox({ ...options, folder: building, name: newName() }, signal);
    try {
      const known = knownLock(need, lockPath(need));
      const { lock, newFolder } = await lockAndInstall(need, known, build, onStep);
      if (newFolder !== undefined) await moveTree(folderOf(lock), newFolder);
      return { folder: folderOf(lock), language: need.language };
    } finally {
      await build.close();
    }
  };

  /** The lock, and a new folder if it is not installed yet. */
  const lockAndInstall = async (
    need: PackageNeed,
    known: Lock | undefined,
    build: BuildSandbox,
    onStep: (name: string) => void,
  ): Promise<{ lock: Lock; newFolder: string | undefined }> => {
    const storeLock = async (lock: Lock) => {
      if (known === undefined) await replaceFileLater(lockPath(need), sortedJson(lock));
    };
    if (need.language === 'python') {
      const context = { interpreter: need.interpreter, platform, sandbox, sources, build };
      onStep(known === undefined ? 'resolve Python packages' : 'download Python packages');
      const fetched: FetchedWheels =
        known?.language === 'python'
          ? await fetchLocked(known, context)
          : await resolveWheels(need.requirements, context);
      await storeLock(fetched.lock);
      if (existsSync(folderOf(fetched.lock))) return { lock: fetched.lock, newFolder: undefined };
      onStep('install Python packages');
      return { lock: fetched.lock, newFolder: await installWheels(fetched, context) };
    }
    const context = { interpreter: need.interpreter, sandbox, sources, build };
    let lock = known?.language === 'node' ? known : undefined;
    let archives: ResolvedNpm['archives'] | undefined;
    if (lock === undefined) {
      onStep('resolve npm packages');
      const manifest = readNpmManifest(need.manifest, false);
      const resolved = await resolveNpm(manifest, context);
      archives = resolved.archives;
      lock = npmLock(need, manifest, resolved.lock);
      await storeLock(lock);
    }
    if (existsSync(folderOf(lock))) return { lock, newFolder: undefined };
    onStep('install npm packages');
    return { lock, newFolder: await installNpm(lock, context, archives) };
  };

  const makeFolders = async () => {
    await mkdir(folder, { recursive: true });
    if (!isPassable(folder, sandbox.user)) {
      throw new HostError(
        'state_unusable',
        `sandboxed processes run as user ${sandbox.user.uid}, who cannot reach ${folder}, the folder for language packages`,
        { hint: 'choose a folder that other users can enter, or run Toolwharf as a user who is not root' },
      );
    }
    makeFolderWithMode(locks, 0o700);
    makeFolderWithMode(installed, 0o755);
    makeFolderWithMode(building, 0o711);
  };

  const find = (need: PackageNeed): InstalledPackages | undefined => {
    const lock = knownLock(check(need), lockPath(need));
    if (lock === undefined || !existsSync(folderOf(lock))) return undefined;
    return { folder: folderOf(lock), language: need.language };
  };

  /** The folder that a lock in this file stands for. */
  const installedFrom = async (path: string): Promise<string | undefined> => {
    if (dirname(path) === installed) return path;
    const text = await readFile(path, 'utf8').catch(() => undefined);
    const lock = text === undefined ? undefined : (tryParseStored(text) as Lock | undefined);
    return lock === undefined ? undefined : folderOf(lock);
  };

  return {
    find,
    skippedScripts(need) {
      const lock = find(need) === undefined ? undefined : knownLock(need, lockPath(need));
      return lock?.language === 'node' ? skippedScripts(lock) : [];
    },
    place(need) {
      const ownLock = comesWithPackage(need) ? knownLock(need, '') : undefined;
      return ownLock === undefined ? lockPath(need) : folderOf(ownLock);
    },
    lockOf(need) {
      const lock = comesWithPackage(need) ? undefined : knownLock(check(need), lockPath(need));
      return lock === undefined ? undefined : environmentLockOf(need, lock);
    },
    async useLock(need, locks) {
      if (comesWithPackage(check(need))) return;
      const wanted = lockFor(need, platform, locks);
      const known = knownLock(need, lockPath(need));
      if (known === undefined) {
        await makeFolders();
        await replaceFileLater(lockPath(need), sortedJson(wanted));
        return;
      }
      const [here, there] = [known, wanted].map(sortedJsonDigest);
      if (here !== there)
        throw new HostError(
          'integrity',
          `its language packages are locked as ${here} on this machine, not as ${there}`,
          { hint: 'remove the packages that use them, or save the lock file again with --save' },
        );
    },
    async remove(places) {
      const inside = places.filter((it) => dirname(it) === locks || dirname(it) === installed);
      const folders = new Set<string>();
      for (const it of inside) {
        const found = await installedFrom(it);
        if (found !== undefined) folders.add(found);
      }
      const removed: string[] = [];
      for (const name of await readdir(locks).catch(() => [])) {
        const path = join(locks, name);
        // A lock, or what a killed host left of writing it.
        const isOf = (it: string) => it === path || path.startsWith(`${it}.toolwharf-`);
        const used = inside.some(isOf) ? undefined : await installedFrom(path);
        if (used !== undefined) folders.delete(used);
        if (inside.some(isOf)) removed.push(path);
      }
      // Moved away first, and the locks last: after a crash in between, a repetition still finds everything.
      for (const it of folders) {
        if (!existsSync(it)) continue;
        await chmod(it, 0o755);
        await rename(it, join(building, `${process.pid}.${newName()}`));
      }
      for (const it of removed) await rm(it, { force: true });
      await removeAbandonedBuilds(building);
    },
    async prepare(need, { signal, onStep }) {
      const installedPackages = find(need);
      if (installedPackages !== undefined) return installedPackages;
      return share(
        keyOf(need),
        (sharedSignal, onSharedStep) => install(need, sharedSignal, onSharedStep),
        signal,
        onStep,
      );
    },
  };
}

function comesWithPackage(need: PackageNeed): boolean {
  return need.language === 'node' && need.lock !== null;
}

function check(need: PackageNeed): PackageNeed {
  if (need.language === 'python') checkRequirements(need.requirements);
  return need;
}

/** Equal requirements have equal keys, so that they are resolved only once. */
function keyOf(need: PackageNeed): string {
  if (need.language === 'python') {
    return sortedJsonDigest({
      requirements: [...new Set(need.requirements)].sort(),
      python: need.interpreter.version,
      platform,
    });
  }
  return sortedJsonDigest({
    manifest: readNpmManifest(need.manifest, need.lock !== null),
    lock: need.lock === null ? null : readNpmLock(need.lock),
    major: majorOf(need.interpreter.version),
    platform,
    ...(need.scripts === undefined ? {} : { scripts: [...need.scripts].sort() }),
  });
}

/** The lock that came with the package, or else the stored one. */
function knownLock(need: PackageNeed, path: string): Lock | undefined {
  if (need.language === 'node' && need.lock !== null)
    return npmLock(need, readNpmManifest(need.manifest, true), readNpmLock(need.lock));
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const lock = parseLock(text, need);
  if (lock !== undefined) return lock;
  throw new HostError('state_unusable', `the lock of language packages at ${path} is damaged`, {
    hint: 'restore it; if you delete it, packages are resolved again without the agreed hashes',
  });
}

function parseLock(text: string, need: PackageNeed): Lock | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (need.language === 'python') return readWheelLock(value);
    const lock = (value as Partial<NpmLock>).lock;
    return npmLock(
      need,
      readNpmManifest(need.manifest, false),
      readNpmLock(new TextEncoder().encode(JSON.stringify(lock))),
    );
  } catch {
    return undefined;
  }
}

function npmLock(need: PackageNeed, manifest: NpmLock['manifest'], lock: NpmLock['lock']): NpmLock {
  const scripts =
    need.language === 'node' && need.scripts !== undefined ? { scripts: [...need.scripts].sort() } : {};
  return { language: 'node', major: majorOf(need.interpreter.version), platform, manifest, lock, ...scripts };
}

function majorOf(version: string): number {
  return Number(version.split('.')[0]);
}
