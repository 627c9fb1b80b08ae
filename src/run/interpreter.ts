import { accessSync, constants, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { Runtime } from '../model/program.js';

/** Where interpreters live that the sandbox can see. */
const places = ['/usr/local/bin', '/usr/bin'];
const oldest = 9;

/** The wished-for Python if this machine has it, else the nearest one that is not too old. */
export function findPython(runtime: Runtime): string {
  const wished = Number(runtime.version?.split('.')[1] ?? '12');
  const found = installed();
  if (found.length === 0) {
    throw new HostError(
      'runtime_missing',
      `there is no Python 3.${oldest} or newer in ${places.join(' or ')}`,
      {
        hint: 'install it: sudo apt-get install python3',
      },
    );
  }
  const nearest = found.reduce((best, it) =>
    Math.abs(it.minor - wished) < Math.abs(best.minor - wished) ? it : best,
  );
  return nearest.path;
}

function installed(): { path: string; minor: number }[] {
  return places.flatMap((folder) =>
    names(folder).flatMap((name) => {
      const minor = Number(/^python3\.(\d+)$/.exec(name)?.[1] ?? -1);
      return minor >= oldest && isExecutable(join(folder, name)) ? [{ path: join(folder, name), minor }] : [];
    }),
  );
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
