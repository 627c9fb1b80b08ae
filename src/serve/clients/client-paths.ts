import { posix, win32 } from 'node:path';
import type { ClientMachine } from './client.js';

/** Joins a path in the style of that machine, which may differ from this one. */
export function joinPathFor(machine: ClientMachine, ...parts: readonly string[]): string {
  return (machine.platform === 'win32' ? win32 : posix).join(...parts);
}

/** Where desktop programs store per-user configuration. */
export function applicationFolder(machine: ClientMachine): string {
  const { platform, home, environment } = machine;
  if (platform === 'darwin') return joinPathFor(machine, home, 'Library', 'Application Support');
  if (platform === 'win32') {
    const roaming = environment.APPDATA ?? '';
    return win32.isAbsolute(roaming) ? roaming : joinPathFor(machine, home, 'AppData', 'Roaming');
  }
  const configHome = environment.XDG_CONFIG_HOME ?? '';
  return posix.isAbsolute(configHome) ? configHome : joinPathFor(machine, home, '.config');
}
