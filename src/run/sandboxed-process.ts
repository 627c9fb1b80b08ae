import { type DeniedHost, type EgressProxy, openEgress } from '../net/egress.js';
import type { Containers } from '../sandbox/container/containers.js';
import type { Sandbox, SandboxCommand, SandboxProcess } from '../sandbox/sandbox.js';
import type { SandboxProfile } from './sandbox-command.js';

/** Everything needed to start processes. */
export interface ProcessServices {
  readonly sandbox: Sandbox;
  /** A new path for a socket that the user of sandboxed processes can reach. */
  readonly newSocket: () => string;
  /** For programs that come as container images; undefined if this host runs none. */
  readonly containers?: Containers | undefined;
  /** Called when a process tries to reach a host that it may not reach. */
  readonly onDenied?: ((denied: DeniedHost) => void) | undefined;
}

/** A sandboxed process and its egress proxy. */
export interface SandboxedProcess {
  readonly process: SandboxProcess;
  /** Null if it has no network access. */
  readonly egress: EgressProxy | null;
}

/** Starts a process. It has its own egress proxy, which denies everything until it is activated, and stops with it. */
export async function spawnSandboxed(
  command: Omit<SandboxCommand, 'egress'>,
  profile: SandboxProfile,
  { sandbox, newSocket, onDenied }: ProcessServices,
): Promise<SandboxedProcess> {
  const egress =
    profile.network === null || !sandbox.isolates
      ? null
      : await openEgress({ socket: newSocket(), policy: profile.network, active: false, onDenied });
  try {
    const process = sandbox.spawn({ ...command, egress: egress?.socket ?? null });
    profile.guard?.started(process);
    process.exited.catch(() => {}).finally(() => egress?.close());
    return { process, egress };
  } catch (error) {
    await egress?.close();
    throw error;
  }
}
