import { readdir, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import { isRunnable } from '../sandbox/path-access.js';
import type { Mount, Sandbox } from '../sandbox/sandbox.js';
import type { BuildSandbox, InstallerResult } from './build-sandbox.js';
import { readUntrustedFile, sealTree, sha256Of } from './file-tree.js';
import { type InstallerNetwork, installerNetwork } from './installer-network.js';
import type { PackageSources } from './package-need.js';
import { explainPip } from './pip-failure.js';
import { hashedRequirements, type LockedWheel, readWheelName, type WheelLock } from './wheel.js';

/** Exit code of the driver if pip is missing, so that no error message must be parsed. */
const pipMissing = 97;
const driver = [
  'import importlib.util, runpy, sys',
  `if importlib.util.find_spec("pip") is None: sys.exit(${pipMissing})`,
  'sys.argv[0] = "pip"',
  'runpy.run_module("pip", run_name="__main__", alter_sys=True)',
].join('\n');

const commonArgs = [
  '--disable-pip-version-check',
  '--no-input',
  '--no-color',
  '--no-cache-dir',
  '--retries',
  '1',
];

/** What pip needs to know about this machine and the operator's settings. */
export interface PipContext {
  readonly interpreter: Interpreter;
  readonly platform: string;
  readonly sandbox: Sandbox;
  readonly sources: PackageSources;
  readonly build: BuildSandbox;
}

/** Wheels in a folder that only the host can write to, and their lock. */
export interface FetchedWheels {
  readonly lock: WheelLock;
  readonly folder: string;
}

/** Resolves the requirements to wheels and downloads them, without building or running anything. */
export async function resolveWheels(
  requirements: readonly string[],
  context: PipContext,
): Promise<FetchedWheels> {
  const { result, folder, network } = await download('resolve', requirements, context);
  if (!result.ok) throw await failure(result, folder, requirements, network, context);
  return collectWheels(folder, context);
}

/**
 * Downloads exactly the wheels of a lock. The hashes are verified here. pip gets them too, only to choose the right file
 * if an index has several.
 */
export async function fetchLocked(lock: WheelLock, context: PipContext): Promise<FetchedWheels> {
  const names = lock.wheels.map((it) => `${it.name}==${it.version}`);
  const locked = await download('locked', names, context, hashedRequirements(lock));
  if (locked.result.ok) {
    const fetched = await collectWheels(locked.folder, context);
    rejectChangedWheels(lock, fetched.lock);
    return { lock, folder: fetched.folder };
  }
  if (locked.result.code === pipMissing)
    throw await failure(locked.result, locked.folder, names, locked.network, context);
  // Again without hashes, to distinguish changed wheels from wheels that cannot be downloaded.
  const unlocked = await download('unlocked', names, context, names.map((it) => `${it}\n`).join(''));
  if (!unlocked.result.ok)
    throw await failure(unlocked.result, unlocked.folder, names, unlocked.network, context);
  const fetched = await collectWheels(unlocked.folder, context);
  rejectChangedWheels(lock, fetched.lock);
  return { lock, folder: fetched.folder };
}

/** Installs the wheels without network. Returns the sealed folder. */
export async function installWheels(
  { lock, folder: wheelFolder }: FetchedWheels,
  context: PipContext,
): Promise<string> {
  const { sandbox, build, interpreter } = context;
  const folder = await build.writableFolder('install');
  const wheels: Mount = { source: wheelFolder, target: '/wheels', writable: false };
  const work: Mount = { source: folder, target: '/build', writable: true };
  const inside = sandbox.inside(work);
  const site = join(inside, 'site');
  const run = (argv: readonly string[]) =>
    build.run({
      name: 'installing Python packages',
      mounts: [...interpreter.mounts, wheels, work],
      argv: [interpreter.path, '-I', ...argv],
      directory: inside,
      environment: { PIP_CONFIG_FILE: '/dev/null', TMPDIR: inside },
      limitAddressSpace: true,
      network: { kind: 'none' },
    });
  const result = await run([
    ...[
      '-c',
      driver,
      'install',
      ...commonArgs,
      '--require-hashes',
      '--no-index',
      '--no-deps',
      '--no-compile',
    ],
    ...['--no-warn-script-location', '--find-links', sandbox.inside(wheels), '--target', site],
    ...['-r', join(sandbox.inside(wheels), 'requirements.txt')],
  ]);
  if (!result.ok) {
    const names = lock.wheels.map((it) => `${it.name}==${it.version}`);
    throw await failure(result, folder, names, { kind: 'none' }, context);
  }
  // The folder becomes read-only, so modules are compiled now. Files for other Python versions may fail to compile.
  await run(['-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', site]);
  const installed = join(folder, 'site');
  await sealTree(installed);
  return installed;
}

async function download(
  name: string,
  requirements: readonly string[],
  context: PipContext,
  file?: string,
): Promise<{ result: InstallerResult; folder: string; network: InstallerNetwork }> {
  const { sandbox, build, interpreter, sources } = context;
  const folder = await build.writableFolder(name);
  const listFolder = await build.readOnlyFolder(`${name}-list`);
  if (file !== undefined) await writeFile(join(listFolder, 'requirements.txt'), file);
  const links = (sources.findLinks ?? []).map(
    (source, index): Mount => ({ source, target: `/links/${index}`, writable: false }),
  );
  for (const { source } of links) {
    if (isAbsolute(source) && isRunnable(source, sandbox.user)) continue;
    throw new HostError(
      'invalid_config',
      `the find-links folder ${source} does not exist, or user ${sandbox.user.uid} (sandboxed processes) cannot read it`,
      {
        hint: 'use an absolute path of a folder that all users can read',
      },
    );
  }
  const list: Mount = { source: listFolder, target: '/list', writable: false };
  const work: Mount = { source: folder, target: '/build', writable: true };
  const inside = sandbox.inside(work);
  const network = installerNetwork(sources.pythonIndex, links.length > 0 ? 'none' : 'public');
  const result = await build.run({
    name: 'downloading Python packages',
    mounts: [...interpreter.mounts, ...links, list, work],
    argv: [
      ...[
        interpreter.path,
        '-I',
        '-c',
        driver,
        'download',
        ...commonArgs,
        '--progress-bar',
        'off',
        '--timeout',
        '20',
      ],
      ...['--only-binary', ':all:', '--dest', join(inside, 'wheels'), '--log', join(inside, 'pip.log')],
      ...links.flatMap((it) => ['--find-links', sandbox.inside(it)]),
      ...(network.kind === 'none' ? ['--no-index'] : []),
      ...(network.kind === 'index' && network.url.protocol === 'http:'
        ? ['--trusted-host', network.url.host]
        : []),
      ...(file === undefined
        ? ['--', ...requirements]
        : ['--no-deps', '-r', join(sandbox.inside(list), 'requirements.txt')]),
    ],
    directory: inside,
    environment: {
      PIP_CONFIG_FILE: '/dev/null',
      TMPDIR: inside,
      // In the environment, not in the arguments, because the URL may contain a password.
      ...(network.kind === 'index' ? { PIP_INDEX_URL: network.url.href } : {}),
    },
    limitAddressSpace: true,
    network,
  });
  return { result, folder, network };
}

/** Moves the wheels out of the installer's writable folder, then hashes them. */
async function collectWheels(buildFolder: string, context: PipContext): Promise<FetchedWheels> {
  const folder = `${buildFolder}-wheels`;
  await rename(join(buildFolder, 'wheels'), folder);
  await sealTree(folder);
  const wheels: LockedWheel[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const named = readWheelName(file);
    if (named === undefined)
      throw new HostError('integrity', `pip downloaded ${JSON.stringify(file)}, which is not a wheel`);
    wheels.push({ ...named, file, sha256: await sha256Of(join(folder, file)) });
  }
  wheels.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lock: WheelLock = {
    language: 'python',
    python: context.interpreter.version,
    platform: context.platform,
    wheels,
  };
  await writeFile(join(folder, 'requirements.txt'), hashedRequirements(lock));
  return { lock, folder };
}

function rejectChangedWheels(lock: WheelLock, fetched: WheelLock): void {
  const hashes = new Set(fetched.wheels.map((it) => it.sha256));
  const changed = lock.wheels.filter((it) => !hashes.has(it.sha256));
  if (changed.length === 0 && fetched.wheels.length === lock.wheels.length) return;
  const names = changed.map((it) => `${it.name}==${it.version}`).join(', ');
  throw new HostError(
    'integrity',
    `the wheel of ${names || 'a package'} does not match the lock: same version, other content`,
    { hint: 'find out why the index changed it: a published version must not change' },
  );
}

async function failure(
  result: InstallerResult,
  folder: string,
  requirements: readonly string[],
  network: InstallerNetwork,
  context: PipContext,
): Promise<HostError> {
  if (result.code === pipMissing) {
    const { path, version } = context.interpreter;
    return new HostError(
      'runtime_missing',
      `Python ${version} at ${path} has no pip, which is needed to install packages`,
      {
        hint:
          path === `/usr/bin/python${version}` ? 'sudo apt-get install python3-pip' : `${path} -m ensurepip`,
      },
    );
  }
  const log = await readUntrustedFile(join(folder, 'pip.log'), 16 * 1024 * 1024).catch(() => Buffer.alloc(0));
  return explainPip({
    stderr: result.stderr,
    log: log.toString('utf8'),
    deniedHosts: result.deniedHosts,
    deniedPrivate: result.deniedPrivate,
    requirements,
    python: context.interpreter.version,
    network,
  });
}
