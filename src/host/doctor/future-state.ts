import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Check } from '../host.js';

/**
 * Whether a state directory that is not there could be made. What modes say is not enough: nobody makes a folder below
 * /proc. So one is made beside it, by the same names, and taken away again.
 */
export function checkFuture(state: string): Check {
  const id = 'state';
  let above = dirname(state);
  while (!existsSync(above) && above !== dirname(above)) above = dirname(above);
  let trial: string | undefined;
  try {
    trial = mkdtempSync(join(above, '.toolport-doctor-'));
    let at = trial;
    for (const name of relative(above, state).split('/')) {
      at = join(at, name);
      mkdirSync(at);
    }
    return { id, status: 'ok', message: `${state} is not there yet; the first command makes it` };
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    return {
      id,
      status: 'fail',
      message: `${state} cannot be made: ${above} takes no such folder (${code})`,
      fix: 'name another one with --state, or set TOOLPORT_HOME',
    };
  } finally {
    if (trial !== undefined) rmSync(trial, { recursive: true, force: true });
  }
}
