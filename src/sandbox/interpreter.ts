import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isWithin } from '../files/path-containment.js';
import { realPathOf } from '../files/real-path.js';
import { HostError } from '../model/host-error.js';
import { isRunnable, type SandboxUser } from './path-access.js';
import { pythonPatch } from './python-patch.js';
import type { Mount } from './sandbox.js';
import { fitsHint, hintedNumbers, namesPatch, parseVersionHint } from './version-hint.js';

/** A language runtime that sandboxed processes can use. */
export interface Interpreter {
  /** Absolute path of the executable, the same inside and outside the sandbox. */
  readonly path: string;
  /** Such as `3.11` or `20.20.2`. */
  readonly version: string;
  /** Of Python, with its third number, such as `3.11.7`, if the hint names three and the number is known. */
  readonly patchVersion?: string;
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

/** The Python that a new tool can rely on, such as `3.12`. Undefined if there is none. */
export function newToolPython(user: SandboxUser, home: string): string | undefined {
  try {
    return findPython('3.12', user, home).version;
  } catch {
    return undefined;
  }
}

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
  const hint = parseVersionHint(requested);
  const hasPatch = namesPatch(hint);
  const numbersOf = (it: Python) => {
    const patch = hasPatch ? pythonPatch(it.path, it.prefix, it.minor) : undefined;
    return [3, it.minor, ...(patch === undefined ? [] : [patch])];
  };
  const known = new Map(pythons.map((it) => [it, numbersOf(it)]));
  const isRequested = (it: Python) => fitsHint(hint, known.get(it) ?? []);
  const wanted = hintedNumbers(hint);
  const target = wanted[0] === 3 ? (wanted[1] ?? newest) : newest;
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
  const textOf = (it: Python) => known.get(it)?.join('.') ?? '';
  return {
    path: nearest.path,
    version: `3.${nearest.minor}`,
    ...(hasPatch ? { patchVersion: textOf(nearest) } : {}),
    mounts: isWithin(nearest.path, system) ? [] : [readOnly(nearest.prefix)],
    exact: isRequested(nearest),
    installed: [...new Set(pythons.map(textOf))],
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
    exact: fitsHint(parseVersionHint(requested), node.version.split('.').map(Number)),
  };
}

/**
 * Whether a version fits what is requested. Of Node, a lock has only the first number, which stands for all versions that
 * begin with it.
 */
export function versionFits(requested: string | undefined, version: string): boolean {
  const numbers = version.split('.').map(Number);
  if (numbers.some((it) => !Number.isSafeInteger(it))) return false;
  const hint = parseVersionHint(requested);
  const isShort = numbers.length === 1;
  return fitsHint(isShort ? hint?.map((it) => ({ ...it, numbers: it.numbers.slice(0, 1) })) : hint, numbers);
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
  // Most machines have none, and an exception costs twenty times as much as looking.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
