import { readdir, rename, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { isRunnable } from '../sandbox/access.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import type { Mount, Sandbox } from '../sandbox/sandbox.js';
import type { PackageSources } from './need.js';
import { explainPip } from './pip-failure.js';
import { type Way, wayTo } from './source.js';
import { readForeign, seal, sha256Of } from './tree.js';
import { hashedRequirements, type LockedWheel, readWheelName, type WheelLock } from './wheel.js';
import type { StepResult, Workshop } from './workshop.js';

/** Said by its own exit code, so that nobody has to read an error message to learn it. */
const pipMissing = 97;
const driver = [
  'import importlib.util, runpy, sys',
  `if importlib.util.find_spec("pip") is None: sys.exit(${pipMissing})`,
  'sys.argv[0] = "pip"',
  'runpy.run_module("pip", run_name="__main__", alter_sys=True)',
].join('\n');

const always = [
  '--disable-pip-version-check',
  '--no-input',
  '--no-color',
  '--no-cache-dir',
  '--retries',
  '1',
];

/** Everything that pip needs to know about this machine and its operator. */
export interface PipPlace {
  readonly interpreter: Interpreter;
  readonly platform: string;
  readonly sandbox: Sandbox;
  readonly sources: PackageSources;
  readonly workshop: Workshop;
}

/** Wheels on a shelf that only the host can write to, and the lock that says what they are. */
export interface Fetched {
  readonly lock: WheelLock;
  readonly shelf: string;
}

/** Finds out which wheels the requirements come to, and fetches them. Nothing is built, nothing of them is run. */
export async function resolveWheels(requirements: readonly string[], place: PipPlace): Promise<Fetched> {
  const { result, bench, way } = await download('resolve', requirements, place);
  if (!result.ok) throw await failure(result, bench, requirements, way, place);
  return shelve(bench, place);
}

/**
 * Fetches exactly the wheels of a lock. Whether the bytes are right is decided here by their hashes; that pip checks them
 * too only makes it choose the right file where an index has several.
 */
export async function fetchLocked(lock: WheelLock, place: PipPlace): Promise<Fetched> {
  const names = lock.wheels.map((it) => `${it.name}==${it.version}`);
  const hashed = await download('locked', names, place, hashedRequirements(lock));
  if (hashed.result.ok) {
    const fetched = await shelve(hashed.bench, place);
    refuseChanged(lock, fetched.lock);
    return { lock, shelf: fetched.shelf };
  }
  if (hashed.result.code === pipMissing)
    throw await failure(hashed.result, hashed.bench, names, hashed.way, place);
  // Again without the hashes, to learn whether the wheels changed or cannot be had at all.
  const plain = await download('unlocked', names, place, names.map((it) => `${it}\n`).join(''));
  if (!plain.result.ok) throw await failure(plain.result, plain.bench, names, plain.way, place);
  const fetched = await shelve(plain.bench, place);
  refuseChanged(lock, fetched.lock);
  return { lock, shelf: fetched.shelf };
}

/** Unpacks the wheels without any network. Returns the folder, sealed. */
export async function installWheels({ lock, shelf }: Fetched, place: PipPlace): Promise<string> {
  const { sandbox, workshop, interpreter } = place;
  const bench = await workshop.bench('install');
  const wheels: Mount = { source: shelf, target: '/wheels', writable: false };
  const work: Mount = { source: bench, target: '/build', writable: true };
  const inside = sandbox.inside(work);
  const site = join(inside, 'site');
  const run = (argv: readonly string[]) =>
    workshop.run({
      name: 'installing Python packages',
      mounts: [...interpreter.mounts, wheels, work],
      argv: [interpreter.path, '-I', ...argv],
      directory: inside,
      environment: { PIP_CONFIG_FILE: '/dev/null', TMPDIR: inside },
      boundAddressSpace: true,
      way: { kind: 'none' },
    });
  const result = await run([
    ...['-c', driver, 'install', ...always, '--require-hashes', '--no-index', '--no-deps', '--no-compile'],
    ...['--no-warn-script-location', '--find-links', sandbox.inside(wheels), '--target', site],
    ...['-r', join(sandbox.inside(wheels), 'requirements.txt')],
  ]);
  if (!result.ok) {
    const names = lock.wheels.map((it) => `${it.name}==${it.version}`);
    throw await failure(result, bench, names, { kind: 'none' }, place);
  }
  // The folder is read-only later, so modules are compiled now. Files of other Python versions may fail; they stay source.
  await run(['-m', 'compileall', '-q', '--invalidation-mode', 'unchecked-hash', site]);
  const made = join(bench, 'site');
  await seal(made);
  return made;
}

async function download(
  name: string,
  requirements: readonly string[],
  place: PipPlace,
  file?: string,
): Promise<{ result: StepResult; bench: string; way: Way }> {
  const { sandbox, workshop, interpreter, sources } = place;
  const bench = await workshop.bench(name);
  const shelf = await workshop.shelf(`${name}-list`);
  if (file !== undefined) await writeFile(join(shelf, 'requirements.txt'), file);
  const links = (sources.findLinks ?? []).map(
    (source, index): Mount => ({ source, target: `/links/${index}`, writable: false }),
  );
  for (const { source } of links) {
    if (isAbsolute(source) && isRunnable(source, sandbox.user)) continue;
    throw new HostError(
      'invalid_config',
      `the find-links folder ${source} is not there, or the user ${sandbox.user.uid} of confined processes cannot read it`,
      {
        hint: 'name an absolute path of a folder that everybody can read',
      },
    );
  }
  const list: Mount = { source: shelf, target: '/list', writable: false };
  const work: Mount = { source: bench, target: '/build', writable: true };
  const inside = sandbox.inside(work);
  const way = wayTo(sources.pythonIndex, links.length > 0 ? 'none' : 'public');
  const result = await workshop.run({
    name: 'fetching Python packages',
    mounts: [...interpreter.mounts, ...links, list, work],
    argv: [
      ...[
        interpreter.path,
        '-I',
        '-c',
        driver,
        'download',
        ...always,
        '--progress-bar',
        'off',
        '--timeout',
        '20',
      ],
      ...['--only-binary', ':all:', '--dest', join(inside, 'wheels'), '--log', join(inside, 'pip.log')],
      ...links.flatMap((it) => ['--find-links', sandbox.inside(it)]),
      ...(way.kind === 'none' ? ['--no-index'] : []),
      ...(way.kind === 'index' && way.url.protocol === 'http:' ? ['--trusted-host', way.url.host] : []),
      ...(file === undefined
        ? ['--', ...requirements]
        : ['--no-deps', '-r', join(sandbox.inside(list), 'requirements.txt')]),
    ],
    directory: inside,
    environment: {
      PIP_CONFIG_FILE: '/dev/null',
      TMPDIR: inside,
      // In the environment, because an operator's index may carry a password.
      ...(way.kind === 'index' ? { PIP_INDEX_URL: way.url.href } : {}),
    },
    boundAddressSpace: true,
    way,
  });
  return { result, bench, way };
}

/** Takes the wheels away from where the installer could write, then hashes them. */
async function shelve(bench: string, place: PipPlace): Promise<Fetched> {
  const shelf = `${bench}-wheels`;
  await rename(join(bench, 'wheels'), shelf);
  await seal(shelf);
  const wheels: LockedWheel[] = [];
  for (const file of (await readdir(shelf)).sort()) {
    const named = readWheelName(file);
    if (named === undefined)
      throw new HostError('integrity', `the installer fetched ${JSON.stringify(file)}, which is no wheel`);
    wheels.push({ ...named, file, sha256: await sha256Of(join(shelf, file)) });
  }
  wheels.sort((a, b) => (a.name < b.name ? -1 : 1));
  const lock: WheelLock = {
    language: 'python',
    python: place.interpreter.version,
    platform: place.platform,
    wheels,
  };
  await writeFile(join(shelf, 'requirements.txt'), hashedRequirements(lock));
  return { lock, shelf };
}

function refuseChanged(lock: WheelLock, fetched: WheelLock): void {
  const hashes = new Set(fetched.wheels.map((it) => it.sha256));
  const changed = lock.wheels.filter((it) => !hashes.has(it.sha256));
  if (changed.length === 0 && fetched.wheels.length === lock.wheels.length) return;
  const names = changed.map((it) => `${it.name}==${it.version}`).join(', ');
  throw new HostError(
    'integrity',
    `the wheel of ${names || 'a package'} is not the one that was locked: same version, other contents`,
    { hint: 'find out why the index changed it; a new version would have a new number' },
  );
}

async function failure(
  result: StepResult,
  bench: string,
  requirements: readonly string[],
  way: Way,
  place: PipPlace,
): Promise<HostError> {
  if (result.code === pipMissing) {
    const { path, version } = place.interpreter;
    return new HostError(
      'runtime_missing',
      `Python ${version} at ${path} has no pip, which installs its packages`,
      {
        hint:
          path === `/usr/bin/python${version}` ? 'sudo apt-get install python3-pip' : `${path} -m ensurepip`,
      },
    );
  }
  const log = await readForeign(join(bench, 'pip.log'), 16 * 1024 * 1024).catch(() => Buffer.alloc(0));
  return explainPip({
    stderr: result.stderr,
    log: log.toString('utf8'),
    refused: result.refused,
    requirements,
    python: place.interpreter.version,
    way,
  });
}
