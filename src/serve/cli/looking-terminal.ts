import { HostError } from '../../model/host-error.js';
import type { Terminal } from './terminal/terminal.js';

/**
 * The terminal for commands that only read, and for every --dry-run: whatever such a command does, its sessions start no
 * program and accept nothing.
 */
export function lookingTerminal(terminal: Terminal): Terminal {
  return {
    ...terminal,
    async openHost(options) {
      const host = await terminal.openHost(options);
      return {
        ...host,
        session: (session) => host.session({ ...session, intent: 'look', accept: null }),
      };
    },
    async startHost() {
      throw new HostError('not_supported', 'a command that only reads starts no host');
    },
  };
}
