import { posix } from 'node:path';
import { HostError } from '../model/host-error.js';
import type { SandboxCommand } from './sandbox.js';

// Written from the documentation of the profile language and not tested on a Mac. Nothing runs with it yet. Weaker
// than namespaces in any case: one loopback network and one list of processes for all, no bound on processes.

/** Places that are not part of the command. */
export interface SeatbeltPaths {
  /** Runtimes outside the system, such as a Python of its own. */
  readonly runtimes: readonly string[];
  /** A private folder in place of /tmp. */
  readonly temporary: string;
  /** Where the relay listens on loopback; only used with an egress proxy. */
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
/** Facts about the machine; not the arguments and environments of its processes, which are in there too. */
const facts = ['hw.', 'machdep.cpu.', 'kern.os', 'kern.argmax', 'kern.maxfilesperproc', 'vm.loadavg'];

/**
 * A profile for sandbox-exec: everything is denied, then what the command was given is allowed, and what is hidden
 * is denied again at the end, because the last rule that fits decides. There are no mounts, so paths are those of
 * the machine.
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
      facts.map((it) => `(sysctl-name-prefix ${quoted(it)})`),
    ),
    // Looking up the own user; every other service stays out of reach.
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

/** Only the relay's own port and the proxy's socket. */
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

/** Folders on the way, which a lookup passes through. */
function parentsOf(paths: readonly string[]): string[] {
  const found = new Set<string>();
  for (const path of paths)
    for (let it = posix.dirname(path); it !== '/'; it = posix.dirname(it)) found.add(it);
  return [...found].sort();
}

/** A path that says something else than it seems to is refused, not cleaned. */
function quotedPath(path: string): string {
  if (!posix.isAbsolute(path) || posix.normalize(path) !== path || (path !== '/' && path.endsWith('/')))
    throw refusal(path);
  return quoted(path);
}

function quoted(text: string): string {
  if (/[\u0000-\u001f\u007f]/.test(text)) throw refusal(text);
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function refusal(path: string): HostError {
  return new HostError(
    'sandbox_unavailable',
    `the path ${JSON.stringify(path)} cannot be written into a sandbox profile`,
    { hint: 'use an absolute path without control characters, dots or a slash at its end' },
  );
}
