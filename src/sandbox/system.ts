import { HostError } from '../model/host-error.js';
import { type BubblewrapOptions, bubblewrap } from './bubblewrap.js';
import { confinedUser } from './identity.js';
import type { Sandbox } from './sandbox.js';

/** The sandbox of this machine. Where there is none, one that refuses everything and says so. */
export function systemSandbox(
  options: BubblewrapOptions = {},
  platform: NodeJS.Platform = process.platform,
): Sandbox {
  return platform === 'linux' ? bubblewrap(options) : absent(platform);
}

function absent(platform: string): Sandbox {
  const reason = `there is no sandbox for ${platform}, and tools never run without one`;
  const hint =
    platform === 'win32'
      ? 'run the host inside the Windows Subsystem for Linux'
      : 'run the host on Linux, or in a Linux virtual machine';
  return {
    name: 'none',
    confines: true,
    user: confinedUser().user,
    inside: (mount) => mount.target,
    probe: async () => ({ level: 'unavailable', reasons: [reason], hint }),
    spawn() {
      throw new HostError('sandbox_unavailable', reason, { hint });
    },
  };
}
