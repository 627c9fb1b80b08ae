import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { isPassable } from '../sandbox/access.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { canonical, digestOf } from './canonical.js';
import type { InstalledPackages, PackageNeed, PackageSources } from './need.js';
import { installNpm, resolveNpm } from './npm.js';
import { type NpmLock, readManifest, readNpmLock } from './npm-lock.js';
import { type Fetched, fetchLocked, installWheels, resolveWheels } from './pip.js';
import { shareWork } from './shared-work.js';
import type { OpenEgress } from './source.js';
import { makeFolder, moveInto, writeWhole } from './tree.js';
import { checkRequirements, readLock, type WheelLock } from './wheel.js';
import { openWorkshop, sweepWorkshops, type Workshop } from './workshop.js';

export interface PrepareOptions {
  readonly signal: AbortSignal;
  /** Told of each step as it begins. */
  readonly onStep?: ((name: string) => void) | undefined;
}

/** Language packages, resolved once, locked by hash, and shared by everybody with the same lock. */
export interface EnvironmentStore {
  /** What was installed before; starts nothing. */
  find(need: PackageNeed): InstalledPackages | undefined;
  prepare(need: PackageNeed, options: PrepareOptions): Promise<InstalledPackages>;
}

export interface EnvironmentOptions {
  /** Must be reachable for the sandbox's user; only the host writes below it. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  readonly indexes: PackageSources;
  readonly openEgress: OpenEgress;
  /** A short name that was never used before. */
  readonly newName: () => string;
  /** A path for a socket, which may not be long; beside what is being built unless told. */
  readonly newSocket?: () => string;
}

type Lock = WheelLock | NpmLock;

/** Wheels that run here may not run elsewhere, should the folder move to another machine. */
const platform = `${process.platform}-${process.arch}`;

export function environmentStore(options: EnvironmentOptions): EnvironmentStore {
  const { folder, sandbox, indexes, newName } = options;
  const locks = join(folder, 'locks');
  const installed = join(folder, 'installed');
  const building = join(folder, 'building');
  const share = shareWork<InstalledPackages>();

  const placeOf = (lock: Lock) => join(installed, `${lock.language}-${digestOf(lock)}`);
  const lockPath = (need: PackageNeed) => join(locks, `${keyOf(need)}.json`);

  const build = async (need: PackageNeed, signal: AbortSignal, onStep: (name: string) => void) => {
    await makeFolders();
    await sweepWorkshops(building);
    const workshop = await openWorkshop({ ...options, folder: building, name: newName() }, signal);
    try {
      const known = knownLock(need, lockPath(need));
      const { lock, made } = await make(need, known, workshop, onStep);
      if (made !== undefined) await moveInto(placeOf(lock), made);
      return { folder: placeOf(lock), language: need.language };
    } finally {
      await workshop.close();
    }
  };

  /** The lock, and a new folder where there was none for it yet. */
  const make = async (
    need: PackageNeed,
    known: Lock | undefined,
    workshop: Workshop,
    onStep: (name: string) => void,
  ): Promise<{ lock: Lock; made: string | undefined }> => {
    const keep = async (lock: Lock) => {
      if (known === undefined)
        await writeWhole(lockPath(need), canonical(lock), join(locks, `.${newName()}`));
    };
    if (need.language === 'python') {
      const place = { interpreter: need.interpreter, platform, sandbox, sources: indexes, workshop };
      onStep(known === undefined ? 'resolve Python packages' : 'fetch Python packages');
      const fetched: Fetched =
        known?.language === 'python'
          ? await fetchLocked(known, place)
          : await resolveWheels(need.requirements, place);
      await keep(fetched.lock);
      if (existsSync(placeOf(fetched.lock))) return { lock: fetched.lock, made: undefined };
      onStep('install Python packages');
      return { lock: fetched.lock, made: await installWheels(fetched, place) };
    }
    const place = { interpreter: need.interpreter, sandbox, sources: indexes, workshop };
    let lock = known?.language === 'node' ? known : undefined;
    if (lock === undefined) {
      onStep('resolve npm packages');
      const manifest = readManifest(need.manifest, false);
      lock = npmLock(need, manifest, await resolveNpm(manifest, place));
      await keep(lock);
    }
    if (existsSync(placeOf(lock))) return { lock, made: undefined };
    onStep('install npm packages');
    return { lock, made: await installNpm(lock, place) };
  };

  const makeFolders = async () => {
    await mkdir(folder, { recursive: true });
    if (!isPassable(folder, sandbox.user)) {
      throw new HostError(
        'state_unusable',
        `confined processes run as user ${sandbox.user.uid}, who cannot reach ${folder}, where language packages are kept`,
        { hint: 'choose a folder that other users can pass through, or run Toolwharf as an ordinary user' },
      );
    }
    await makeFolder(locks, 0o700);
    await makeFolder(installed, 0o755);
    await makeFolder(building, 0o711);
  };

  const find = (need: PackageNeed): InstalledPackages | undefined => {
    const lock = knownLock(check(need), lockPath(need));
    if (lock === undefined || !existsSync(placeOf(lock))) return undefined;
    return { folder: placeOf(lock), language: need.language };
  };

  return {
    find,
    async prepare(need, { signal, onStep }) {
      const there = find(need);
      if (there !== undefined) return there;
      return share(keyOf(need), (shared, say) => build(need, shared, say), signal, onStep);
    },
  };
}

function check(need: PackageNeed): PackageNeed {
  if (need.language === 'python') checkRequirements(need.requirements);
  return need;
}

/** The same wishes, wherever they were fulfilled: what was resolved for them once stays. */
function keyOf(need: PackageNeed): string {
  if (need.language === 'python') {
    return digestOf({
      requirements: [...new Set(need.requirements)].sort(),
      python: need.interpreter.version,
      platform,
    });
  }
  return digestOf({
    manifest: readManifest(need.manifest, need.lock !== null),
    lock: need.lock === null ? null : readNpmLock(need.lock),
    major: majorOf(need.interpreter.version),
    platform,
  });
}

/** A lock that came with the package counts as it is; else the one that was kept. */
function knownLock(need: PackageNeed, path: string): Lock | undefined {
  if (need.language === 'node' && need.lock !== null)
    return npmLock(need, readManifest(need.manifest, true), readNpmLock(need.lock));
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
    hint: 'restore it; removing it lets the packages be resolved anew, without the hashes that were agreed to',
  });
}

function parseLock(text: string, need: PackageNeed): Lock | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (need.language === 'python') return readLock(value);
    const lock = (value as Partial<NpmLock>).lock;
    return npmLock(
      need,
      readManifest(need.manifest, false),
      readNpmLock(new TextEncoder().encode(JSON.stringify(lock))),
    );
  } catch {
    return undefined;
  }
}

function npmLock(need: PackageNeed, manifest: NpmLock['manifest'], lock: NpmLock['lock']): NpmLock {
  return { language: 'node', major: majorOf(need.interpreter.version), platform, manifest, lock };
}

function majorOf(version: string): number {
  return Number(version.split('.')[0]);
}
