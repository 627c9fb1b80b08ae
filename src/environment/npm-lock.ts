import { HostError } from '../model/host-error.js';

type Table = Readonly<Record<string, unknown>>;

/** What an environment for Node consists of; its digest names the environment. */
export interface NpmLock {
  readonly language: 'node';
  readonly major: number;
  readonly platform: string;
  readonly manifest: Table;
  /** A package-lock without addresses: every package comes from the one registry and is known by its integrity. */
  readonly lock: Table;
}

/** The parts of a package.json that say what is installed; scripts and the rest never come near the installer. */
const kept = [
  'dependencies',
  'devDependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'overrides',
];
const tables = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

/** What only developers of the package need matters where a lock speaks of it; else it is left out. */
export function readManifest(bytes: Uint8Array, locked: boolean): Table {
  const { devDependencies, ...rest } = parse(bytes, 'package.json');
  const manifest = locked && devDependencies !== undefined ? { ...rest, devDependencies } : rest;
  if (manifest.workspaces !== undefined) {
    throw new HostError('not_supported', 'package.json names workspaces; a package is installed by itself', {
      hint: 'remove "workspaces" from package.json',
    });
  }
  checkSpecs(manifest, 'package.json');
  for (const value of overridesOf(manifest.overrides)) checkSpec(value, 'an override', 'package.json');
  return pick(manifest, kept);
}

/**
 * Checks a package-lock: every package has an integrity, and every one comes from a registry. Their addresses are left
 * out, so that the registry of the operator is asked and no other, and the integrity decides.
 */
export function readNpmLock(bytes: Uint8Array): Table {
  const lock = parse(bytes, 'package-lock.json');
  if ((lock.lockfileVersion !== 2 && lock.lockfileVersion !== 3) || !isTable(lock.packages)) {
    throw new HostError('not_supported', 'package-lock.json has an old form, which does not say enough', {
      hint: 'write it anew: npm install --package-lock-only',
    });
  }
  const packages = Object.entries(lock.packages).map(([path, value]) => {
    if (!isTable(value)) throw damaged(`${path} is no object`);
    checkSpecs(value, 'package-lock.json');
    if (path === '') return [path, pick(value, kept)] as const;
    checkEntry(path, value);
    const { resolved: _, ...rest } = value;
    return [path, rest] as const;
  });
  return { lockfileVersion: 3, requires: true, packages: Object.fromEntries(packages) };
}

function checkEntry(path: string, entry: Table): void {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const parts = path.split('/');
  if (!path.startsWith('node_modules/') || parts.some((it) => it === '' || it === '.' || it === '..'))
    throw origin(path, 'lies outside of node_modules');
  if (entry.link === true) throw origin(name, 'is a link to a folder');
  const { resolved } = entry;
  if (resolved !== undefined && (typeof resolved !== 'string' || !/^https?:\/\//.test(resolved)))
    throw origin(name, `comes from ${JSON.stringify(resolved)}`);
  // What a package brings along in its own archive is covered by that archive's integrity.
  if (entry.inBundle === true) return;
  if (
    typeof entry.integrity !== 'string' ||
    !/^sha(?:256|384|512)-[A-Za-z0-9+/]+={0,2}$/.test(entry.integrity)
  ) {
    throw new HostError('integrity', `package-lock.json has no usable integrity for ${name}`, {
      hint: 'write it anew: npm install --package-lock-only',
    });
  }
}

/** Ranges, tags and aliases lead to the registry; git, addresses, files and folders do not. */
function checkSpecs(entry: Table, where: string): void {
  for (const table of tables) {
    const specs = entry[table];
    if (specs === undefined) continue;
    if (!isTable(specs)) throw damaged(`"${table}" is no object`);
    for (const [name, spec] of Object.entries(specs)) checkSpec(spec, name, where);
  }
}

function checkSpec(spec: unknown, name: string, where: string): void {
  if (typeof spec !== 'string') throw damaged(`the version of ${name} is no text`);
  const plain = spec.replace(/^npm:(?:@[a-z0-9._~-]+\/)?[a-z0-9._~-]+/i, '');
  if (/[:/\\]/.test(plain) || /^[.]|^~$|[.](?:tgz|tar|tar[.]gz)$/i.test(plain))
    throw origin(name, `is wanted from ${JSON.stringify(spec)} (${where})`);
}

function overridesOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return isTable(value) ? Object.values(value).flatMap(overridesOf) : [value];
}

function origin(name: string, why: string): HostError {
  return new HostError(
    'not_supported',
    `the npm package ${name} ${why}; packages are installed from a registry only`,
    {
      hint: 'depend on a published version of it',
    },
  );
}

function damaged(why: string): HostError {
  return new HostError('invalid_manifest', `the description of the npm packages is damaged: ${why}`);
}

function parse(bytes: Uint8Array, file: string): Table {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
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
