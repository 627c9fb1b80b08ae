import { HostError } from '../../model/host-error.js';
import type { MountLayers } from '../bubblewrap/mount-layers.js';
import type { SandboxLimits } from '../sandbox.js';
import { type ContainerEngine, engineArgs } from './engine.js';

/** All decisions about one container. */
export interface ContainerPlan {
  readonly name: string;
  /** Identifies the host's state directory, so that leftovers can be found and removed. */
  readonly label: string;
  /** Id of a local image. */
  readonly image: string;
  /** Replaces the image's entrypoint and command; empty keeps them. */
  readonly argv: readonly string[];
  /** `argv` has only the arguments of the image's own entrypoint. */
  readonly keepsEntrypoint?: boolean;
  /** Variables whose values may be visible in a process list. */
  readonly publicVariables: Readonly<Record<string, string>>;
  /** Names of variables whose values are passed in the environment of the engine. */
  readonly secretVariableNames: readonly string[];
  readonly layers: MountLayers;
  readonly limits: SandboxLimits;
  readonly user: { readonly uid: number; readonly gid: number };
  /** Name of the container whose network namespace is shared; null: no network. */
  readonly network: string | null;
}

/** An empty folder and an empty file that mask hidden paths, and a neutral hosts file. */
export interface MaskFiles {
  readonly folder: string;
  readonly file: string;
  readonly hosts: string;
}

const sharedMemoryBytes = 16 * 1024 * 1024;
/** nproc counts all processes of a user on the machine, so it cannot limit one container; --pids-limit does. */
const userProcesses = 4096;

/** Arguments for the engine. All options come from the host; everything after the image is for the container only. */
export function runArgs(engine: ContainerEngine, container: ContainerPlan, maskFiles: MaskFiles): string[] {
  const { limits, user, network, layers } = container;
  const podman = engine.kind === 'podman';
  const isRoot = process.getuid?.() === 0;
  const [first, ...others] = container.argv;
  const program = container.keepsEntrypoint === true ? undefined : first;
  const rest = container.keepsEntrypoint === true ? container.argv : others;
  return [
    ...engineArgs(engine),
    ...['run', '--rm', '-i', '--pull', 'never', '--name', container.name, '--label', container.label],
    ...(podman || engine.runtime === null ? [] : ['--runtime', engine.runtime]),
    ...['--network', network === null ? 'none' : `container:${network}`],
    // A container that shares a network namespace also shares its host name.
    ...(network === null ? ['--hostname', 'sandbox'] : []),
    ...['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--ipc', 'private'],
    ...['--cgroupns', 'private', '--user', `${user.uid}:${user.gid}`],
    ...(podman && !isRoot ? ['--userns', 'keep-id'] : []),
    ...['--pids-limit', String(limits.processes)],
    ...['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
    ...['--ulimit', `nofile=${limits.openFiles}:${limits.openFiles}`],
    ...['--ulimit', `nproc=${userProcesses}:${userProcesses}`],
    ...['--ulimit', `fsize=${limits.diskBytes}:${limits.diskBytes}`],
    ...['--ulimit', `cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`, '--ulimit', 'core=0:0'],
    ...['--tmpfs', `/tmp:rw,nosuid,nodev,size=${limits.diskBytes},mode=1777`],
    ...['--shm-size', String(sharedMemoryBytes), '--log-driver', 'none', '--no-healthcheck'],
    ...(podman
      ? ['--read-only-tmpfs=false', '--http-proxy=false', '--image-volume', 'ignore', '--systemd', 'false']
      : []),
    ...layers.mounts.flatMap((it) => bind(it.source, it.target, it.writable)),
    ...layers.masks.flatMap(({ path, folder }) =>
      bind(folder ? maskFiles.folder : maskFiles.file, path, false),
    ),
    ...(network === null || podman ? bind(maskFiles.hosts, '/etc/hosts', false) : []),
    ...Object.entries(container.publicVariables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...container.secretVariableNames.flatMap((name) => ['--env', name]),
    ...(program === undefined ? [] : [`--entrypoint=${podman ? JSON.stringify([program]) : program}`]),
    container.image,
    ...rest,
  ];
}

/** Engines parse the --mount value as one line of comma-separated values. */
function bind(source: string, target: string, writable: boolean): string[] {
  for (const path of [source, target]) {
    if (/[",\n\r\0]/.test(path) || !path.startsWith('/')) {
      throw new HostError(
        'workspace_unusable',
        `${JSON.stringify(path)} cannot be mounted into a container`,
        {
          hint: 'container engines do not support a comma, quote or line break in a path; rename the folder',
        },
      );
    }
  }
  return ['--mount', `type=bind,source=${source},target=${target}${writable ? '' : ',readonly'}`];
}
