import { npmManifest, type PackageNeed } from '../../environment/package-need.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { documentLimits, excessText, JsonExcessError, parseBounded } from '../../model/json-bounds.js';
import { type Package, upstreamPrograms } from '../../model/package.js';
import { type Program, runsHere } from '../../model/program.js';
import { assertNoPackageRunner } from '../../run/package-runners.js';
import { constantArgs, hasBinary, installLanguage, type ProcessTarget } from '../../run/sandbox-command.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { Interpreter } from '../../sandbox/interpreter.js';
import { imageNeed } from './image-need.js';
import type { LoadedPackage } from './loaded-package.js';
import type { FindInterpreter, NeedCheck } from './program-need.js';

/**
 * What each program of a package needs, or why it cannot run here. Only programs that the host starts on this machine:
 * for calls, and for an installed package also for its smoke test and its kill switch.
 */
export function programNeeds(
  loaded: LoadedPackage,
  findInterpreter: FindInterpreter,
  containers: Containers,
  strict: boolean,
): NeedCheck[] {
  const pkg = loaded.catalog?.package;
  if (pkg === undefined) return [];
  const used = new Set(
    pkg.tools.flatMap((it) =>
      it.action?.kind === 'exec' || it.action?.kind === 'function' ? [it.action.program] : [],
    ),
  );
  for (const { name } of upstreamPrograms(pkg).filter(runsHere)) used.add(name);
  // Only installations are tested and revoked.
  if (loaded.installed !== undefined)
    for (const { name, role } of pkg.programs) if (role === 'smoke' || role === 'kill-switch') used.add(name);
  return pkg.programs
    .filter((it) => used.has(it.name))
    .map((it) =>
      it.target.kind === 'container'
        ? imageNeed(pkg, it, it.target.image, containers)
        : needOf(loaded, pkg, it, findInterpreter, strict),
    );
}

function needOf(
  loaded: LoadedPackage,
  pkg: Package,
  program: Program,
  findInterpreter: FindInterpreter,
  strict: boolean,
): NeedCheck {
  const { target } = program;
  const missing = (reason: string): NeedCheck => ({ kind: 'missing', reason });
  if (target.kind !== 'process')
    return missing(`its program ${program.name} cannot run in a sandbox on this machine`);
  let interpreter: Interpreter | null = null;
  let remark: string | undefined;
  try {
    if (target.runtime !== undefined) {
      interpreter = findInterpreter(target.runtime);
      if (!interpreter.exact) {
        const { language, version } = target.runtime;
        const { patchVersion = interpreter.version } = interpreter;
        remark = `it requires ${language} ${version}; ${patchVersion} is used instead`;
        const isNeeded = strict || (loaded.installed !== undefined && target.runtime.mustFit === true);
        const { installed = [interpreter.version] } = interpreter;
        if (isNeeded)
          return missing(`it requires ${language} ${version}, but this machine has ${installed.join(', ')}`);
      }
    }
    if (target.runtime === undefined)
      assertNoPackageRunner(constantArgs(target) ?? [], `${pkg.id}/${program.name}`);
    // A command that pip or npm installs is started with the interpreter of that language.
    if (target.runtime === undefined && !isBundled(loaded, target)) {
      const language = installLanguage(pkg);
      if (language !== undefined) interpreter = findInterpreter({ language, packages: [] });
    }
    const packages = packagesOf(loaded, pkg, target, interpreter);
    const unusable =
      target.runtime === undefined
        ? packages === null && missingProgram(loaded, target)
        : packages !== null && missingScript(loaded, target);
    if (unusable) return missing(unusable);
    const need = { program: program.name, interpreter, packages };
    return { kind: 'ready', need, ...(remark === undefined ? {} : { remark }) };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return missing(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`);
  }
}

/** What must be installed. Code in the bundle is run from there, even if a registry has it too. */
function packagesOf(
  loaded: LoadedPackage,
  pkg: Package,
  target: ProcessTarget,
  interpreter: Interpreter | null,
): PackageNeed | null {
  const declared = target.runtime?.packages ?? [];
  if (target.runtime?.language === 'python' && interpreter !== null && declared.length > 0)
    return { language: 'python', requirements: declared, interpreter };
  if (pkg.install.kind !== 'bundled' && !isBundled(loaded, target)) return registryNeed(pkg, interpreter);
  return target.runtime?.language === 'node' && interpreter !== null ? nodeNeed(loaded, interpreter) : null;
}

function registryNeed({ install }: Package, interpreter: Interpreter | null): PackageNeed {
  switch (install.kind) {
    case 'pip':
    case 'npm': {
      const version = /^(?:==?)?\s*(\d+(?:\.\d+)*(?:[-+.\w]*)?)$/.exec(install.version ?? '')?.[1];
      if (version === undefined)
        throw new HostError(
          'not_supported',
          `its ${install.kind} package ${install.package} has no exact version`,
          { hint: `write one in version_spec, such as "${install.kind === 'pip' ? '==1.4.0' : '1.4.0'}"` },
        );
      if (interpreter === null)
        throw new HostError(
          'not_supported',
          `its command uses no interpreter that ${install.kind} packages work with`,
        );
      return install.kind === 'pip'
        ? { language: 'python', requirements: [`${install.package}==${version}`], interpreter }
        : {
            language: 'node',
            manifest: npmManifest([`${install.package}@${version}`]),
            lock: null,
            interpreter,
            ...(install.kind === 'npm' && install.scripts !== undefined ? { scripts: install.scripts } : {}),
          };
    }
    case 'bundled':
      throw new Error('a bundled package installs nothing');
    default:
      throw new HostError(
        'not_supported',
        `its code is not in its folder, and installing with ${install.kind} is not supported yet`,
        {
          hint:
            install.kind === 'git' || install.kind === 'url'
              ? `put the files of ${install.url} into its folder`
              : 'put its files into its folder',
        },
      );
  }
}

/** Whether the code of a package comes from where its manifest says, because it is not in the bundle. */
export function usesInstallMethod(loaded: LoadedPackage): boolean {
  const pkg = loaded.catalog?.package;
  if (pkg === undefined || pkg.install.kind === 'bundled') return false;
  return pkg.programs.some(
    ({ target, role }) =>
      target.kind === 'container' ||
      (target.kind === 'process' && role !== 'smoke' && role !== 'kill-switch' && !isBundled(loaded, target)),
  );
}

/** The dependencies in the bundle's package.json; null if there are none. */
function nodeNeed({ bundle }: LoadedPackage, interpreter: Interpreter): PackageNeed | null {
  const manifest = bundle.read('package.json');
  if (manifest.kind !== 'file' || dependenciesOf(manifest.bytes).length === 0) return null;
  const lock = bundle.read('package-lock.json');
  return {
    language: 'node',
    manifest: manifest.bytes,
    lock: lock.kind === 'file' ? lock.bytes : null,
    interpreter,
  };
}

/** The npm dependencies of a bundle, for a review. Empty for an invalid package.json, which `programNeeds` reports. */
export function npmDependencies({ bundle }: LoadedPackage): string[] {
  const manifest = bundle.read('package.json');
  try {
    return manifest.kind === 'file' ? dependenciesOf(manifest.bytes) : [];
  } catch {
    return [];
  }
}

function dependenciesOf(bytes: Uint8Array): string[] {
  let value: Json;
  try {
    value = parseBounded(new TextDecoder().decode(bytes), documentLimits);
  } catch (error) {
    if (error instanceof JsonExcessError)
      throw new HostError('invalid_manifest', `its package.json ${excessText(error.excess)}`);
    throw new HostError('invalid_manifest', 'its package.json is not valid JSON', { cause: error });
  }
  const dependencies =
    isObject(value) && isObject(value.dependencies) ? Object.entries(value.dependencies) : [];
  return dependencies.map(([name, version]) => `${name}@${String(version)}`).sort();
}

/** Why the program of a command without an interpreter cannot start here; undefined if it can. */
function missingProgram({ bundle }: LoadedPackage, target: ProcessTarget): string | undefined {
  const [program] = constantArgs(target) ?? [];
  if (program === undefined) return undefined;
  const isPath = program.includes('/');
  if (!isPath || program.startsWith('/'))
    return hasBinary(program, '/', null) && (!isPath || /^\/(?:usr|bin|sbin)\//.test(program))
      ? undefined
      : `the program ${program} is not installed in /usr/bin or /usr/local/bin; install it there`;
  const entry = bundle.read(bundlePath(target, program));
  if (entry.kind !== 'file') return `its program ${program} is not in its folder; add it`;
  const interpreter = scriptInterpreter(entry.bytes);
  return interpreter === undefined || hasBinary(interpreter, '/', null)
    ? undefined
    : `its program ${program} is a script for ${interpreter}, which is not installed in /usr/bin or /usr/local/bin; install it there`;
}

/** The interpreter in the first line of a script, such as `#!/usr/bin/env ruby`; undefined if it names none. */
function scriptInterpreter(bytes: Uint8Array): string | undefined {
  const line = new TextDecoder().decode(bytes.subarray(0, 256)).split('\n', 1)[0] ?? '';
  const [program, ...args] = /^#!\s*(.*\S)/.exec(line)?.[1]?.split(/\s+/) ?? [];
  if (program === undefined || !/(?:^|\/)env$/.test(program)) return program;
  return args.find((it) => !it.startsWith('-') && !it.includes('=')) ?? program;
}

/** Why the script of an interpreter is not there: language packages are installed elsewhere, not in the folder. */
function missingScript({ bundle }: LoadedPackage, target: ProcessTarget): string | undefined {
  const [script] = constantArgs(target) ?? [];
  if (script === undefined || script.startsWith('-') || script.startsWith('/')) return undefined;
  return bundle.read(bundlePath(target, script)).kind === 'missing'
    ? `its command runs ${script}, which is not in its folder; add it, or start the installed package by its own command`
    : undefined;
}

function bundlePath({ directory }: ProcessTarget, path: string): string {
  return [directory, path.replace(/^\.\//, '')].filter((it) => it !== '').join('/');
}

/** Whether a command runs a file of the bundle. */
function isBundled({ bundle }: LoadedPackage, target: ProcessTarget): boolean {
  const args = constantArgs(target) ?? [];
  const files = bundle.files();
  const module = target.runtime?.language === 'python' && args[0] === '-m' ? args[1] : undefined;
  if (module !== undefined) {
    const path = bundlePath(target, module.split('.').join('/'));
    return files.includes(`${path}.py`) || files.includes(`${path}/__main__.py`);
  }
  return args.some((it) => files.includes(bundlePath(target, it)));
}
