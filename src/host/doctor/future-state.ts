import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
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
  const made: string[] = [];
  try {
    let at = mkdtempSync(join(above, '.toolwharf-doctor-'));
    made.push(at);
    for (const name of relative(above, state).split('/')) {
      at = join(at, name);
      mkdirSync(at);
      made.push(at);
    }
    return { id, status: 'ok', message: `${state} is not there yet; the first command makes it` };
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    return {
      id,
      status: 'fail',
      message: `${state} cannot be made: ${above} takes no such folder (${code})`,
      fix: 'name another one with --state, or set TOOLWHARF_HOME',
    };
  } finally {
    // Each by itself, and only while it is an empty folder: others may be able to write there, and to exchange it.
    for (const it of made.reverse()) remove(it);
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // What somebody put there in the meantime stays.
  }
}
