import { HostError } from '../../model/host-error.js';
import type { InstallLock } from '../../model/installation.js';
import type { Package } from '../../model/package.js';
import type { Runtime } from '../../model/program.js';
import { type Interpreter, versionFits } from '../../sandbox/interpreter.js';
import type { SourceServices } from '../../sources/source.js';
import { interpreterFinder } from '../sandboxing/interpreter-finder.js';

type Machine = Pick<SourceServices, 'sandbox' | 'home' | 'pythons'>;

/**
 * The versions that the hints of a package mean on this machine. A hint that nothing here fits is left as it is: it
 * prevents the installation. Of Node only the first number counts: its later versions are compatible.
 */
export function lockedRuntimes(
  declared: Package,
  lock: InstallLock | undefined,
  machine: Machine,
): Pick<InstallLock, 'runtimes'> {
  const hints = runtimesOf(declared).filter((it) => it.mustFit === true);
  if (hints.length === 0) return {};
  if (lock?.runtimes !== undefined) {
    assertRuntimesFit(hints, lock.runtimes);
    return { runtimes: lock.runtimes };
  }
  const runtimes: Partial<Record<Runtime['language'], string>> = {};
  for (const hint of hints) {
    const { language } = hint;
    const found = find(hint, machine);
    if (found?.exact === true)
      runtimes[language] = language === 'node' ? found.version.replace(/\..*/, '') : exactVersion(found);
  }
  return Object.keys(runtimes).length === 0 ? {} : { runtimes };
}

/** A lock can come from a file that others wrote: it may choose only what the manifest allows. */
function assertRuntimesFit(hints: readonly Runtime[], locked: NonNullable<InstallLock['runtimes']>): void {
  for (const { language, version } of hints) {
    const chosen = locked[language];
    if (chosen !== undefined && !versionFits(version, chosen))
      throw new HostError(
        'integrity',
        `the lock has ${language} ${chosen}, but the manifest asks for ${version}`,
      );
  }
}

/** The interpreters that its programs run with, each with the hint that it was chosen for. `locked`: with its lock. */
export function usedRuntimes(declared: Package, locked: Package, machine: Machine): string[] {
  const hints = runtimesOf(declared);
  const lines = runtimesOf(locked).flatMap((it, index) => {
    const found = find(it, machine);
    if (found === undefined) return [];
    const asked = hints[index]?.version;
    const version = exactVersion(found);
    const isSame = asked === undefined || asked === version;
    return [`${it.language} ${version}${isSame ? '' : ` (it asks for ${asked})`}`];
  });
  return [...new Set(lines)];
}

function exactVersion({ version, patchVersion = version }: Interpreter): string {
  return patchVersion;
}

function runtimesOf({ programs }: Package): Runtime[] {
  return programs.flatMap(({ target }) => (target.kind === 'process' ? (target.runtime ?? []) : []));
}

/** Undefined if the machine has no such interpreter at all, which prevents the installation. */
function find(runtime: Runtime, { sandbox, home, pythons }: Machine): Interpreter | undefined {
  try {
    return interpreterFinder(sandbox, home, pythons)(runtime);
  } catch (error) {
    if (error instanceof HostError) return undefined;
    throw error;
  }
}
