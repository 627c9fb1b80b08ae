import { existsSync, mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Check } from '../host.js';

/**
 * Whether a missing state directory could be created. Permission bits are not enough: nobody can create a folder in
 * /proc, for example. So the same folder names are created beside it and removed again.
 */
export function checkMissingState(state: string): Check {
  const id = 'state';
  let parent = dirname(state);
  while (!existsSync(parent) && parent !== dirname(parent)) parent = dirname(parent);
  const created: string[] = [];
  try {
    let at = mkdtempSync(join(parent, '.toolwharf-doctor-'));
    created.push(at);
    for (const name of relative(parent, state).split('/')) {
      at = join(at, name);
      mkdirSync(at);
      created.push(at);
    }
    return { id, status: 'ok', message: `${state} does not exist yet; the first command creates it` };
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    return {
      id,
      status: 'fail',
      message: `${state} cannot be created in ${parent} (${code})`,
      fix: 'use another state directory with --state, or set TOOLWHARF_HOME',
    };
  } finally {
    // One by one, and only empty folders: other users may be able to write there and replace them.
    for (const it of created.reverse()) remove(it);
  }
}

function remove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Leave what somebody else put there in the meantime.
  }
}
