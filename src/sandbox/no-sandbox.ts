import { spawn } from 'node:child_process';
import { HostError } from '../model/host-error.js';
import { openPidFile } from './process/pid-file.js';
import { prlimitCommand } from './process/prlimit.js';
import { sandboxProcessOf } from './process/process-group.js';
import { startProcessGroupWatchdog } from './process/process-group-watchdog.js';
import { processIdentity } from './process/process-identity.js';
import { monitorResources } from './process/resource-monitor.js';
import type { Sandbox } from './sandbox.js';

const hint = 'check that the program and its folder exist and can be read by the user that runs tools';

export interface NoSandboxOptions {
  /** Folder of the PID file. The next host kills the process groups that this one leaves behind. */
  readonly pidFolder?: string;
}

/**
 * Runs processes without a sandbox, if the operator chose that. They can access files, network and other processes of
 * this machine. Still enforced: an empty environment, limits on memory, file size and CPU time, one kill for the whole
 * process group, and no root. Not enforced: the process limit, hidden paths, and the egress proxy, because a process
 * could simply not use it.
 */
export function noSandbox(options: NoSandboxOptions = {}): Sandbox {
  const { user, spawnAs } = processIdentity();
  const guards = {
    watchdog: startProcessGroupWatchdog(spawnAs),
    pidFile:
      options.pidFolder === undefined
        ? null
        : openPidFile(options.pidFolder, user.uid, 'unsandboxed-processes'),
    monitor: monitorResources({ folders: [], ownNetwork: false }),
  };
  return {
    name: 'no sandbox',
    isolates: false,
    user,
    inside: (mount) => mount.source,
    probe: async () => ({ level: 'degraded', reasons: ['processes run without a sandbox'] }),
    spawn(command) {
      const [program, ...args] = prlimitCommand(command.argv, command.limits, {
        addressSpace: command.limitAddressSpace,
        processes: false,
      });
      if (program === undefined) throw new HostError('internal', 'the command is empty');
      const child = spawn(program, args, {
        ...spawnAs,
        cwd: command.directory,
        env: { ...command.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true,
      });
      return sandboxProcessOf(child, {
        limits: command.limits,
        guards,
        hint,
        group: null,
        confined: Promise.resolve(),
      });
    },
  };
}
