import { existsSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import type { Program, ProgramTarget } from '../model/program.js';
import type { SlotValues } from '../model/slot.js';
import { constantText } from '../model/template.js';
import type { EgressPolicy } from '../net/egress.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import type { Limits, Mount, Sandbox, SandboxCommand } from '../sandbox/sandbox.js';
import { fillText } from './fill.js';

/** A process of a package, as its manifest describes it. */
export type ProcessTarget = Extract<ProgramTarget, { kind: 'process' }>;

/** Everything that one package's processes may see and use in one session. All of it was decided before. */
export interface SandboxProfile {
  readonly package: Package;
  /** Digest of the package that was agreed to. */
  readonly digest: string;
  /** Who calls; processes are never shared between callers. */
  readonly principal: string;
  /** Folder on this machine with the package's files as they were checked. */
  readonly files: string;
  /** The workspace, at its own paths; the first is where relative paths lead. */
  readonly roots: readonly Mount[];
  /** What of the workspace looks empty, whoever asks. */
  readonly hidden: readonly string[];
  /** A writable folder of the package's own on this machine; null when it has none. */
  readonly state: string | null;
  readonly slots: SlotValues;
  readonly limits: Limits;
  /** Null: no network at all. */
  readonly network: EgressPolicy | null;
  /** What stands before a grant that is for this package: nothing where it is the only one. */
  readonly grantee: string;
  /** Interpreter and installed packages of each program that needs them, by program name. */
  readonly runtimes: ReadonlyMap<string, ProgramRuntime>;
}

export interface ProgramRuntime {
  readonly interpreter: Interpreter;
  /** Folder on this machine with the language packages of the program; null when it needs none. */
  readonly packages: string | null;
}

/** Where things are inside the sandbox, out of the way of any workspace. */
const home = '/toolwharf/package';
const stateFolder = '/toolwharf/data';
const packagesFolder = '/toolwharf/packages';
const binaries = ['/usr/local/bin', '/usr/bin', '/bin'];

/**
 * Which folders and files stand behind the paths that a process sees or must not see. One that was made anew is another:
 * a process that was started before sees the old folder, and the new file that should be hidden from it.
 */
export function placesOf({ roots, hidden }: SandboxProfile): string[] {
  return [...roots.map((it) => it.source), ...hidden].map((path) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? '' : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
  });
}

/** The process behind a program. */
export function processOf(of: Package, name: string): ProcessTarget {
  const program: Program | undefined = of.programs.find((it) => it.name === name);
  if (program?.target.kind !== 'process')
    throw new HostError('not_supported', `the program ${name} of ${of.id} is not a process`);
  return program.target;
}

/** Where a path of the package is for its processes. */
export function pathInside(confinement: SandboxProfile, sandbox: Sandbox, path: string): string {
  return posix.join(sandbox.inside(appMount(confinement)), path);
}

/** The package's own writable folder, as its processes see it; null when it has none. */
export function stateInside(confinement: SandboxProfile, sandbox: Sandbox): string | null {
  return confinement.state === null ? null : sandbox.inside(stateMount(confinement.state));
}

/** The command line of a program with everything that is lent to it. `words` come after its interpreter. */
export function commandFor(
  confinement: SandboxProfile,
  program: string,
  words: readonly string[],
  sandbox: Sandbox,
): Omit<SandboxCommand, 'egress'> {
  const target = processOf(confinement.package, program);
  const runtime = confinement.runtimes.get(program);
  const root = confinement.roots[0];
  const ownFolder = pathInside(confinement, sandbox, target.directory);
  const inWorkspace = target.inWorkspace === true && root !== undefined;
  const packages = runtime?.packages ?? null;
  const language = target.runtime?.language ?? installLanguage(confinement.package);
  return {
    argv: [
      ...interpreterWords(target, runtime, program),
      ...(inWorkspace ? absoluteScript(confinement, target, words, ownFolder) : words),
    ],
    directory: inWorkspace ? sandbox.inside(root) : ownFolder,
    environment: {
      PATH: [...(packages === null ? [] : binsOf(packagesFolder)), ...ownFolders(runtime), ...binaries].join(
        ':',
      ),
      HOME: '/tmp',
      LANG: 'C.UTF-8',
      ...(packages !== null && language === 'python'
        ? { PYTHONPATH: sandbox.inside(packagesMount(packages)) }
        : {}),
      ...variables(confinement, target),
    },
    mounts: [
      ...(runtime?.interpreter.mounts ?? []),
      ...confinement.roots,
      appMount(confinement),
      ...(packages === null ? [] : languageMounts(packages, language)),
      ...(confinement.state === null ? [] : [stateMount(confinement.state)]),
    ],
    hidden: confinement.hidden,
    limits: confinement.limits,
    // Node reserves far more address space than it uses.
    boundAddressSpace: language === 'python',
  };
}

/** The language whose installer brings the code of a package; undefined where it brings none. */
export function installLanguage({ install }: Package): 'python' | 'node' | undefined {
  if (install.kind === 'pip') return 'python';
  return install.kind === 'npm' ? 'node' : undefined;
}

/** Commands that an installer made look for their interpreter on the path. */
function ownFolders(runtime: ProgramRuntime | undefined): string[] {
  const folder = runtime === undefined ? undefined : dirname(runtime.interpreter.path);
  return folder === undefined || binaries.includes(folder) ? [] : [folder];
}

function interpreterWords(
  target: ProcessTarget,
  runtime: ProgramRuntime | undefined,
  program: string,
): string[] {
  if (target.runtime === undefined) return [];
  if (runtime === undefined) throw new HostError('runtime_missing', `${program} has no interpreter here`);
  switch (target.runtime.language) {
    case 'python':
      // No bytecode files, no user packages, UTF-8 whatever the locale.
      return [runtime.interpreter.path, '-B', '-s', '-X', 'utf8'];
    case 'node':
      return [runtime.interpreter.path];
  }
}

/** From another folder, the script must be named in full. */
function absoluteScript(
  { files }: SandboxProfile,
  target: ProcessTarget,
  [script, ...rest]: readonly string[],
  ownFolder: string,
): string[] {
  if (script === undefined) return [];
  const isOwn = !script.startsWith('-') && existsSync(join(files, target.directory, script));
  return [isOwn ? posix.join(ownFolder, script) : script, ...rest];
}

/** What the manifest declares, and the slots that are delivered this way. A slot without a value is not set. */
function variables(confinement: SandboxProfile, target: ProcessTarget): Record<string, string> {
  const { slots } = confinement;
  const found: Record<string, string> = {};
  for (const { name, value } of target.environment) {
    const complete = value.parts.every((it) => it.kind !== 'slot' || slots.has(it.slot));
    if (complete) found[name] = fillText(value, { input: {}, slots });
  }
  return { ...found, ...deliveredVariables(confinement) };
}

/** Slots that reach every program of a package in its environment. */
export function deliveredVariables({ package: of, slots }: SandboxProfile): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, delivery } of of.slots) {
    const value = slots.get(name)?.value;
    if (delivery.kind === 'environment' && value !== undefined) found[delivery.variable] = value;
  }
  return found;
}

/** What every program of a package is lent, whatever it runs in. */
export function workspaceMounts(confinement: SandboxProfile): Mount[] {
  const { roots, state } = confinement;
  return [...roots, appMount(confinement), ...(state === null ? [] : [stateMount(state)])];
}

function appMount({ files }: SandboxProfile): Mount {
  return { source: files, target: home, writable: false };
}

function stateMount(source: string): Mount {
  return { source, target: stateFolder, writable: true };
}

function packagesMount(source: string): Mount {
  return { source, target: packagesFolder, writable: false };
}

/** Node looks for packages in every folder above a module, the topmost included. */
function languageMounts(packages: string, language: 'python' | 'node' | undefined): Mount[] {
  if (language !== 'node') return [packagesMount(packages)];
  const modules = join(packages, 'node_modules');
  return [packagesMount(packages), { source: modules, target: '/toolwharf/node_modules', writable: false }];
}

/** Where installers put commands: pip, then npm. */
function binsOf(packages: string): string[] {
  return [join(packages, 'bin'), join(packages, 'node_modules', '.bin')];
}

/** Commands that fetch what they run; of those that can do other things too, with the words that make them do it. */
const fetchers: Readonly<Record<string, readonly string[] | 'always'>> = {
  npx: 'always',
  uvx: 'always',
  pnpx: 'always',
  bunx: 'always',
  pipx: 'always',
  npm: ['exec', 'x', 'init', 'create'],
  pnpm: ['dlx', 'create'],
  yarn: ['dlx', 'create'],
  bun: ['x', 'create'],
  uv: ['tool', 'run'],
};

/** Nothing is fetched at the time of a call: what runs is what was agreed to. */
export function assertNoFetching([binary = '', ...rest]: readonly string[], name: string): void {
  const base = binary.split('/').at(-1) ?? '';
  const words = Object.hasOwn(fetchers, base) ? fetchers[base] : undefined;
  if (words === undefined || (words !== 'always' && !rest.some((it) => words.includes(it)))) return;
  throw new HostError(
    'runtime_missing',
    `${name} is started with ${base}, which fetches a program and runs it; nothing is fetched at the time of a call`,
    {
      hint: 'put the server into the package, or have its source installed with a version, and start it by its own command',
    },
  );
}

/** A program that is no interpreter must be there: in the package, or on the system's own path. */
export function findBinary(name: string, files: string, packages: string | null): boolean {
  if (name.includes('/')) return existsSync(name.startsWith('/') ? name : join(files, name));
  const folders = [...(packages === null ? [] : binsOf(packages)), ...binaries];
  return folders.some((it) => existsSync(join(it, name)));
}

/** The constant words of a program's command; undefined when one depends on a slot. */
export function constantArgs(target: ProcessTarget): string[] | undefined {
  const words = target.command.map(constantText);
  return words.every((it) => it !== undefined) ? (words as string[]) : undefined;
}
