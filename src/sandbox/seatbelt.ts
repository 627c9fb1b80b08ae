import { posix } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { SandboxCommand } from './sandbox.js';

// Based on the documentation of the profile language, not tested on a Mac, and not used yet. Weaker than namespaces:
// loopback and the process list are shared with the machine, and there is no process limit.

/** Paths and ports that are not part of the command. */
export interface SeatbeltPaths {
  /** Runtimes outside the system folders, such as a separate Python. */
  readonly runtimes: readonly string[];
  /** A private folder instead of /tmp. */
  readonly temporary: string;
  /** Loopback port of the relay; only used with an egress proxy. */
  readonly relayPort: number;
}

const systemFolders = ['/System/Library', '/usr/lib', '/usr/share', '/usr/bin', '/usr/libexec', '/bin'];
const programFolders = ['/usr/bin', '/usr/libexec', '/bin'];
const readableFiles = [
  '/',
  '/dev/null',
  '/dev/zero',
  '/dev/random',
  '/dev/urandom',
  '/private/etc/localtime',
];
/** Readable facts about the machine. sysctl also exposes arguments and environments of processes, which stay denied. */
const sysctlPrefixes = [
  'hw.',
  'machdep.cpu.',
  'kern.os',
  'kern.argmax',
  'kern.maxfilesperproc',
  'vm.loadavg',
];

/**
 * A profile for sandbox-exec: denies everything, allows what the command needs, and denies hidden paths again at the end,
 * because the last matching rule decides. There are no mounts, so all paths are paths of the machine.
 */
export function seatbeltProfile(
  command: Pick<SandboxCommand, 'mounts' | 'hidden' | 'egress'>,
  paths: SeatbeltPaths,
): string {
  const sources = command.mounts.map((it) => it.source);
  const written = command.mounts.filter((it) => it.writable).map((it) => it.source);
  const readable = [...systemFolders, ...paths.runtimes, ...sources, paths.temporary];
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    rule('allow process-exec', folders([...programFolders, ...paths.runtimes, ...sources])),
    '(allow signal (target same-sandbox))',
    rule(
      'allow sysctl-read',
      sysctlPrefixes.map((it) => `(sysctl-name-prefix ${quoted(it)})`),
    ),
    // Lookup of the own user; all other services stay denied.
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    rule('allow file-read-metadata', files(parentsOf(readable))),
    rule('allow file-read*', [...folders(readable), ...files(readableFiles)]),
    rule('allow file-write*', [...folders([...written, paths.temporary]), ...files(['/dev/null'])]),
    ...(command.egress === null ? [] : network(command.egress, paths.relayPort)),
    ...(command.hidden.length === 0
      ? []
      : [rule('deny file-read* file-write* process-exec', folders(command.hidden))]),
    '',
  ].join('\n');
}

/** Allows only the relay's port and the proxy's socket. */
function network(socket: string, port: number): string[] {
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Error(`${port} is not a port`);
  return [
    rule('allow network-outbound', [`(literal ${quotedPath(socket)})`, `(remote ip "localhost:${port}")`]),
    rule('allow network-bind network-inbound', [`(local ip "localhost:${port}")`]),
  ];
}

function rule(head: string, parts: readonly string[]): string {
  return `(${head}${parts.map((it) => `\n  ${it}`).join('')})`;
}

function folders(paths: readonly string[]): string[] {
  return [...new Set(paths)].map((it) => `(subpath ${quotedPath(it)})`);
}

function files(paths: readonly string[]): string[] {
  return paths.map((it) => `(literal ${quotedPath(it)})`);
}

/** All parent folders, which a path lookup traverses. */
function parentsOf(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths)
    for (let it = posix.dirname(path); it !== '/'; it = posix.dirname(it)) found.add(it);
  return [...found].sort();
}

/** Rejects a path that is not normalized, instead of normalizing it. */
function quotedPath(path: string): string {
  if (!posix.isAbsolute(path) || posix.normalize(path) !== path || (path !== '/' && path.endsWith('/')))
    throw unusablePath(path);
  return quoted(path);
}

function quoted(text: string): string {
  if (/[\u0000-\u001f\u007f]/.test(text)) throw unusablePath(text);
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function unusablePath(path: string): HostError {
  return new HostError(
    'sandbox_unavailable',
    `the path ${JSON.stringify(path)} cannot be written into a sandbox profile`,
    { hint: 'use an absolute path without control characters, dots or a slash at its end' },
  );
}
