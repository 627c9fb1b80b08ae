import { posix } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { SandboxCommand } from './sandbox.js';

/** Descriptors that bubblewrap reads while it sets up; none of them reaches the command. */
export interface Descriptors {
  readonly seccomp: number;
  /** Path inside and the descriptor with its content. */
  readonly files: readonly (readonly [string, number])[];
}

export interface ArgumentOptions {
  readonly descriptors: Descriptors;
  /** Arguments that cover what must not be seen. */
  readonly coverings: readonly string[];
  /** Whether this bubblewrap can forbid further user namespaces; the system call filter refuses them anyway. */
  readonly disableUserns: boolean;
  readonly environment: Readonly<Record<string, string>>;
  /** Path inside of the socket to the egress proxy. */
  readonly egressInside: string;
}

/** Size of the memory that processes inside can share as files. */
export const sharedMemoryBytes = 16 * 1024 * 1024;

const systemPaths = ['/etc/ld.so.cache', '/etc/alternatives', '/etc/ssl/certs', '/etc/localtime'];

/** Mounts here would lie over what keeps the process in. */
const ownPlaces =
  /^\/(?:(?:proc|dev|sys|run\/toolwharf)(?:\/|$)|(?:usr|etc|tmp|run|bin|sbin|lib|lib64)?\/?$)/;

/** The order matters: later mounts lie over earlier ones, and the root is made read-only last. */
export function bubblewrapArguments(command: SandboxCommand, options: ArgumentOptions): string[] {
  const { limits } = command;
  const { descriptors, egressInside } = options;
  const wrong = command.mounts.find(
    (it) => ownPlaces.test(posix.normalize(it.target)) || !it.target.startsWith('/'),
  );
  if (wrong !== undefined) {
    throw new HostError(
      'sandbox_unavailable',
      `${wrong.target} belongs to the sandbox, so nothing can be mounted there`,
      {
        hint: 'lend a folder below it',
      },
    );
  }
  const given = [
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
    ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'],
    ['--size', String(sharedMemoryBytes), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ['--size', String(limits.diskBytes), '--perms', '0700', '--tmpfs', '/tmp'],
    command.mounts.flatMap((it) => [it.writable ? '--bind' : '--ro-bind', it.source, it.target]),
    options.coverings,
    command.egress === null ? [] : ['--ro-bind', command.egress, egressInside],
    // Not the environment of bubblewrap itself: what it loads is not for a package to say.
    Object.entries(options.environment).flatMap(([name, value]) => ['--setenv', name, value]),
    ['--remount-ro', '/', '--chdir', command.directory, '--seccomp', String(descriptors.seccomp)],
  ].flat();
  // They are told apart by it: one inside would be the end of one argument and the beginning of another.
  if (given.some((it) => it.includes('\0')))
    throw new HostError('sandbox_unavailable', 'a path or a value for the sandbox has a NUL character in it');
  return given;
}
