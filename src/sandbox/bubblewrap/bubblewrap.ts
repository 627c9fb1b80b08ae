import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, openSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { HostError } from '../../model/host-error.js';
import { LoadOnce } from '../../model/load-once.js';
import type { NoCgroup } from '../cgroup/cgroup-folder.js';
import type { MemoryGroup } from '../cgroup/memory-group.js';
import type { MemoryGroups } from '../cgroup/memory-groups.js';
import { systemMemoryGroups } from '../cgroup/system-memory-groups.js';
import { type ProbeMemory, probeMemory } from '../probe-memory.js';
import { inheritableDescriptors } from '../process/inherited-descriptors.js';
import { openPidFile } from '../process/pid-file.js';
import { prlimitCommand } from '../process/prlimit.js';
import { type ProcessGuards, sandboxProcessOf } from '../process/process-group.js';
import { startProcessGroupWatchdog } from '../process/process-group-watchdog.js';
import { processIdentity } from '../process/process-identity.js';
import { monitorResources } from '../process/resource-monitor.js';
import { nodePreload, nodePreloadInside } from '../relay/node-proxy.js';
import { pythonPreload, pythonPreloadFolder } from '../relay/python-proxy.js';
import { egressSocketInside, proxyEnvironment, withRelay } from '../relay/relay.js';
import type { ProbeResult, Sandbox, SandboxCommand, SandboxProcess } from '../sandbox.js';
import { probeSandbox } from '../sandbox-probe.js';
import { bubblewrapArguments, sharedMemoryBytes } from './bubblewrap-arguments.js';
import { type Launchers, launchers, launchText } from './launchers.js';
import { mountArguments } from './mount-layers.js';
import { hasFilter, seccompFilter } from './seccomp.js';
import type { Architecture } from './system-calls.js';
import { closeAll, createUnlinkedFiles, openAll, systemFiles, type UnlinkedFile } from './system-files.js';

export interface BubblewrapOptions {
  /** Folder of the PID file. The next host kills the process groups that this one leaves behind. */
  readonly pidFolder?: string;
  /** Path of bubblewrap. Default: searched in /usr/bin, /usr/local/bin and /bin. */
  readonly program?: string;
  /** Control groups for the memory of each sandbox, or why there are none. Default: those of this machine. */
  readonly memoryGroups?: () => MemoryGroups | NoCgroup;
}

const programs = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

const missing = 'bubblewrap is not installed; tools do not run without a sandbox';
const missingHint = 'install bubblewrap: sudo apt-get install bubblewrap';
const noFilter = `no seccomp filter exists for ${process.arch} processors; tools do not run without one`;
const noFilterHint = 'run the host on an x64 or arm64 machine';

/** Arguments go through a pipe, so that /proc/1/cmdline shows no host paths. Other descriptors follow this one. */
const argumentsDescriptor = 3;

/**
 * Files that every sandbox gets, by their path inside. The preloads have an effect only with network access; a shell
 * could not close the descriptors of files that bubblewrap does not read.
 */
const filesInside: Readonly<Record<string, string>> = {
  ...systemFiles,
  [nodePreloadInside]: nodePreload,
  [`${pythonPreloadFolder}/sitecustomize.py`]: pythonPreload,
};

/** How the memory of all processes of a sandbox is limited on this machine. */
interface Containment {
  /** Null if the memory is only watched. */
  readonly launchers: Launchers | null;
  readonly problem: NoCgroup | null;
  readonly setupFiles: readonly UnlinkedFile[];
}

/** A started process that waits for its arguments. */
interface WaitingProcess {
  readonly child: ChildProcess;
  readonly group: MemoryGroup | null;
  readonly confined: Promise<void>;
}

/** A sandbox of Linux namespaces, started with bubblewrap and never as root. */
export function bubblewrap(options: BubblewrapOptions = {}): Sandbox {
  const program = options.program ?? programs.find((it) => existsSync(it));
  const architecture = hasFilter(process.arch) ? process.arch : undefined;
  // Node opens its own descriptors close-on-exec. Those it inherited without the flag would leak into the sandbox.
  const inherited = replacedDescriptors(inheritableDescriptors(), Object.keys(filesInside).length + 1);
  const { user, spawnAs } = processIdentity();
  const guards: ProcessGuards = {
    watchdog: startProcessGroupWatchdog(spawnAs),
    pidFile: options.pidFolder === undefined ? null : openPidFile(options.pidFolder, user.uid),
    monitor: monitorResources({
      folders: [
        { path: '/tmp', bytes: (limits) => limits.diskBytes },
        { path: '/dev/shm', bytes: () => sharedMemoryBytes },
      ],
      ownNetwork: true,
    }),
  };
  let disableUserns = true;
  let known: Containment | undefined;

  /** Nothing is created before the first process starts: most commands start none. */
  const containment = (arch: Architecture): Containment => {
    if (known !== undefined) return known;
    const groups = (options.memoryGroups ?? (() => systemMemoryGroups(options.pidFolder)))();
    const problem = 'reason' in groups ? groups : null;
    const filter = seccompFilter(arch, problem === null ? 'enforced' : 'watched');
    const setupFiles = createUnlinkedFiles([filter, ...Object.values(filesInside)]);
    known = {
      problem,
      setupFiles,
      launchers:
        'reason' in groups
          ? null
          : launchers({ groups, spawn: (script) => run('/bin/sh', ['-c', script], setupFiles) }),
    };
    return known;
  };

  const run = (file: string, args: readonly string[], files: readonly UnlinkedFile[]): ChildProcess => {
    const opened = openAll(files);
    try {
      return spawn(file, args, {
        ...spawnAs,
        cwd: '/',
        env: {},
        stdio: ['pipe', 'pipe', 'pipe', 'pipe', ...opened, ...inherited],
        // Own session and process group: no controlling terminal, and one signal kills every process.
        detached: true,
      });
    } finally {
      closeAll(opened);
    }
  };

  const start = (command: SandboxCommand, isLast = false): SandboxProcess => {
    if (program === undefined) throw new HostError('sandbox_unavailable', missing, { hint: missingHint });
    if (architecture === undefined)
      throw new HostError('sandbox_unavailable', noFilter, { hint: noFilterHint });
    const hasEgress = command.egress !== null;
    const limited = prlimitCommand(command.argv, command.limits, {
      addressSpace: command.limitAddressSpace,
      processes: true,
    });
    const { launchers: waiting, problem, setupFiles } = containment(architecture);
    const args = bubblewrapArguments(command, {
      descriptors: {
        seccomp: argumentsDescriptor + 1,
        files: Object.keys(filesInside).map((path, index) => [path, argumentsDescriptor + 2 + index]),
      },
      mountArgs: mountArguments(command, user),
      disableUserns,
      memoryIsWatched: problem !== null,
      environment: hasEgress ? throughProxy(command.environment) : command.environment,
      egressSocketInside: egressSocketInside,
    });
    const argv = ['--args', String(argumentsDescriptor), '--', ...(hasEgress ? withRelay(limited) : limited)];
    const input = args.map((it) => `${it}\0`).join('');
    if (waiting === null) {
      const child = run(program, argv, setupFiles);
      return begin({ child, group: null, confined: Promise.resolve() }, input, command);
    }
    // The launcher itself starts in any case, so these two would fail late, or not at all.
    if (!existsSync(program)) throw new HostError('sandbox_unavailable', missing, { hint: missingHint });
    if (argv.some((it) => it.includes('\0')))
      throw new HostError('sandbox_unavailable', 'an argument of the command contains a NUL character');
    const text = launchText([program, ...argv]);
    const { child, group, grouped } = waiting.take(isLast);
    const confined = grouped.then(() => group.limit(command.limits));
    return begin({ child, group, confined }, text + input, command);
  };

  /** Nothing of a package runs before the arguments are complete, so the process gets them when it is confined. */
  const begin = (
    { child, group, confined }: WaitingProcess,
    input: string,
    { limits }: SandboxCommand,
  ): SandboxProcess => {
    const started = sandboxProcessOf(child, { limits, guards, hint: missingHint, group, confined });
    const pipe = child.stdio[argumentsDescriptor] as Writable;
    pipe.on('error', () => {});
    confined.then(
      () => pipe.end(input),
      () => pipe.destroy(),
    );
    return started;
  };

  /** Older versions of bubblewrap lack --disable-userns. The seccomp filter denies user namespaces too, and the probe checks it. */
  const probe = async (isLast: boolean): Promise<ProbeResult> => {
    const problem = () => known?.problem ?? null;
    const tried = (command: SandboxCommand) => start(command, isLast);
    const first = await probeSandbox(tried, problem);
    if (first.level !== 'unavailable' || !disableUserns) return first;
    disableUserns = false;
    const second = await probeSandbox(tried, problem);
    if (second.level !== 'unavailable') return second;
    disableUserns = true;
    return first;
  };
  let isLastStart = false;
  let isTested = false;
  let isClosed = false;
  const memory: ProbeMemory | null =
    options.pidFolder === undefined || program === undefined
      ? null
      : probeMemory({ folder: options.pidFolder, program, now: Date.now });
  const probed = new LoadOnce(async () => {
    isTested = true;
    const result = await probe(isLastStart);
    // A closed host no longer owns its state directory.
    if (!isClosed) memory?.write(result);
    return result;
  });

  return {
    name: 'bubblewrap',
    isolates: true,
    user,
    spawn: (command) => start(command),
    close: () => {
      isClosed = true;
      known?.launchers?.close();
    },
    inside: (mount) => mount.target,
    async probe({ onlyShown = false } = {}) {
      if (program === undefined) return { level: 'unavailable', reasons: [missing], hint: missingHint };
      if (architecture === undefined)
        return { level: 'unavailable', reasons: [noFilter], hint: noFilterHint };
      const remembered = onlyShown && !isTested ? memory?.read() : undefined;
      if (remembered !== undefined) return remembered;
      isLastStart = onlyShown;
      const result = await probed.get();
      // The failure may be temporary (a busy machine), so the next caller probes again.
      if (result.level === 'unavailable') probed.forget();
      return result;
    },
  };
}

/** The proxy's variables take precedence; the program's own NODE_OPTIONS and PYTHONPATH come after those of the proxy. */
function throughProxy(environment: Readonly<Record<string, string>>): Record<string, string> {
  const proxy = proxyEnvironment(nodePreloadInside);
  const options = [proxy.NODE_OPTIONS, environment.NODE_OPTIONS].filter((it) => it !== undefined);
  const pythonPath = [pythonPreloadFolder, environment.PYTHONPATH].filter((it) => it !== undefined);
  return { ...environment, ...proxy, NODE_OPTIONS: options.join(' '), PYTHONPATH: pythonPath.join(':') };
}

/** `/dev/null` in place of each inheritable descriptor, so that the sandbox never gets the original. */
function replacedDescriptors(inheritable: readonly number[], own: number): ('ignore' | number)[] {
  const first = argumentsDescriptor + 1 + own;
  const high = inheritable.filter((it) => it >= first);
  if (high.length === 0) return [];
  const devNull = openSync('/dev/null', 'r');
  return Array.from({ length: Math.max(...high) - first + 1 }, (_, index) =>
    high.includes(index + first) ? devNull : 'ignore',
  );
}
