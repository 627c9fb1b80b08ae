import { existsSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from '../model/host-error.js';
import { documentLimits, parseBounded } from '../model/json-bounds.js';
import { lastLines } from '../model/last-lines.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import type { Mount, Sandbox } from '../sandbox/sandbox.js';
import type { BuildSandbox, InstallerResult } from './build-sandbox.js';
import { readUntrustedFile, sealTree } from './file-tree.js';
import {
  deniedSourceHint,
  describeSource,
  type InstallerNetwork,
  installerNetwork,
} from './installer-network.js';
import { archivesOf, type NpmLock, readNpmLock, withArchives } from './npm-lock.js';
import type { PackageSources } from './package-need.js';

export interface NpmContext {
  readonly interpreter: Interpreter;
  readonly sandbox: Sandbox;
  readonly sources: PackageSources;
  readonly build: BuildSandbox;
}

const lockBytes = 32 * 1024 * 1024;
const commonArgs = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--json',
  '--loglevel',
  'error',
];

/** The lock of a manifest, and where the registry has the archives: paths of the lock with their URLs. */
export interface ResolvedNpm {
  readonly lock: NpmLock['lock'];
  readonly archives: ReadonlyMap<string, string>;
}

/** Resolves the dependencies of a manifest into a lock, without installing anything. */
export async function resolveNpm(manifest: NpmLock['manifest'], context: NpmContext): Promise<ResolvedNpm> {
  const folder = await context.build.writableFolder('resolve');
  await writeProject(folder, { 'package.json': manifest }, context.sandbox);
  await runNpm(['install', '--package-lock-only', ...commonArgs], folder, context);
  const bytes = await readUntrustedFile(join(folder, 'project', 'package-lock.json'), lockBytes);
  return { lock: readNpmLock(bytes), archives: archivesOf(bytes) };
}

/**
 * Installs exactly what the lock lists, without running any package script. Returns the sealed folder. `archives`: from the
 * resolution just before, so that npm does not read every document of the registry again. The hashes of the lock decide.
 */
export async function installNpm(
  lock: NpmLock,
  context: NpmContext,
  archives?: ResolvedNpm['archives'],
): Promise<string> {
  const folder = await context.build.writableFolder('install');
  await writeProject(
    folder,
    { 'package.json': lock.manifest, 'package-lock.json': withArchives(lock.lock, archives) },
    context.sandbox,
  );
  await runNpm(['ci', '--omit', 'dev', ...commonArgs], folder, context);
  const { scripts = [] } = lock;
  if (scripts.length > 0)
    await runNpm(
      ['rebuild', ...commonArgs.filter((it) => it !== '--ignore-scripts'), '--', ...scripts],
      folder,
      context,
    );
  const project = join(folder, 'project');
  await mkdir(join(project, 'node_modules'), { recursive: true });
  await sealTree(project);
  return project;
}

/** Writes the project files so that the installer can change them. */
async function writeProject(
  folder: string,
  files: Readonly<Record<string, unknown>>,
  sandbox: Sandbox,
): Promise<void> {
  const project = join(folder, 'project');
  await mkdir(project);
  const paths = [project];
  for (const [name, value] of Object.entries(files)) {
    paths.push(join(project, name));
    await writeFile(join(project, name), JSON.stringify(value, null, 2));
  }
  if (process.getuid?.() !== 0) return;
  for (const it of paths) await chown(it, sandbox.user.uid, sandbox.user.gid);
}

async function runNpm(argv: readonly string[], folder: string, context: NpmContext): Promise<void> {
  const { sandbox, interpreter, build } = context;
  const buildMount: Mount = { source: folder, target: '/build', writable: true };
  const inside = sandbox.inside(buildMount);
  const network = installerNetwork(context.sources.npmRegistry, 'public');
  const result = await build.run({
    name: 'installing npm packages',
    mounts: [...interpreter.mounts, buildMount],
    argv: [interpreter.path, npmOf(interpreter), ...argv],
    directory: join(inside, 'project'),
    environment: {
      TMPDIR: inside,
      npm_config_cache: join(inside, 'cache'),
      // Paths that do not exist, so that npm ignores the settings of the user and of the machine.
      npm_config_userconfig: join(inside, 'no-user-settings'),
      npm_config_globalconfig: join(inside, 'no-machine-settings'),
      npm_config_fetch_retries: '1',
      npm_config_fetch_retry_mintimeout: '200',
      ...(network.kind === 'index' ? { npm_config_registry: network.url.href } : {}),
    },
    limitAddressSpace: false,
    network,
  });
  if (!result.ok) throw explainNpm(result, network);
}

/** The npm that belongs to this Node. */
export function npmOf(interpreter: Interpreter): string {
  const prefix = dirname(dirname(interpreter.path));
  const found = [
    join(prefix, 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(prefix, 'share', 'nodejs', 'npm', 'bin', 'npm-cli.js'),
  ].find((it) => existsSync(it));
  if (found !== undefined) return found;
  throw new HostError('runtime_missing', `the Node at ${interpreter.path} has no npm`, {
    hint: 'sudo apt-get install npm',
  });
}

/** Turns npm's error code into a HostError. */
function explainNpm(result: InstallerResult, network: InstallerNetwork): HostError {
  const { code, summary } = readError(result.stdout);
  const where = network.kind === 'index' ? describeSource(network) : 'the public registry';
  const details = lastLines(summary || result.stderr || `npm exited with code ${result.code}`);
  if (result.deniedHosts.length > 0) {
    return new HostError(
      'network_denied',
      `downloading npm packages from ${result.deniedHosts.join(', ')} was denied; only ${where} is allowed`,
      {
        hint: deniedSourceHint(
          network,
          { ...result, isPrivate: result.deniedPrivate },
          {
            flag: '--npm-registry',
            key: 'npm.registry',
            path: '/',
            otherwise: 'configure a registry that serves the archives itself',
          },
        ),
      },
    );
  }
  if (code === 'EINTEGRITY') {
    return new HostError('integrity', `an npm package from ${where} does not match the lock:\n${details}`, {
      hint: 'find out why the registry changed it: a published version must not change',
    });
  }
  if (code === 'E404' || code === 'ETARGET' || code === 'ENOVERSIONS')
    return new HostError('not_found', `a required npm package was not found in ${where}:\n${details}`);
  if (/^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|ERR_SOCKET|ENETUNREACH|EIDLETIMEOUT|E50\d)/.test(code)) {
    return new HostError(
      'network_failed',
      `${where} could not be reached while installing npm packages:\n${details}`,
      {
        hint: 'check the network connection and the configured registry, then try again',
      },
    );
  }
  if (code === 'EUSAGE') {
    return new HostError('invalid_manifest', `package.json and package-lock.json do not match:\n${details}`, {
      hint: 'update the lock: npm install --package-lock-only',
    });
  }
  return new HostError('upstream_failed', `the npm packages could not be installed:\n${details}`);
}

function readError(stdout: string): { code: string; summary: string } {
  try {
    const value = parseBounded(stdout.slice(stdout.indexOf('{')), documentLimits);
    const { error } = value as { error?: { code?: unknown; summary?: unknown } };
    return { code: String(error?.code ?? ''), summary: String(error?.summary ?? '') };
  } catch {
    return { code: '', summary: '' };
  }
}
