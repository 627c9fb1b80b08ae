import { posix, win32 } from 'node:path';
import type { Machine } from './client.js';

/** A path made the way the machine writes paths, whatever machine this is. */
export function pathOn(machine: Machine, ...parts: readonly string[]): string {
  return (machine.platform === 'win32' ? win32 : posix).join(...parts);
}

/** Where desktop programs keep what belongs to one person. */
export function applicationFolder(machine: Machine): string {
  const { platform, home, environment } = machine;
  if (platform === 'darwin') return pathOn(machine, home, 'Library', 'Application Support');
  if (platform === 'win32') {
    const roaming = environment.APPDATA ?? '';
    return win32.isAbsolute(roaming) ? roaming : pathOn(machine, home, 'AppData', 'Roaming');
  }
  const wished = environment.XDG_CONFIG_HOME ?? '';
  return posix.isAbsolute(wished) ? wished : pathOn(machine, home, '.config');
}
