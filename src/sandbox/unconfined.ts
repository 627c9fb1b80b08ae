import { spawn } from 'node:child_process';
import { HostError } from '../model/host-error.js';
import { processOf } from './group.js';
import { confinedUser } from './identity.js';
import { openLedger } from './ledger.js';
import { limited } from './limits.js';
import { startReaper } from './reaper.js';
import type { Sandbox } from './sandbox.js';
import { watchTotals } from './watch.js';

const hint = 'check that the program and its folder exist and can be read by the user that runs tools';

export interface UnconfinedOptions {
  /** Folder where running processes are on record; the next host ends what this one leaves. */
  readonly ledger?: string;
}

/**
 * For whoever asked for no sandbox: files, network and other processes of this machine are open to what runs. The
 * environment is still empty, limits on memory, size of files and processor time hold, a group ends as a whole, and
 * no process is root. The number of processes is not bound. The egress proxy is left out, because nothing could make
 * a process use it; hidden paths are not hidden.
 */
export function unconfined(options: UnconfinedOptions = {}): Sandbox {
  const { user, identity } = confinedUser();
  const keepers = {
    reaper: startReaper(identity),
    ledger:
      options.ledger === undefined ? null : openLedger(options.ledger, user.uid, 'unconfined-processes'),
    watch: watchTotals([]),
  };
  return {
    name: 'unconfined',
    confines: false,
    user,
    inside: (mount) => mount.source,
    probe: async () => ({ level: 'degraded', reasons: ['processes run without confinement'] }),
    spawn(command) {
      const [program, ...words] = limited(command.argv, command.limits, {
        addressSpace: command.boundAddressSpace,
        processes: false,
      });
      if (program === undefined) throw new HostError('internal', 'a command without a program');
      const child = spawn(program, words, {
        ...identity,
        cwd: command.directory,
        env: { ...command.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      });
      return processOf(child, command.limits, keepers, hint);
    },
  };
}
