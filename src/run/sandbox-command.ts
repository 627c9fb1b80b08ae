import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { Package } from '../model/package.js';
import type { CallAccess } from '../model/permissions.js';
import type { Program, ProgramTarget } from '../model/program.js';
import { deliveredVariables, type SlotValues } from '../model/slot.js';
import { constantText } from '../model/template.js';
import type { EgressPolicy } from '../net/egress.js';
import { certificateMount, certificateVariables } from '../sandbox/certificate-mount.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import type { Mount, Sandbox, SandboxCommand, SandboxLimits } from '../sandbox/sandbox.js';
import type { MountGuard } from './mount-guard.js';
import type { ProcessOwner } from './process-owner.js';
import { dataMountPoint, languageMountPoint } from './read-only-code.js';
import { binaryFolders, interpreterFolders } from './search-path.js';
import { fillText } from './template-filling.js';

/** The process target of a program, from its manifest. */
export type ProcessTarget = Extract<ProgramTarget, { kind: 'process' }>;

/** Everything that the processes of one package may see and use in one session. */
export interface SandboxProfile {
  readonly package: Package;
  /** Digest of the package that the operator agreed to. */
  readonly digest: string;
  /** Processes are never shared between owners. */
  readonly owner: ProcessOwner;
  /** Folder on this machine with the checked copy of the package's files. */
  readonly packageFolder: string;
  /** The workspace folders, mounted at their own paths; relative paths start at the first one. */
  readonly roots: readonly Mount[];
  /** Hidden paths of the workspace. */
  readonly hidden: readonly string[];
  /** Hidden paths whose folders are not fixed in their place. Default: none. */
  readonly unanchored?: readonly string[] | undefined;
  /** Follows processes that see the workspace; absent without one. */
  readonly guard?: MountGuard | undefined;
  /** Writable folder of the package on this machine; null if it has none. */
  readonly dataFolder: string | null;
  readonly slots: SlotValues;
  readonly limits: SandboxLimits;
  /** Null: no network access. */
  readonly network: EgressPolicy | null;
  /** Set if the tool declares less than its package may use; for messages. */
  readonly access?: CallAccess | undefined;
  /** Folder on this machine with additional certificate authorities; absent without network or without any. */
  readonly certificateFolder?: string | undefined;
  /** Prefix of a grant for this package (in hints); empty if it is the only package. */
  readonly grantPrefix: string;
  /** Interpreter and installed language packages, by name of the program that needs them. */
  readonly runtimes: ReadonlyMap<string, ProgramRuntime>;
}

export interface ProgramRuntime {
  readonly interpreter: Interpreter;
  /** Folder on this machine with the program's language packages; null if it needs none. */
  readonly packages: string | null;
}

/** Mount points inside the sandbox; no workspace has these paths. */
const packageMountPoint = '/toolwharf/package';

/**
 * Identities (device, inode, creation time) of the mounted and hidden files and folders. If one was created again, a
 * running process still sees the old folder, or sees the new file that should be hidden from it.
 */
export function mountIdentities({ roots, hidden }: SandboxProfile): string[] {
  return [...roots.map((it) => it.source), ...hidden].map((path) => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? '' : `${found.dev}:${found.ino}:${found.birthtimeNs}`;
  });
}

/** The process target of a program. Throws if the program has another target. */
export function processTargetOf(pkg: Package, name: string): ProcessTarget {
  const program: Program | undefined = pkg.programs.find((it) => it.name === name);
  if (program?.target.kind !== 'process')
    throw new HostError('not_supported', `the program ${name} of ${pkg.id} does not run as a process`);
  return program.target;
}

/** The path of a package file inside the sandbox. */
export function pathInside(profile: SandboxProfile, sandbox: Sandbox, path: string): string {
  return posix.join(sandbox.inside(packageMount(profile)), path);
}

/** The path of the package's writable folder inside the sandbox; null if it has none. */
export function dataFolderInside(profile: SandboxProfile, sandbox: Sandbox): string | null {
  return profile.dataFolder === null ? null : sandbox.inside(dataMount(profile.dataFolder));
}

/** The sandbox command of a program, with its mounts and environment. `args` come after its interpreter. */
export function sandboxCommandFor(
  profile: SandboxProfile,
  program: string,
  args: readonly string[],
  sandbox: Sandbox,
): Omit<SandboxCommand, 'egress'> {
  const target = processTargetOf(profile.package, program);
  const runtime = profile.runtimes.get(program);
  const root = profile.roots[0];
  const ownFolder = pathInside(profile, sandbox, target.directory);
  const inWorkspace = target.inWorkspace === true && root !== undefined;
  const packages = runtime?.packages ?? null;
  const language = target.runtime?.language ?? installLanguage(profile.package);
  const home = dataFolderInside(profile, sandbox) ?? '/tmp';
  return {
    argv: [
      ...interpreterArgs(target, runtime, program),
      ...(inWorkspace ? absoluteScript(profile, target, args, ownFolder) : args),
    ],
    directory: inWorkspace ? sandbox.inside(root) : target.inData === true ? home : ownFolder,
    environment: {
      PATH: [
        ...(packages === null ? [] : commandFolders(languageMountPoint)),
        ...interpreterFolders(runtime?.interpreter ?? null),
        ...binaryFolders,
      ].join(':'),
      HOME: homeOf(profile, program, sandbox),
      LANG: 'C.UTF-8',
      ...(packages !== null && language === 'python'
        ? { PYTHONPATH: sandbox.inside(languageMount(packages)) }
        : {}),
      ...trustVariables(profile, sandbox),
      ...variables(profile, target),
    },
    mounts: [
      ...(runtime?.interpreter.mounts ?? []),
      ...profile.roots,
      packageMount(profile),
      ...trustMounts(profile),
      ...(packages === null ? [] : languageMounts(packages, language)),
      ...(profile.dataFolder === null ? [] : [dataMount(profile.dataFolder)]),
    ],
    hidden: profile.hidden,
    unanchored: profile.unanchored,
    limits: profile.limits,
    // Node reserves far more address space than it uses.
    limitAddressSpace: language === 'python',
  };
}

/** The home folder of a program inside its sandbox or container. */
export function homeOf(profile: SandboxProfile, program: string, sandbox: Pick<Sandbox, 'inside'>): string {
  const { dataFolder, package: pkg } = profile;
  const lasts = pkg.programs.some((it) => it.name === program && it.homeInData === true);
  return lasts && dataFolder !== null ? sandbox.inside(dataMount(dataFolder)) : '/tmp';
}

/** The language whose package manager installs the code of a package; undefined if there is none. */
export function installLanguage({ install }: Package): 'python' | 'node' | undefined {
  if (install.kind === 'pip') return 'python';
  return install.kind === 'npm' ? 'node' : undefined;
}

function interpreterArgs(
  target: ProcessTarget,
  runtime: ProgramRuntime | undefined,
  program: string,
): string[] {
  if (target.runtime === undefined) return [];
  if (runtime === undefined)
    throw new HostError('runtime_missing', `the interpreter of ${program} is not installed`);
  switch (target.runtime.language) {
    case 'python':
      // No bytecode files, no user packages, and UTF-8 with any locale.
      return [runtime.interpreter.path, '-B', '-s', '-X', 'utf8'];
    case 'node':
      return [runtime.interpreter.path];
  }
}

/** If the working directory is the workspace, the script needs an absolute path. */
function absoluteScript(
  { packageFolder }: SandboxProfile,
  target: ProcessTarget,
  [script, ...rest]: readonly string[],
  ownFolder: string,
): string[] {
  if (script === undefined) return [];
  const isOwn = !script.startsWith('-') && existsSync(join(packageFolder, target.directory, script));
  return [isOwn ? posix.join(ownFolder, script) : script, ...rest];
}

/** Variables from the manifest and from slots. A variable whose slot has no value is not set. */
function variables(profile: SandboxProfile, target: ProcessTarget): Record<string, string> {
  const { slots } = profile;
  const found: Record<string, string> = {};
  for (const { name, value } of target.environment) {
    const complete = value.parts.every((it) => it.kind !== 'slot' || slots.has(it.slot));
    if (complete) found[name] = fillText(value, { input: {}, slots });
  }
  return { ...found, ...slotVariables(profile) };
}

/** The variable of a program that runs once, for a tool that is declared idempotent. */
export function idempotencyVariable(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { TOOLWHARF_IDEMPOTENCY_KEY: key };
}

/** Variables from slots that every program of a package gets. */
export function slotVariables({ package: pkg, slots }: SandboxProfile): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, delivery } of pkg.slots) {
    const value = slots.get(name)?.value;
    if (value !== undefined) for (const it of deliveredVariables(delivery)) found[it] = value;
  }
  return found;
}

/** Mounts of every program of a package, in a sandbox or a container. */
export function commonMounts(profile: SandboxProfile): Mount[] {
  const { roots, dataFolder } = profile;
  return [
    ...roots,
    packageMount(profile),
    ...trustMounts(profile),
    ...(dataFolder === null ? [] : [dataMount(dataFolder)]),
  ];
}

function trustMounts({ certificateFolder: folder }: SandboxProfile): Mount[] {
  return folder === undefined ? [] : [certificateMount(folder)];
}

/** Variables that make TLS clients trust the additional certificate authorities. */
export function trustVariables(
  { certificateFolder: folder }: SandboxProfile,
  sandbox: Pick<Sandbox, 'inside'>,
): Readonly<Record<string, string>> {
  return folder === undefined ? {} : certificateVariables(folder, sandbox);
}

function packageMount({ packageFolder }: SandboxProfile): Mount {
  return { source: packageFolder, target: packageMountPoint, writable: false };
}

function dataMount(source: string): Mount {
  return { source, target: dataMountPoint, writable: true };
}

function languageMount(source: string): Mount {
  return { source, target: languageMountPoint, writable: false };
}

/** Node searches node_modules in every folder above a module, up to /toolwharf. */
function languageMounts(packages: string, language: 'python' | 'node' | undefined): Mount[] {
  if (language !== 'node') return [languageMount(packages)];
  const modules = join(packages, 'node_modules');
  return [languageMount(packages), { source: modules, target: '/toolwharf/node_modules', writable: false }];
}

/** Folders where pip and npm install commands. */
function commandFolders(packages: string): string[] {
  return [join(packages, 'bin'), join(packages, 'node_modules', '.bin')];
}

/** Whether a binary exists: in the package, in the installed language packages, or in the system's PATH. */
export function hasBinary(name: string, files: string, packages: string | null): boolean {
  if (name.includes('/')) return existsSync(name.startsWith('/') ? name : join(files, name));
  const folders = [...(packages === null ? [] : commandFolders(packages)), ...binaryFolders];
  return folders.some((it) => existsSync(join(it, name)));
}

/** The arguments of a program's command; undefined if one of them contains a placeholder. */
export function constantArgs(target: ProcessTarget): string[] | undefined {
  const args = target.command.map(constantText);
  return args.every((it) => it !== undefined) ? (args as string[]) : undefined;
}
