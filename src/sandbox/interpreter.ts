import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { HostError } from '../model/host-error.js';
import { isRunnable, type User } from './access.js';
import type { Mount } from './sandbox.js';

/** A language runtime that confined processes can use. */
export interface Interpreter {
  /** Absolute path of the executable, inside and outside alike. */
  readonly path: string;
  /** Such as `3.11` or `20.20.2`. */
  readonly version: string;
  /** What must be mounted for it, besides the system. */
  readonly mounts: readonly Mount[];
  /** False when it is not the version that was wished for, only the nearest. */
  readonly exact: boolean;
}

/** A Python that was found, and the prefix its library lies in. */
interface Python {
  readonly path: string;
  readonly prefix: string;
  readonly minor: number;
}

/** Below this every sandbox sees the same as the machine. */
const system = '/usr';
const systemPlaces = ['/usr/local/bin', '/usr/bin'];
const oldest = 9;
/** Versions are tried by name: asking for thirty files is cheaper than listing /usr/bin. */
const newest = 39;

const found = new Map<string, readonly Python[]>();

/**
 * The wished-for Python if the sandbox user can run one, else the nearest that is not too old. Looks in the system
 * folders and in what pyenv and uv keep below the home folder. No process is started to find out.
 */
export function findPython(wished: string | undefined, user: User, home: string): Interpreter {
  const pythons = remembered(user, home);
  const wish = readWish(wished);
  const isWished = (it: Python) => satisfies(wish, [3, it.minor]);
  const aim = wish?.numbers[0] === 3 ? (wish.numbers[1] ?? newest) : newest;
  const candidates = pythons.some(isWished) ? pythons.filter(isWished) : pythons;
  // The list begins with the newest, so that of two equally near ones the newer is taken.
  const [best, ...others] = candidates;
  if (best === undefined) {
    throw new HostError(
      'runtime_missing',
      `no Python 3.${oldest} or newer that confined processes can run in ${systemPlaces.join(', ')} or below the home folder`,
      { hint: 'install it: sudo apt-get install python3' },
    );
  }
  const nearest = others.reduce(
    (near, it) => (Math.abs(it.minor - aim) < Math.abs(near.minor - aim) ? it : near),
    best,
  );
  return {
    path: nearest.path,
    version: `3.${nearest.minor}`,
    mounts: isBelow(nearest.path, system) ? [] : [readOnly(nearest.prefix)],
    exact: isWished(nearest),
  };
}

/**
 * The Node that the host itself runs on, given as its path and version: it is there for certain, and handlers see the
 * version that their types were stripped for.
 */
export function findNode(
  wished: string | undefined,
  user: User,
  node: { readonly path: string; readonly version: string },
): Interpreter {
  const path = realOf(node.path);
  if (path === undefined || !isRunnable(path, user)) {
    throw new HostError(
      'runtime_missing',
      `confined processes run as user ${user.uid}, who cannot read or run Node at ${node.path}`,
      {
        hint: 'run Toolwharf with a Node below /usr, or as a user whose own Node it is',
      },
    );
  }
  const npm = join(dirname(dirname(path)), 'lib', 'node_modules', 'npm');
  return {
    path,
    version: node.version,
    // The program and npm alone: what else lies beside them is nobody's business.
    mounts: isBelow(path, system) ? [] : [readOnly(path), ...(existsSync(npm) ? [readOnly(npm)] : [])],
    exact: satisfies(readWish(wished), node.version.split('.').map(Number)),
  };
}

/** Versions as authors write them: `3.12`, `v20`, `20.x`, `>=3.10`, `^20.1`. */
interface Wish {
  readonly numbers: readonly number[];
  readonly orNewer: boolean;
}

function readWish(wished: string | undefined): Wish | undefined {
  const match = /^\s*(?:python|node)?\s*(>=|\^|~=?|==?)?\s*v?(\d{1,4})(?:\.(\d{1,4}))?(?![\d])/i.exec(
    wished ?? '',
  );
  if (match === null) return undefined;
  const numbers = [match[2], match[3]].filter((it) => it !== undefined).map(Number);
  return { numbers, orNewer: match[1] === '>=' };
}

/** Major and minor count for Python; for Node the major alone, whose minors only add. */
function satisfies(wish: Wish | undefined, version: readonly number[]): boolean {
  if (wish === undefined) return true;
  const [major = 0, minor = 0] = version;
  const [wishedMajor = 0, wishedMinor] = wish.numbers;
  if (wish.orNewer) return major > wishedMajor || (major === wishedMajor && minor >= (wishedMinor ?? 0));
  if (major !== wishedMajor) return false;
  return wishedMinor === undefined || (major === 3 ? minor === wishedMinor : minor >= wishedMinor);
}

/** What was found stays true as long as the files are there; nothing found is looked for again. */
function remembered(user: User, home: string): readonly Python[] {
  const key = JSON.stringify([user.uid, user.gid, home]);
  const known = found.get(key);
  if (known?.every((it) => existsSync(it.path))) return known;
  const pythons = search(user, home);
  if (pythons.length > 0) found.set(key, pythons);
  return pythons;
}

function search(user: User, home: string): readonly Python[] {
  const kept = [join(home, '.pyenv', 'versions'), join(home, '.local', 'share', 'uv', 'python')];
  const places = [
    ...systemPlaces,
    ...kept.flatMap((folder) => names(folder).map((it) => join(folder, it, 'bin'))),
  ];
  const pythons = places.flatMap((place) => pythonsIn(place, user, home));
  const unique = new Map(pythons.map((it) => [it.path, it]));
  return [...unique.values()].sort((one, other) => other.minor - one.minor);
}

function pythonsIn(place: string, user: User, home: string): Python[] {
  if (!existsSync(place)) return [];
  return Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index).flatMap((minor) => {
    const path = realOf(join(place, `python3.${minor}`));
    if (path === undefined || !isRunnable(path, user)) return [];
    const prefix = dirname(dirname(path));
    // A whole home folder is never lent for the sake of a program that lies in it.
    if (prefix === sep || isBelow(home, prefix)) return [];
    const hasLibrary = ['lib', 'lib64'].some((lib) =>
      isRunnable(join(prefix, lib, `python3.${minor}`, 'encodings'), user),
    );
    return hasLibrary ? [{ path, prefix, minor }] : [];
  });
}

function readOnly(path: string): Mount {
  return { source: path, target: path, writable: false };
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === sep ? sep : folder + sep);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
