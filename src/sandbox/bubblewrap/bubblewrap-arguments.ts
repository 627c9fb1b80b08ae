import { posix } from 'node:path';
import { HostError } from '../../model/host-error.js';
import type { SandboxCommand } from '../sandbox.js';

/** File descriptors that bubblewrap reads during setup; none of them reaches the command. */
export interface SetupDescriptors {
  readonly seccomp: number;
  /** Path inside the sandbox, and the descriptor with its content. */
  readonly files: readonly (readonly [string, number])[];
}

export interface BubblewrapArgumentOptions {
  readonly descriptors: SetupDescriptors;
  /** Arguments for the mounts of the command, with those that hide paths. */
  readonly mountArgs: readonly string[];
  /** Whether this bubblewrap supports --disable-userns; the seccomp filter denies new user namespaces in any case. */
  readonly disableUserns: boolean;
  /** Whether only the resource monitor limits the memory of all processes together. */
  readonly memoryIsWatched: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** Path of the egress proxy's socket inside the sandbox. */
  readonly egressSocketInside: string;
}

/** Size of /dev/shm. */
export const sharedMemoryBytes = 16 * 1024 * 1024;

const systemPaths = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/ssl/certs', '/etc/localtime'];

/** Mount targets that would replace a part of the sandbox itself. */
const reservedTargets =
  /^\/(?:(?:proc|dev|sys|run\/toolwharf)(?:\/|$)|(?:usr|etc|tmp|run|bin|sbin|lib|lib64)?\/?$)/;

/** The order matters: later mounts replace earlier ones, and the root becomes read-only last. */
export function bubblewrapArguments(command: SandboxCommand, options: BubblewrapArgumentOptions): string[] {
  const { limits } = command;
  const { descriptors, egressSocketInside } = options;
  const reserved = command.mounts.find(
    (it) => reservedTargets.test(posix.normalize(it.target)) || !it.target.startsWith('/'),
  );
  if (reserved !== undefined) {
    throw new HostError(
      'sandbox_unavailable',
      `nothing can be mounted at ${reserved.target}: the sandbox uses this path itself`,
      {
        hint: 'mount a folder below it',
      },
    );
  }
  const args = [
    [
      '--unshare-user',
      '--unshare-ipc',
      '--unshare-pid',
      '--unshare-uts',
      '--unshare-cgroup-try',
      '--unshare-net',
    ],
    options.disableUserns ? ['--disable-userns'] : [],
    ['--die-with-parent', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/sbin', '/sbin'],
    ['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    systemPaths.flatMap((it) => ['--ro-bind-try', it, it]),
    descriptors.files.flatMap(([path, descriptor]) => [
      '--perms',
      '0444',
      '--file',
      String(descriptor),
      path,
    ]),
    // Read-only, so that no process can undo that the OOM killer chooses it before the host.
    ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--remount-ro', '/proc', '--dev', '/dev'],
    // Memory mapped from /dev/zero is not shown for any process after it was unmapped. /dev/full reads the same and cannot
    // be mapped.
    options.memoryIsWatched ? ['--dev-bind', '/dev/full', '/dev/zero'] : [],
    ['--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ['--size', String(limits.diskBytes), '--perms', '0700', '--tmpfs', '/tmp'],
    options.mountArgs,
    command.egress === null ? [] : ['--ro-bind', command.egress, egressSocketInside],
    // Set for the command only: a package must not influence the environment of bubblewrap itself.
    Object.entries(options.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ['--remount-ro', '/', '--chdir', command.directory, '--seccomp', String(descriptors.seccomp)],
  ].flat();
  // NUL separates the arguments, so a NUL inside one of them would inject another argument.
  if (args.some((it) => it.includes('\0')))
    throw new HostError(
      'sandbox_unavailable',
      'a path or an environment value contains a NUL character, so the sandbox cannot start',
    );
  return args;
}
