import { type EgressProxy, openEgress } from '../net/egress.js';
import type { Containers } from '../sandbox/container/containers.js';
import type { Sandbox, SandboxCommand, SandboxProcess } from '../sandbox/sandbox.js';
import type { SandboxProfile } from './launch.js';

/** What processes are started with. */
export interface ProcessServices {
  readonly sandbox: Sandbox;
  /** A path for a socket that the sandbox's user can reach and nobody has. */
  readonly newSocket: () => string;
  /** For programs that come as images; absent where none are run. */
  readonly containers?: Containers | undefined;
}

/** A confined process and its way out. */
export interface SandboxedProcess {
  readonly process: SandboxProcess;
  /** Null when it has no network. */
  readonly egress: EgressProxy | null;
}

/** Starts a process. Its proxy is its own, refuses everything until it is armed, and ends with it. */
export async function spawnConfined(
  command: Omit<SandboxCommand, 'egress'>,
  confinement: SandboxProfile,
  { sandbox, newSocket }: ProcessServices,
): Promise<SandboxedProcess> {
  const egress =
    confinement.network === null || !sandbox.confines
      ? null
      : await openEgress({ socket: newSocket(), policy: confinement.network, armed: false });
  try {
    const process = sandbox.spawn({ ...command, egress: egress?.socket ?? null });
    process.exited.catch(() => {}).finally(() => egress?.close());
    return { process, egress };
  } catch (error) {
    await egress?.close();
    throw error;
  }
}
