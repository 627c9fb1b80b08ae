import { HostError } from '../model/host-error.js';
import { type BubblewrapOptions, bubblewrap } from './bubblewrap/bubblewrap.js';
import { processIdentity } from './process/process-identity.js';
import type { Sandbox } from './sandbox.js';

/** The sandbox of this machine. On an unsupported platform, one that is always unavailable and gives the reason. */
export function systemSandbox(
  options: BubblewrapOptions = {},
  platform: NodeJS.Platform = process.platform,
): Sandbox {
  return platform === 'linux' ? bubblewrap(options) : unavailableSandbox(platform);
}

function unavailableSandbox(platform: string): Sandbox {
  const reason = `there is no sandbox for ${platform}; tools do not run without one`;
  const hint =
    platform === 'win32'
      ? 'run the host inside the Windows Subsystem for Linux'
      : 'run the host on Linux, or in a Linux virtual machine';
  return {
    name: 'none',
    isolates: true,
    user: processIdentity().user,
    inside: (mount) => mount.target,
    probe: async () => ({ level: 'unavailable', reasons: [reason], hint }),
    spawn() {
      throw new HostError('sandbox_unavailable', reason, { hint });
    },
  };
}
