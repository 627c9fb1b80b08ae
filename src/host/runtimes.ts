import { npmManifest, type PackageNeed } from '../environment/need.js';
import { HostError } from '../model/host-error.js';
import type { ImageReference } from '../model/image.js';
import { isObject, type Json } from '../model/json.js';
import type { Package } from '../model/package.js';
import type { Program } from '../model/program.js';
import {
  assertNoFetching,
  constantArgs,
  findBinary,
  installLanguage,
  type ProcessTarget,
} from '../run/launch.js';
import type { Containers } from '../sandbox/container/containers.js';
import type { Interpreter } from '../sandbox/interpreter.js';
import type { Loaded } from './catalog.js';
import { imageNeed } from './images.js';
import { runsHere } from './upstream-program.js';
import { upstreamPrograms } from './upstream-tools.js';

/** Finds an interpreter that confined processes can run; throws `runtime_missing`. */
export type FindInterpreter = (runtime: NonNullable<ProcessTarget['runtime']>) => Interpreter;

/** What one program of a package needs before it can start. */
export interface ProgramNeed {
  readonly program: string;
  readonly interpreter: Interpreter | null;
  /** Language packages to be installed; null when there are none. */
  readonly packages: PackageNeed | null;
  /** Comes as an image, which has everything in it. */
  readonly image?: ImageReference;
}

export type Need =
  | { readonly kind: 'ready'; readonly need: ProgramNeed; readonly remark?: string }
  | { readonly kind: 'missing'; readonly reason: string };

/** The programs that calls start, each with what it needs or why it cannot run here. */
export function programNeeds(
  loaded: Loaded,
  find: FindInterpreter,
  containers: Containers,
  strict: boolean,
): Need[] {
  const of = loaded.catalog?.package;
  if (of === undefined) return [];
  const used = new Set(
    of.tools.flatMap((it) =>
      it.action?.kind === 'exec' || it.action?.kind === 'function' ? [it.action.program] : [],
    ),
  );
  // What answers elsewhere needs nothing here.
  const kept = upstreamPrograms(of).filter(runsHere);
  for (const { name } of kept) used.add(name);
  return of.programs
    .filter((it) => used.has(it.name))
    .map((it) =>
      it.target.kind === 'container'
        ? imageNeed(of, it, it.target.image, containers)
        : needOf(loaded, of, it, find, strict),
    );
}

function needOf(loaded: Loaded, of: Package, program: Program, find: FindInterpreter, strict: boolean): Need {
  const { target } = program;
  const missing = (reason: string): Need => ({ kind: 'missing', reason });
  if (target.kind !== 'process')
    return missing(`its program ${program.name} is no process that can be confined here`);
  let interpreter: Interpreter | null = null;
  let remark: string | undefined;
  try {
    if (target.runtime !== undefined) {
      interpreter = find(target.runtime);
      if (!interpreter.exact) {
        const { language, version } = target.runtime;
        remark = `it asks for ${language} ${version}; ${interpreter.version} is used`;
        if (strict)
          return missing(`it asks for ${language} ${version}, and this machine has ${interpreter.version}`);
      }
    }
    if (target.runtime === undefined)
      assertNoFetching(constantArgs(target) ?? [], `${of.id}/${program.name}`);
    // A command that its own source installs is started by the language of that source.
    if (target.runtime === undefined && !isBundled(loaded, target)) {
      const language = installLanguage(of);
      if (language !== undefined) interpreter = find({ language, packages: [] });
    }
    const packages = packagesOf(loaded, of, target, interpreter);
    if (packages === null && target.runtime === undefined) {
      const [binary] = constantArgs(target) ?? [];
      const inside = binary !== undefined && isBundled(loaded, target);
      if (binary !== undefined && !inside && !findBinary(binary, '/', null))
        return missing(`the program ${binary} is not on this machine, in /usr/bin or /usr/local/bin`);
    }
    const need = { program: program.name, interpreter, packages };
    return { kind: 'ready', need, ...(remark === undefined ? {} : { remark }) };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return missing(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`);
  }
}

/** What must be installed. Code that lies in the bundle is run from there, wherever else it could be had. */
function packagesOf(
  loaded: Loaded,
  of: Package,
  target: ProcessTarget,
  interpreter: Interpreter | null,
): PackageNeed | null {
  const declared = target.runtime?.packages ?? [];
  if (target.runtime?.language === 'python' && interpreter !== null && declared.length > 0)
    return { language: 'python', requirements: declared, interpreter };
  if (of.install.kind !== 'bundled' && !isBundled(loaded, target)) return installed(of, interpreter);
  return target.runtime?.language === 'node' && interpreter !== null ? nodeNeed(loaded, interpreter) : null;
}

function installed({ install }: Package, interpreter: Interpreter | null): PackageNeed {
  switch (install.kind) {
    case 'pip':
    case 'npm': {
      const version = /^(?:==?)?\s*(\d+(?:\.\d+)*(?:[-+.\w]*)?)$/.exec(install.version ?? '')?.[1];
      if (version === undefined)
        throw new HostError(
          'not_supported',
          `its ${install.kind} source ${install.package} names no exact version`,
        );
      if (interpreter === null)
        throw new HostError(
          'not_supported',
          `its command starts no interpreter that ${install.kind} installs for`,
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
        `its code is not in its folder, and comes by ${install.kind}, which is not offered yet`,
      );
  }
}

/** Dependencies that a package.json of the bundle names. */
function nodeNeed({ bundle }: Loaded, interpreter: Interpreter): PackageNeed | null {
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

/** What a bundle wants from the npm registry, for whoever agrees to it; what cannot be read is told by `programNeeds`. */
export function npmDependencies({ bundle }: Loaded): string[] {
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
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new HostError('invalid_manifest', 'its package.json is not JSON', { cause: error });
  }
  const wanted = isObject(value) && isObject(value.dependencies) ? Object.entries(value.dependencies) : [];
  return wanted.map(([name, version]) => `${name}@${String(version)}`).sort();
}

/** Whether the code that a command names is one of the bundle's own files. */
function isBundled({ bundle }: Loaded, target: ProcessTarget): boolean {
  const words = constantArgs(target) ?? [];
  const files = bundle.files();
  const place = (path: string) =>
    [target.directory, path.replace(/^\.\//, '')].filter((it) => it !== '').join('/');
  const module = target.runtime?.language === 'python' && words[0] === '-m' ? words[1] : undefined;
  if (module !== undefined) {
    const path = place(module.split('.').join('/'));
    return files.includes(`${path}.py`) || files.includes(`${path}/__main__.py`);
  }
  return words.some((it) => files.includes(place(it)));
}
