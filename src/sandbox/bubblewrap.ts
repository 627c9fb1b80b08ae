import { spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { HostError } from '../model/host-error.js';
import { bubblewrapArguments, sharedMemoryBytes } from './arguments.js';
import { leakyDescriptors } from './descriptors.js';
import { type Keepers, processOf } from './group.js';
import { coverings } from './hidden.js';
import { confinedUser } from './identity.js';
import { openLedger } from './ledger.js';
import { limited } from './limits.js';
import { nodePreload, nodePreloadInside } from './node-proxy.js';
import { probeConfinement } from './probe.js';
import { startReaper } from './reaper.js';
import { egressSocketInside, proxyEnvironment, relayed } from './relay.js';
import type { Sandbox, SandboxCommand, SandboxProcess, Verdict } from './sandbox.js';
import { hasFilter, seccompFilter } from './seccomp.js';
import { closeAll, openAll, sheetsOf, systemFiles } from './system-files.js';
import { watchTotals } from './watch.js';

export interface BubblewrapOptions {
  /** Folder where running processes are on record; the next host ends what this one leaves. */
  readonly ledger?: string;
  /** Path of bubblewrap, where it is not in the usual places. */
  readonly program?: string;
}

const programs = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

const missing = 'bubblewrap is not installed, and tools never run without it';
const missingHint = 'install bubblewrap: sudo apt-get install bubblewrap';
const noFilter = `there is no system call filter for ${process.arch} processors, and tools never run without one`;
const noFilterHint = 'run the host on an x64 or arm64 machine';

/** Descriptor of the argument pipe: host paths stay out of /proc/1/cmdline. Others follow it. */
const argumentsDescriptor = 3;

/** Linux namespaces through bubblewrap, never with the rights of root. */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  const program = options.program ?? programs.find((it) => existsSync(it));
  const filter = hasFilter(process.arch) ? seccompFilter(process.arch) : undefined;
  const contents = filter === undefined ? [] : [filter, ...Object.values(systemFiles), nodePreload];
  const sheets = sheetsOf(contents);
  // Node marks its own descriptors; what it inherited without the mark would travel into the sandbox.
  const inherited = covers(leakyDescriptors(), sheets.length - 1);
  const { user, identity } = confinedUser();
  const keepers: Keepers = {
    reaper: startReaper(identity),
    ledger: options.ledger === undefined ? null : openLedger(options.ledger, user.uid),
    watch: watchTotals([
      { path: '/tmp', bytes: (limits) => limits.diskBytes },
      { path: '/dev/shm', bytes: () => sharedMemoryBytes },
    ]),
  };
  let disableUserns = true;
  let verdict: Promise<Verdict> | undefined;

  const start = (command: SandboxCommand): SandboxProcess => {
    if (program === undefined) throw new HostError('sandbox_unavailable', missing, { hint: missingHint });
    if (filter === undefined) throw new HostError('sandbox_unavailable', noFilter, { hint: noFilterHint });
    const hasWayOut = command.egress !== null;
    const bounded = limited(command.argv, command.limits, {
      addressSpace: command.boundAddressSpace,
      processes: true,
    });
    const files = [...Object.keys(systemFiles), ...(hasWayOut ? [nodePreloadInside] : [])];
    const given = bubblewrapArguments(command, {
      descriptors: {
        seccomp: argumentsDescriptor + 1,
        files: files.map((path, index) => [path, argumentsDescriptor + 2 + index]),
      },
      coverings: coverings(command.mounts, command.hidden, user),
      disableUserns,
      environment: hasWayOut ? throughProxy(command.environment) : command.environment,
      egressInside: egressSocketInside,
    });
    // The last sheet is for Node programs with a way out, in the place of the first cover.
    const opened = openAll(hasWayOut ? sheets : sheets.slice(0, -1));
    try {
      const argv = hasWayOut ? relayed(bounded) : bounded;
      const child = spawn(program, ['--args', String(argumentsDescriptor), '--', ...argv], {
        ...identity,
        cwd: '/',
        env: {},
        stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...opened, ...inherited.slice(hasWayOut ? 1 : 0)],
        // A session and process group of its own: no terminal to type into, and one number to end all of it.
        detached: true,
      });
      const pipe = child.stdio[argumentsDescriptor] as Writable;
      pipe.on('error', () => {});
      pipe.end(given.map((it) => `${it}\0`).join(''));
      return processOf(child, command.limits, keepers, missingHint);
    } finally {
      closeAll(opened);
    }
  };

  /** Not every bubblewrap can forbid further user namespaces. The filter refuses them too, and the probe tries. */
  const probe = async (): Promise<Verdict> => {
    const found = await probeConfinement(start);
    if (found.level !== 'unavailable' || !disableUserns) return found;
    disableUserns = false;
    const again = await probeConfinement(start);
    if (again.level !== 'unavailable') return again;
    disableUserns = true;
    return found;
  };

  return {
    name: 'bubblewrap',
    confines: true,
    user,
    spawn: start,
    inside: (mount) => mount.target,
    async probe() {
      if (program === undefined) return { level: 'unavailable', reasons: [missing], hint: missingHint };
      if (filter === undefined) return { level: 'unavailable', reasons: [noFilter], hint: noFilterHint };
      verdict ??= probe();
      const found = await verdict;
      // A busy moment must not speak for the whole life of the host.
      if (found.level === 'unavailable') verdict = undefined;
      return found;
    },
  };
}

/** The proxy's variables win; options that the program has for Node come after those of the proxy. */
function throughProxy(environment: Readonly<Record<string, string>>): Record<string, string> {
  const proxy = proxyEnvironment(nodePreloadInside);
  const options = [proxy.NODE_OPTIONS, environment.NODE_OPTIONS].filter((it) => it !== undefined);
  return { ...environment, ...proxy, NODE_OPTIONS: options.join(' ') };
}

/** `/dev/null` in place of each inherited descriptor, so that the sandbox never holds the original. */
function covers(leaks: readonly number[], own: number): ('ignore' | number)[] {
  const first = argumentsDescriptor + 1 + own;
  const high = leaks.filter((it) => it >= first);
  if (high.length === 0) return [];
  const nothing = openSync('/dev/null', 'r');
  return Array.from({ length: Math.max(...high) - first + 1 }, (_, index) =>
    high.includes(index + first) ? nothing : 'ignore',
  );
}
