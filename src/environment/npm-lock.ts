import { HostError } from '../model/host-error.js';
import { documentLimits, excessText, JsonExcessError, parseBounded } from '../model/json-bounds.js';

type Table = Readonly<Record<string, unknown>>;

/** The content of a Node environment; its digest is the name of the environment. */
export interface NpmLock {
  readonly language: 'node';
  readonly major: number;
  readonly platform: string;
  readonly manifest: Table;
  /** A package-lock without URLs: every package comes from the configured registry and is verified by its integrity. */
  readonly lock: Table;
  /** Packages whose install scripts ran, sorted. Absent: none. */
  readonly scripts?: readonly string[];
}

/** Names of packages whose install scripts did not run, sorted. Packages for other systems are not installed at all. */
export function skippedScripts({ lock, scripts = [], platform }: NpmLock): string[] {
  const packages = isTable(lock.packages) ? Object.entries(lock.packages) : [];
  const [os = '', cpu = ''] = platform.split('-');
  const names = packages.flatMap(([path, entry]) =>
    isTable(entry) && entry.hasInstallScript === true && isFor(entry.os, os) && isFor(entry.cpu, cpu)
      ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)]
      : [],
  );
  return [...new Set(names)].filter((it) => !scripts.includes(it)).sort();
}

/** Whether a list such as `["linux"]` or `["!win32"]` has this system. */
function isFor(list: unknown, name: string): boolean {
  if (!Array.isArray(list) || list.length === 0) return true;
  if (list.includes(`!${name}`)) return false;
  return list.includes(name) || list.every((it) => String(it).startsWith('!'));
}

/** The members of a package.json that decide what is installed. The installer never gets scripts and other members. */
const keptMembers = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'overrides',
];
const dependencyTables = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** Keeps devDependencies only if there is a lock, because the lock contains them too. */
export function readNpmManifest(bytes: Uint8Array, locked: boolean): Table {
  const { devDependencies, ...rest } = parse(bytes, 'package.json');
  const manifest = locked && devDependencies !== undefined ? { ...rest, devDependencies } : rest;
  if (manifest.workspaces !== undefined) {
    throw new HostError('not_supported', 'package.json has "workspaces", which are not supported', {
      hint: 'remove "workspaces" from package.json',
    });
  }
  checkSpecs(manifest, 'package.json');
  for (const value of overridesOf(manifest.overrides)) checkSpec(value, 'an override', 'package.json');
  return pick(manifest, keptMembers);
}

/**
 * Checks a package-lock: every package has an integrity and comes from a registry. URLs are removed, so that only the
 * operator's registry is used and the integrity decides.
 */
export function readNpmLock(bytes: Uint8Array): Table {
  const lock = parse(bytes, 'package-lock.json');
  if ((lock.lockfileVersion !== 2 && lock.lockfileVersion !== 3) || !isTable(lock.packages)) {
    throw new HostError('not_supported', 'package-lock.json has an old format; version 2 or 3 is required', {
      hint: 'create it again: npm install --package-lock-only',
    });
  }
  const packages = Object.entries(lock.packages).map(([path, value]) => {
    if (!isTable(value)) throw invalidNpmFile(`${path} is not an object`);
    checkSpecs(value, 'package-lock.json');
    if (path === '') return [path, pick(value, keptMembers)] as const;
    checkEntry(path, value);
    const { resolved: _, ...rest } = value;
    return [path, rest] as const;
  });
  return { lockfileVersion: 3, requires: true, packages: Object.fromEntries(packages) };
}

/** The archive URLs of a package-lock that `readNpmLock` accepts. They are used once and never stored. */
export function archivesOf(bytes: Uint8Array): ReadonlyMap<string, string> {
  const { packages } = parse(bytes, 'package-lock.json');
  return new Map(
    Object.entries(isTable(packages) ? packages : {}).flatMap(([path, entry]): [string, string][] =>
      isTable(entry) && typeof entry.resolved === 'string' ? [[path, entry.resolved]] : [],
    ),
  );
}

/** The lock with archive URLs, for one run of npm. */
export function withArchives(lock: Table, archives: ReadonlyMap<string, string> = new Map()): Table {
  const packages = Object.entries(isTable(lock.packages) ? lock.packages : {}).map(([path, entry]) => {
    const resolved = archives.get(path);
    return [path, isTable(entry) && resolved !== undefined ? { ...entry, resolved } : entry] as const;
  });
  return { ...lock, packages: Object.fromEntries(packages) };
}

function checkEntry(path: string, entry: Table): void {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const parts = path.split('/');
  if (!path.startsWith('node_modules/') || parts.some((it) => it === '' || it === '.' || it === '..'))
    throw notFromRegistry(path, 'is outside node_modules');
  if (entry.link === true) throw notFromRegistry(name, 'is a link to a folder');
  const { resolved } = entry;
  if (resolved !== undefined && (typeof resolved !== 'string' || !/^https?:\/\//.test(resolved)))
    throw notFromRegistry(name, `comes from ${JSON.stringify(resolved)}`);
  // A bundled package is part of another archive, whose integrity covers it.
  if (entry.inBundle === true) return;
  if (
    typeof entry.integrity !== 'string' ||
    !/^sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}$/.test(entry.integrity)
  ) {
    throw new HostError('integrity', `package-lock.json has no usable integrity for ${name}`, {
      hint: 'create it again: npm install --package-lock-only',
    });
  }
}

/** Accepts version ranges, tags and aliases, which come from the registry. Rejects git, URLs, files and folders. */
function checkSpecs(entry: Table, where: string): void {
  for (const table of dependencyTables) {
    const specs = entry[table];
    if (specs === undefined) continue;
    if (!isTable(specs)) throw invalidNpmFile(`"${table}" is not an object`);
    for (const [name, spec] of Object.entries(specs)) checkSpec(spec, name, where);
  }
}

function checkSpec(spec: unknown, name: string, where: string): void {
  if (typeof spec !== 'string') throw invalidNpmFile(`the version of ${name} is not a string`);
  const plain = spec.replace(/^npm:(?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+/i, '');
  if (/[:/\\]/.test(plain) || /^[.]|^~$|[.](?:tgz|tar|tar[.]gz)$/i.test(plain))
    throw notFromRegistry(name, `is requested from ${JSON.stringify(spec)} in ${where}`);
}

function overridesOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return isTable(value) ? Object.values(value).flatMap(overridesOf) : [value];
}

function notFromRegistry(name: string, why: string): HostError {
  return new HostError(
    'not_supported',
    `the npm package ${name} ${why}; packages are installed from a registry only`,
    {
      hint: 'depend on a published version',
    },
  );
}

function invalidNpmFile(why: string): HostError {
  return new HostError('invalid_manifest', `package.json or package-lock.json is not valid: ${why}`);
}

function parse(bytes: Uint8Array, file: string): Table {
  let value: unknown;
  try {
    value = parseBounded(new TextDecoder('utf-8', { fatal: true }).decode(bytes), documentLimits);
  } catch (error) {
    if (error instanceof JsonExcessError)
      throw new HostError('invalid_manifest', `${file} ${excessText(error.excess)}`);
    throw new HostError('invalid_manifest', `${file} is not JSON`, { cause: error });
  }
  if (!isTable(value)) throw new HostError('invalid_manifest', `${file} is not a JSON object`);
  return value;
}

function pick(table: Table, keys: readonly string[]): Table {
  return Object.fromEntries(Object.entries(table).filter(([key]) => keys.includes(key)));
}

function isTable(value: unknown): value is Table {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
