import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { HostError } from '../model/host-error.js';
import { leakyDescriptors } from './descriptors.js';
import { probeConfinement } from './probe.js';
import { startReaper } from './reaper.js';
import type { Exit, Limits, Sandbox, SandboxCommand, SandboxProcess, Verdict } from './sandbox.js';

/** Where a root host's confined processes live: an unprivileged identity that owns nothing. */
const unprivileged = { uid: 65533, gid: 65533 };

const programs = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

const installHint = 'install bubblewrap: sudo apt-get install bubblewrap';

/** Descriptor of the argument pipe: host paths stay out of /proc/1/cmdline. */
const argumentsDescriptor = 3;

/** Linux namespaces through bubblewrap, never with the rights of root. */
export function bubblewrap(): Sandbox {
  const program = programs.find((it) => existsSync(it));
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? unprivileged : { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
  // Node marks its own descriptors; what it inherited without the mark would travel into the sandbox.
  const inherited = program === undefined ? [] : covers(leakyDescriptors());
  const reaper = startReaper(isRoot ? unprivileged : undefined);
  let verdict: Promise<Verdict> | undefined;

  const start = (command: SandboxCommand): SandboxProcess => {
    if (program === undefined) {
      throw new HostError(
        'sandbox_unavailable',
        'bubblewrap is not installed, and tools never run without it',
        { hint: installHint },
      );
    }
    const child = spawn(program, ['--args', String(argumentsDescriptor), '--', ...limited(command)], {
      ...(isRoot ? unprivileged : {}),
      cwd: '/',
      env: { ...command.environment },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...inherited],
      // A session and process group of its own: no terminal to type into, and one number to end all of it.
      detached: true,
    });
    const group = child.pid;
    if (group !== undefined) reaper.watch(group);
    const exited = new Promise<Exit>((resolve, reject) => {
      child.once('error', (error) =>
        reject(
          new HostError('sandbox_unavailable', 'bubblewrap could not be started', {
            cause: error,
            hint: installHint,
          }),
        ),
      );
      child.once('close', (code, signal) => {
        if (group !== undefined) reaper.forget(group);
        resolve({ code, signal });
      });
    });
    // Whoever spawns may look at the end later or never.
    exited.catch(() => {});
    const pipe = child.stdio[argumentsDescriptor] as Writable;
    pipe.on('error', () => {});
    pipe.end(
      bubblewrapArguments(command)
        .map((it) => `${it}\0`)
        .join(''),
    );
    child.stdin?.on('error', () => {});
    return {
      pid: child.pid ?? -1,
      stdin: child.stdin as Writable,
      stdout: child.stdout as Readable,
      stderr: child.stderr as Readable,
      exited,
      kill: () => killGroup(group),
    };
  };

  return {
    name: 'bubblewrap',
    user,
    spawn: start,
    async probe() {
      if (program === undefined) {
        return { level: 'unavailable', reasons: ['bubblewrap is not installed'], hint: installHint };
      }
      verdict ??= probeConfinement(start);
      const found = await verdict;
      // A busy moment must not speak for the whole life of the host.
      if (found.level === 'unavailable') verdict = undefined;
      return found;
    },
  };
}

/** The group, not just its leader: what is still being set up does not follow its parent into death yet. */
function killGroup(group: number | undefined): void {
  if (group === undefined) return;
  try {
    process.kill(-group, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** `/dev/null` in place of each inherited descriptor, so that the sandbox never holds the original. */
function covers(leaks: readonly number[]): ('ignore' | number)[] {
  if (leaks.length === 0) return [];
  const nothing = openSync('/dev/null', 'r');
  const places = Math.max(...leaks) - argumentsDescriptor;
  return Array.from({ length: places }, (_, index) =>
    leaks.includes(index + argumentsDescriptor + 1) ? nothing : 'ignore',
  );
}

/** The order matters: later mounts lie over earlier ones, and the root is made read-only last. */
function bubblewrapArguments(command: SandboxCommand): string[] {
  const { limits } = command;
  return [
    [
      '--unshare-user',
      '--unshare-ipc',
      '--unshare-pid',
      '--unshare-uts',
      '--unshare-cgroup-try',
      '--unshare-net',
    ],
    ['--disable-userns', '--die-with-parent', '--uid', '65534', '--gid', '65534'],
    ['--hostname', 'sandbox', '--cap-drop', 'ALL'],
    ['--ro-bind', '/usr', '/usr', '--symlink', 'usr/bin', '/bin', '--symlink', 'usr/sbin', '/sbin'],
    ['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ...['/etc/ld.so.cache', '/etc/alternatives', '/etc/ssl/certs', '/etc/localtime'].map((it) => [
      '--ro-bind-try',
      it,
      it,
    ]),
    ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', '--dev', '/dev'],
    ['--size', String(16 * 1024 * 1024), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ['--size', String(limits.diskBytes), '--perms', '0700', '--tmpfs', '/tmp'],
    ...command.mounts.map((it) => [it.writable ? '--bind' : '--ro-bind', it.source, it.target]),
    ['--remount-ro', '/', '--chdir', command.directory],
  ].flat();
}

/** Limits per process are set by prlimit inside, where they can only be lowered further. */
function limited(command: SandboxCommand): string[] {
  const { limits } = command;
  return ['/usr/bin/prlimit', ...prlimits(limits), '--', ...command.argv];
}

function prlimits(limits: Limits): string[] {
  return [
    `--nproc=${limits.processes}`,
    `--nofile=${limits.openFiles}`,
    `--cpu=${limits.cpuSeconds}`,
    `--fsize=${limits.diskBytes}`,
    '--core=0',
    ...(limits.memoryBytes === null ? [] : [`--as=${limits.memoryBytes}`]),
  ];
}
