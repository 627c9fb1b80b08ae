import { HostError } from '../../model/host-error.js';
import type { CoverPlan } from '../hidden.js';
import type { Limits, Mount } from '../sandbox.js';
import { type Engine, engineArgs } from './engine.js';

/** One container, as everything about it was decided. */
export interface ContainerPlan {
  readonly name: string;
  /** Says whose it is, for whoever clears up. */
  readonly label: string;
  /** Id of an image that is here. */
  readonly image: string;
  /** In the place of what the image would start; empty leaves that to the image. */
  readonly argv: readonly string[];
  /** Values that may stand in a list of processes. */
  readonly open: Readonly<Record<string, string>>;
  /** Names whose values travel in the environment of the engine. */
  readonly closed: readonly string[];
  readonly mounts: readonly Mount[];
  readonly plan: CoverPlan;
  readonly limits: Limits;
  readonly user: { readonly uid: number; readonly gid: number };
  /** Whose network is shared; null is none at all. */
  readonly network: string | null;
}

/** Empty things of the host's own, to lay over what must not be seen, and files that say nothing of this machine. */
export interface Covers {
  readonly folder: string;
  readonly file: string;
  readonly hosts: string;
}

const sharedMemoryBytes = 16 * 1024 * 1024;
/** Counted for a user over the whole machine, so it is no bound for one container; the control group is. */
const userProcesses = 4096;

/** Words for the engine: every option is the host's own, and what comes after the image is for the container alone. */
export function runArgs(engine: Engine, container: ContainerPlan, covers: Covers): string[] {
  const { limits, user, network, plan } = container;
  const podman = engine.flavour === 'podman';
  const isRoot = process.getuid?.() === 0;
  const [program, ...rest] = container.argv;
  return [
    ...engineArgs(engine),
    ...['run', '--rm', '-i', '--pull', 'never', '--name', container.name, '--label', container.label],
    ...(podman || engine.runtime === null ? [] : ['--runtime', engine.runtime]),
    ...['--network', network === null ? 'none' : `container:${network}`],
    // Who shares a network has its name.
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
    ...container.mounts.flatMap((it) => bind(it.source, it.target, it.writable)),
    ...plan.pins.flatMap(({ source, path }) => bind(source, path, true)),
    ...plan.covers.flatMap(({ path, folder }) => bind(folder ? covers.folder : covers.file, path, false)),
    ...(network === null || podman ? bind(covers.hosts, '/etc/hosts', false) : []),
    ...Object.entries(container.open).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    ...container.closed.flatMap((name) => ['--env', name]),
    ...(program === undefined ? [] : [`--entrypoint=${podman ? JSON.stringify([program]) : program}`]),
    container.image,
    ...rest,
  ];
}

/** Engines read these as one line of comma-separated values. */
function bind(source: string, target: string, writable: boolean): string[] {
  for (const path of [source, target]) {
    if (/[",\n\r\0]/.test(path) || !path.startsWith('/')) {
      throw new HostError('workspace_unusable', `${JSON.stringify(path)} cannot be lent to a container`, {
        hint: 'container engines take no comma, quote or line break in a path; give the folder another name',
      });
    }
  }
  return ['--mount', `type=bind,source=${source},target=${target}${writable ? '' : ',readonly'}`];
}
