import { readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaceFile } from '../files/atomic-file.js';
import { sha256 } from '../files/sha256.js';
import type { ProbeResult } from './sandbox.js';

/** What the last test of the sandbox on this machine showed, for commands that only show it. */
export interface ProbeMemory {
  /** Undefined if there is no recent test, or if something that its result depends on has changed. */
  read(): ProbeResult | undefined;
  write(result: ProbeResult): void;
}

export interface ProbeMemoryOptions {
  /** The state directory. Only its owner can write there. */
  readonly folder: string;
  /** The path of bubblewrap. */
  readonly program: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Everything that can change the result. Default: the facts about this process and machine. */
  readonly facts?: () => readonly string[];
}

/** A rule of AppArmor or SELinux can change without a trace that this process could see. */
const maxAgeMs = 10 * 60_000;

/** Settings that decide whether namespaces can be made, and limits of this process that its children inherit. */
const settings = [
  '/proc/sys/kernel/random/boot_id',
  '/proc/sys/kernel/unprivileged_userns_clone',
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
  '/proc/self/cgroup',
  '/proc/self/limits',
  '/proc/self/attr/current',
];
const namespaces = ['user', 'mnt', 'pid', 'net', 'cgroup', 'ipc', 'uts'];
const otherPrograms = ['/bin/sh', '/usr/bin/prlimit', '/usr/bin/env', '/usr/bin/unshare', '/usr/bin/chmod'];

/** A test that failed is never remembered: the next command tries again. */
export function probeMemory({ folder, program, now, facts }: ProbeMemoryOptions): ProbeMemory {
  const path = join(folder, 'sandbox-test');
  let known: string | undefined;
  const key = () => {
    known ??= sha256((facts?.() ?? systemFacts(program)).join('\0'));
    return known;
  };
  return {
    read() {
      const [stored, testedAt, text] = readText(path).split('\n');
      const age = now() - Number(testedAt);
      if (text === undefined || !(age >= 0 && age < maxAgeMs) || stored !== key()) return undefined;
      return parsedResult(text);
    },
    write(result) {
      try {
        if (result.level === 'unavailable') rmSync(path, { force: true });
        else
          replaceFile(path, `${key()}\n${now()}\n${JSON.stringify(result)}\n`, {
            mode: 0o600,
            flush: 'none',
          });
      } catch {
        // The next command tests the sandbox again.
      }
    },
  };
}

/** Undefined if the file is damaged: the sandbox is tested again then. */
function parsedResult(text: string): ProbeResult | undefined {
  try {
    return JSON.parse(text) as ProbeResult;
  } catch {
    return undefined;
  }
}

function systemFacts(program: string): string[] {
  // The name of the built file changes with its content.
  const self = fileURLToPath(import.meta.url);
  const mounts = readText('/proc/self/mountinfo').split('\n');
  return [
    process.arch,
    ...settings.map(readText),
    readText('/proc/self/status')
      .match(/^(?:[UG]id|Groups|Cap\w+|NoNewPrivs|Seccomp):.*$/gm)
      ?.join() ?? '',
    ...namespaces.map((it) => readlinkSync(`/proc/self/ns/${it}`)),
    ...mounts.filter((it) => / - cgroup2? /.test(it)),
    ...[program, ...otherPrograms, self].map(identityOf),
  ];
}

function identityOf(path: string): string {
  const it = statSync(path, { bigint: true, throwIfNoEntry: false });
  return it === undefined
    ? path
    : [path, it.dev, it.ino, it.size, it.mode, it.uid, it.mtimeNs, it.ctimeNs].join(' ');
}

/** Empty if it cannot be read. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
