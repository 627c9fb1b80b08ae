import { existsSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import type { Mount, Sandbox } from '../sandbox/sandbox.js';
import type { PackageSources } from './need.js';
import { type NpmLock, readNpmLock } from './npm-lock.js';
import { tail } from './pip-failure.js';
import { describeWay, type Way, wayTo } from './source.js';
import { readForeign, seal } from './tree.js';
import type { StepResult, Workshop } from './workshop.js';

export interface NpmPlace {
  readonly interpreter: Interpreter;
  readonly sandbox: Sandbox;
  readonly sources: PackageSources;
  readonly workshop: Workshop;
}

const lockBytes = 32 * 1024 * 1024;
const quiet = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--json',
  '--loglevel',
  'error',
];

/** Finds out which packages a manifest comes to. Nothing is installed yet. */
export async function resolveNpm(manifest: NpmLock['manifest'], place: NpmPlace): Promise<NpmLock['lock']> {
  const bench = await place.workshop.bench('resolve');
  await lay(bench, { 'package.json': manifest }, place.sandbox);
  await runNpm(['install', '--package-lock-only', ...quiet], bench, place);
  return readNpmLock(await readForeign(join(bench, 'project', 'package-lock.json'), lockBytes));
}

/** Installs exactly what the lock says; no script of any package runs. Returns the folder, sealed. */
export async function installNpm(lock: NpmLock, place: NpmPlace): Promise<string> {
  const bench = await place.workshop.bench('install');
  await lay(bench, { 'package.json': lock.manifest, 'package-lock.json': lock.lock }, place.sandbox);
  await runNpm(['ci', '--omit', 'dev', ...quiet], bench, place);
  const project = join(bench, 'project');
  await mkdir(join(project, 'node_modules'), { recursive: true });
  await seal(project);
  return project;
}

/** Writes the files of the project, for the installer to change. */
async function lay(bench: string, files: Readonly<Record<string, unknown>>, sandbox: Sandbox): Promise<void> {
  const project = join(bench, 'project');
  await mkdir(project);
  const paths = [project];
  for (const [name, value] of Object.entries(files)) {
    paths.push(join(project, name));
    await writeFile(join(project, name), JSON.stringify(value, null, 2));
  }
  if (process.getuid?.() !== 0) return;
  for (const it of paths) await chown(it, sandbox.user.uid, sandbox.user.gid);
}

async function runNpm(argv: readonly string[], bench: string, place: NpmPlace): Promise<void> {
  const { sandbox, interpreter, workshop } = place;
  const work: Mount = { source: bench, target: '/build', writable: true };
  const inside = sandbox.inside(work);
  const way = wayTo(place.sources.npmRegistry, 'public');
  const result = await workshop.run({
    name: 'installing npm packages',
    mounts: [...interpreter.mounts, work],
    argv: [interpreter.path, npmOf(interpreter), ...argv],
    directory: join(inside, 'project'),
    environment: {
      TMPDIR: inside,
      npm_config_cache: join(inside, 'cache'),
      // Paths that do not exist: neither the user's settings nor the machine's count here.
      npm_config_userconfig: join(inside, 'no-user-settings'),
      npm_config_globalconfig: join(inside, 'no-machine-settings'),
      npm_config_fetch_retries: '1',
      npm_config_fetch_retry_mintimeout: '200',
      ...(way.kind === 'index' ? { npm_config_registry: way.url.href } : {}),
    },
    boundAddressSpace: false,
    way,
  });
  if (!result.ok) throw explainNpm(result, way);
}

/** The npm that came with this Node. */
function npmOf(interpreter: Interpreter): string {
  const prefix = dirname(dirname(interpreter.path));
  const found = [
    join(prefix, 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(prefix, 'share', 'nodejs', 'npm', 'bin', 'npm-cli.js'),
  ].find((it) => existsSync(it));
  if (found !== undefined) return found;
  throw new HostError('runtime_missing', `there is no npm beside Node at ${interpreter.path}`, {
    hint: 'sudo apt-get install npm',
  });
}

/** npm gives its errors codes of their own. */
function explainNpm(result: StepResult, way: Way): HostError {
  const { code, summary } = readError(result.stdout);
  const where = way.kind === 'index' ? describeWay(way) : 'the public registry';
  const said = tail(summary || result.stderr || `it ended with code ${result.code}`);
  if (result.refused.length > 0) {
    return new HostError(
      'network_denied',
      `fetching npm packages was not let through to ${result.refused.join(', ')}; only ${where} may be reached`,
      { hint: 'name a registry that serves the archives itself' },
    );
  }
  if (code === 'EINTEGRITY') {
    return new HostError(
      'integrity',
      `an npm package from ${where} is not the one that was locked:\n${said}`,
      {
        hint: 'find out why the registry changed it; a new version would have a new number',
      },
    );
  }
  if (code === 'E404' || code === 'ETARGET' || code === 'ENOVERSIONS')
    return new HostError('not_found', `${where} does not have an npm package that is needed:\n${said}`);
  if (/^(?:ECONN|ENOTFOUND|EAI_|ETIMEDOUT|ERR_SOCKET|ENETUNREACH|EIDLETIMEOUT|E50\d)/.test(code)) {
    return new HostError(
      'network_failed',
      `${where} could not be reached while installing npm packages:\n${said}`,
      {
        hint: 'check the network connection and the configured registry, then try again',
      },
    );
  }
  if (code === 'EUSAGE') {
    return new HostError(
      'invalid_manifest',
      `package.json and package-lock.json do not belong together:\n${said}`,
      {
        hint: 'write the lock anew: npm install --package-lock-only',
      },
    );
  }
  return new HostError('upstream_failed', `the npm packages could not be installed:\n${said}`);
}

function readError(stdout: string): { code: string; summary: string } {
  try {
    const { error } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
      error?: { code?: unknown; summary?: unknown };
    };
    return { code: String(error?.code ?? ''), summary: String(error?.summary ?? '') };
  } catch {
    return { code: '', summary: '' };
  }
}
