import { existsSync, realpathSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';

/** The home folder in every spelling: as the environment has it, as the system has it, and where links lead. */
export function homeFolders(): string[] {
  const said: string[] = [];
  for (const ask of [homedir, () => userInfo().homedir]) {
    try {
      said.push(ask());
    } catch {
      // Users without an entry in the system's list exist, in containers above all.
    }
  }
  const real = said.flatMap((it) => (existsSync(it) ? [realpathSync.native(it)] : []));
  return [...new Set([...said, ...real])].filter((it) => isAbsolute(it));
}
