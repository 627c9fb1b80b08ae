import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isWithin } from '../files/path-containment.js';
import { realPathOf } from '../files/real-path.js';
import { HostError } from '../model/host-error.js';
import { isRunnable, type SandboxUser } from './path-access.js';
import type { Mount } from './sandbox.js';

/** A language runtime that sandboxed processes can use. */
export interface Interpreter {
  /** Absolute path of the executable, the same inside and outside the sandbox. */
  readonly path: string;
  /** Such as `3.11` or `20.20.2`. */
  readonly version: string;
  /** Additional mounts that it needs; empty if it is part of /usr. */
  readonly mounts: readonly Mount[];
  /** False if it is not the requested version, only the nearest one. */
  readonly exact: boolean;
  /** All versions of this machine that could be used, the newest first. Absent: only this one. */
  readonly installed?: readonly string[];
}

/** An installed Python, and the prefix that contains its library. */
interface Python {
  readonly path: string;
  readonly prefix: string;
  readonly minor: number;
}

/** Every sandbox mounts this folder of the machine. */
const system = '/usr';
const systemFolders = ['/usr/local/bin', '/usr/bin'];
const oldest = 9;
/** Versions are tried by name: 30 lookups are cheaper than listing /usr/bin. */
const newest = 39;

/** What was found on this machine, by user and home folder. */
export type PythonCache = Map<string, { readonly stamp: string; readonly pythons: readonly Python[] }>;

/**
 * The requested Python version if the sandbox user can run it, else the nearest supported one. Searches the system
 * folders and the pyenv and uv folders below the home folder, without starting a process. `cache`: from earlier searches.
 */
export function findPython(
  requested: string | undefined,
  user: SandboxUser,
  home: string,
  cache: PythonCache = new Map(),
): Interpreter {
  const pythons = cachedPythons(user, home, cache);
  const range = parseVersionRange(requested);
  const isRequested = (it: Python) => satisfies(range, [3, it.minor]);
  const target = range?.numbers[0] === 3 ? (range.numbers[1] ?? newest) : newest;
  const candidates = pythons.some(isRequested) ? pythons.filter(isRequested) : pythons;
  // Newest first, so that of two equally near versions the newer one is taken.
  const [best, ...others] = candidates;
  if (best === undefined) {
    throw new HostError(
      'runtime_missing',
      `no Python 3.${oldest} or newer that sandboxed processes can run in ${systemFolders.join(', ')} or below the home folder`,
      { hint: 'install it: sudo apt-get install python3' },
    );
  }
  const nearest = others.reduce(
    (near, it) => (Math.abs(it.minor - target) < Math.abs(near.minor - target) ? it : near),
    best,
  );
  return {
    path: nearest.path,
    version: `3.${nearest.minor}`,
    mounts: isWithin(nearest.path, system) ? [] : [readOnly(nearest.prefix)],
    exact: isRequested(nearest),
    installed: [...new Set(pythons.map((it) => `3.${it.minor}`))],
  };
}

/**
 * The Node that the host itself runs on, given by path and version. It certainly exists, and handlers get the version
 * that their TypeScript types were stripped for.
 */
export function findNode(
  requested: string | undefined,
  user: SandboxUser,
  node: { readonly path: string; readonly version: string },
): Interpreter {
  const path = realPathOf(node.path);
  if (path === undefined || !isRunnable(path, user)) {
    throw new HostError(
      'runtime_missing',
      `sandboxed processes run as user ${user.uid}, who cannot read or run Node at ${node.path}`,
      {
        hint: 'run Toolwharf with a Node below /usr, or as the user who owns this Node',
      },
    );
  }
  const npm = join(dirname(dirname(path)), 'lib', 'node_modules', 'npm');
  return {
    path,
    version: node.version,
    // Only the executable and npm: sandboxed processes need no other files from there.
    mounts: isWithin(path, system) ? [] : [readOnly(path), ...(existsSync(npm) ? [readOnly(npm)] : [])],
    exact: satisfies(parseVersionRange(requested), node.version.split('.').map(Number)),
  };
}

/** Whether a version fits what is requested, as far as its numbers say. */
export function versionFits(requested: string | undefined, version: string): boolean {
  const numbers = version.split('.').map(Number);
  if (numbers.some((it) => !Number.isSafeInteger(it))) return false;
  const range = parseVersionRange(requested);
  return satisfies(range && { ...range, numbers: range.numbers.slice(0, numbers.length) }, numbers);
}

/** A version as authors write it: `3.12`, `v20`, `20.x`, `>=3.10`, `^20.1`, `~=3.10`. */
interface VersionRange {
  readonly numbers: readonly number[];
  readonly orNewer: boolean;
  /** Newer ones with the same first number fit too. */
  readonly orCompatible: boolean;
}

function parseVersionRange(requested: string | undefined): VersionRange | undefined {
  const match = /^\s*(?:python|node)?\s*(>=|\^|~=?|==?)?\s*v?(\d{1,4})(?:\.(\d{1,4}))?(?![\d])/i.exec(
    requested ?? '',
  );
  if (match === null) return undefined;
  const numbers = [match[2], match[3]].filter((it) => it !== undefined).map(Number);
  const orCompatible = match[1] === '^' || match[1] === '~=';
  return { numbers, orNewer: match[1] === '>=', orCompatible };
}

/** Python: major and minor must match. Node: the major must match, a newer minor is accepted. */
function satisfies(range: VersionRange | undefined, version: readonly number[]): boolean {
  if (range === undefined) return true;
  const [major = 0, minor = 0] = version;
  const [requestedMajor = 0, requestedMinor] = range.numbers;
  if (range.orNewer)
    return major > requestedMajor || (major === requestedMajor && minor >= (requestedMinor ?? 0));
  if (major !== requestedMajor) return false;
  const isPython = major === 3 && !range.orCompatible;
  return requestedMinor === undefined || (isPython ? minor === requestedMinor : minor >= requestedMinor);
}

/** A result is valid as long as its files exist and the folders are unchanged; an empty result is not cached. */
function cachedPythons(user: SandboxUser, home: string, cache: PythonCache): readonly Python[] {
  const key = JSON.stringify([user.uid, user.gid, home]);
  const places = pythonPlaces(home);
  const stamp = places.map((it) => `${it} ${changedAt(it)}`).join('\n');
  const known = cache.get(key);
  if (known?.stamp === stamp && known.pythons.every((it) => existsSync(it.path))) return known.pythons;
  const found = places.flatMap((place) => pythonsIn(place, user, home));
  const unique = new Map(found.map((it) => [it.path, it]));
  const pythons = [...unique.values()].sort((one, other) => other.minor - one.minor);
  if (pythons.length > 0) cache.set(key, { stamp, pythons });
  return pythons;
}

function pythonPlaces(home: string): string[] {
  const versionFolders = [join(home, '.pyenv', 'versions'), join(home, '.local', 'share', 'uv', 'python')];
  return [
    ...systemFolders,
    ...versionFolders.flatMap((folder) => names(folder).map((it) => join(folder, it, 'bin'))),
  ];
}

/** A folder changes when a file is added to it or removed. Undefined: there is no such folder. */
function changedAt(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
}

function pythonsIn(place: string, user: SandboxUser, home: string): Python[] {
  if (!existsSync(place)) return [];
  return Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index).flatMap((minor) => {
    const named = join(place, `python3.${minor}`);
    // Most do not exist, and an exception for each would cost twenty times as much as looking.
    const path = existsSync(named) ? realPathOf(named) : undefined;
    if (path === undefined || !isRunnable(path, user)) return [];
    const prefix = dirname(dirname(path));
    // Never mount a whole home folder because of one program inside it.
    if (prefix === sep || isWithin(home, prefix)) return [];
    const hasLibrary = ['lib', 'lib64'].some((lib) =>
      isRunnable(join(prefix, lib, `python3.${minor}`, 'encodings'), user),
    );
    return hasLibrary ? [{ path, prefix, minor }] : [];
  });
}

function readOnly(path: string): Mount {
  return { source: path, target: path, writable: false };
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
