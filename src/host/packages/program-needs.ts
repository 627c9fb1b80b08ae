import { npmManifest, type PackageNeed } from '../../environment/package-need.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json } from '../../model/json.js';
import { documentLimits, excessText, JsonExcessError, parseBounded } from '../../model/json-bounds.js';
import { type Package, upstreamPrograms } from '../../model/package.js';
import { type Program, runsHere } from '../../model/program.js';
import {
  assertNoPackageRunner,
  constantArgs,
  hasBinary,
  installLanguage,
  type ProcessTarget,
} from '../../run/sandbox-command.js';
import type { Containers } from '../../sandbox/container/containers.js';
import type { Interpreter } from '../../sandbox/interpreter.js';
import { imageNeed } from './image-need.js';
import type { LoadedPackage } from './loaded-package.js';
import type { FindInterpreter, NeedCheck } from './program-need.js';

/** What each program of a package needs, or why it cannot run here. Only programs that calls start on this machine. */
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
        remark = `it requires ${language} ${version}; ${interpreter.version} is used instead`;
        if (strict)
          return missing(`it requires ${language} ${version}, but this machine has ${interpreter.version}`);
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
    if (packages === null && target.runtime === undefined) {
      const [binary] = constantArgs(target) ?? [];
      const isInBundle = binary !== undefined && isBundled(loaded, target);
      if (binary !== undefined && !isInBundle && !hasBinary(binary, '/', null))
        return missing(`the program ${binary} is not installed in /usr/bin or /usr/local/bin`);
    }
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
          };
    }
    case 'bundled':
      throw new Error('a bundled package installs nothing');
    default:
      throw new HostError(
        'not_supported',
        `its code is not in its folder, and installing with ${install.kind} is not supported yet`,
      );
  }
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

/** Whether a command runs a file of the bundle. */
function isBundled({ bundle }: LoadedPackage, target: ProcessTarget): boolean {
  const args = constantArgs(target) ?? [];
  const files = bundle.files();
  const bundlePath = (path: string) =>
    [target.directory, path.replace(/^\.\//, '')].filter((it) => it !== '').join('/');
  const module = target.runtime?.language === 'python' && args[0] === '-m' ? args[1] : undefined;
  if (module !== undefined) {
    const path = bundlePath(module.split('.').join('/'));
    return files.includes(`${path}.py`) || files.includes(`${path}/__main__.py`);
  }
  return args.some((it) => files.includes(bundlePath(it)));
}
