import { HostError, type HostErrorOptions } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import { lastLines } from '../model/last-lines.js';
import type { DeniedHost } from '../net/egress.js';
import type { ProcessExit, SandboxLimits } from '../sandbox/sandbox.js';
import { quotedExcerpt } from './output-reader.js';
import { readOnlyCodeHint } from './read-only-code.js';
import type { SandboxProfile } from './sandbox-command.js';

export interface FailedRun {
  readonly exit: ProcessExit;
  readonly stdout: string;
  readonly stderr: string;
  readonly deniedHosts: readonly DeniedHost[];
  /** The tool's own error, if it declares an error envelope. */
  readonly envelope: HostError | undefined;
}

// A program reports errors only as text. The patterns below choose how a failure is explained, never whether it is one.

/** Error texts of the C library, Python, Node and curl when a host cannot be reached. */
const networkErrorPattern =
  /Network is unreachable|Temporary failure in name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Could not resolve host|Errno -[23]\]|Connection refused|ECONNREFUSED|Couldn't connect to server/;

const memoryErrorPattern =
  /\bMemoryError\b|JavaScript heap out of memory|Cannot allocate memory|std::bad_alloc/;

const mebibyte = 1024 * 1024;

/** Explains why a process failed, as precisely as possible, with the last lines of its output. */
export function explainFailure(name: string, ended: FailedRun, profile: SandboxProfile): HostError {
  const { exit, stderr, stdout, deniedHosts, envelope } = ended;
  const lastOutput = lastLines(stderr) || (stdout.trim() === '' ? '' : quotedExcerpt(stdout));
  const details = envelope?.message ?? lastOutput;
  const own = envelope?.toolError === undefined ? {} : { toolError: envelope.toolError };
  const withDetails = (text: string) => (details === '' ? text : `${text}:\n${details}`);
  const { limits } = profile;
  if (exit.exceeded === 'memory' || memoryErrorPattern.test(stderr)) {
    const limit = Math.round(limits.memoryBytes / mebibyte).toLocaleString('en');
    return new HostError('out_of_memory', withDetails(`${name} exceeded its memory limit of ${limit} MiB`), {
      hint: 'call it with less data, or raise limits.memory_mb in the configuration',
      ...own,
    });
  }
  if (exit.exceeded === 'files')
    return new HostError(
      'tool_failed',
      withDetails(`${name} was stopped because it created too many files`),
      own,
    );
  const [denied] = deniedHosts;
  if (denied !== undefined) return deniedHost(name, profile.grantPrefix, deniedHosts, withDetails, own);
  if (profile.network === null && networkErrorPattern.test(stderr)) {
    return new HostError(
      'network_denied',
      withDetails(`${name} tried to use the network, but has no network access`),
      {
        hint: noNetworkHint(profile),
        ...own,
      },
    );
  }
  if (envelope !== undefined) return withNetworkNote(envelope, profile);
  const ending = describeExit(exit, limits.cpuSeconds);
  const hint = hintOf(stderr, profile) ?? killedHint(exit, limits) ?? noNetworkNote(profile);
  return new HostError(ending.code, withDetails(`${name} ${ending.text}`), {
    ...(hint === undefined ? {} : { hint }),
    ...(isCrash(exit) ? { transient: {} } : {}),
  });
}

/** Whether a signal ended it that no limit of the sandbox sends. An exit code is the answer of the program. */
function isCrash(exit: ProcessExit): boolean {
  const signal = exit.signal ?? signals.get((exit.code ?? 0) - 128);
  return signal !== undefined && !['SIGXCPU', 'SIGXFSZ', 'SIGSYS'].includes(signal);
}

/**
 * Whether the program could not be executed at all. 126 and 127 are the exit codes for that of shells, of the relay and of
 * container engines; 125 is that of an engine that could not make the container.
 */
export function isExecFailure({ code }: ProcessExit): boolean {
  return code === 125 || code === 126 || code === 127;
}

/** Nobody saw whether a connection was tried, so this states only what the package has. */
function noNetworkNote(profile: SandboxProfile): string | undefined {
  const { network: policy } = profile;
  // A program that ignores the proxy fails without a trace in it.
  if (policy !== null && (policy.anyPublic || policy.reach.hosts.length > 0)) return undefined;
  const { network } = profile.package.permissions;
  return `this package was granted no network${network.kind === 'none' ? '' : `: ${noNetworkHint(profile)}`}`;
}

/** The tool's own error says what failed, so the note is only for a package that asked for network. */
function withNetworkNote(error: HostError, profile: SandboxProfile): HostError {
  const asked = profile.package.permissions.network.kind !== 'none';
  const note = asked && error.hint === undefined ? noNetworkNote(profile) : undefined;
  if (note === undefined) return error;
  return new HostError(error.code, error.message, {
    cause: error.cause,
    hint: note,
    ...(error.toolError === undefined ? {} : { toolError: error.toolError }),
  });
}

function noNetworkHint({ package: pkg, slots, access }: SandboxProfile): string {
  if (access?.network.kind === 'none' && pkg.permissions.network.kind !== 'none')
    return 'the manifest lists no scope with network access for this tool, so a grant has no effect';
  if (pkg.permissions.network.kind === 'none')
    return `the manifest of ${pkg.id} does not request network access, so a grant has no effect`;
  const unsendable = [...slots].find(([, it]) => it.secret && it.recipients.kind === 'nobody')?.[0];
  if (unsendable !== undefined)
    return `no host may receive its secret ${unsendable}; allow one: toolwharf secret set ${pkg.id} ${unsendable} --host HOST`;
  const { network } = pkg.permissions;
  return network.kind === 'hosts' && network.hosts.length === 0
    ? 'it declares no host; grant one with --allow net:HOST'
    : 'the configuration denies it; see "deny" in "toolwharf config list --show-origin"';
}

/** A warning for a result that hides a network failure. */
export function networkWarning(
  value: Json,
  stderr: string,
  deniedHosts: readonly DeniedHost[],
  profile: SandboxProfile,
): string | undefined {
  const { network, package: pkg } = profile;
  const [denied] = deniedHosts;
  if (denied !== undefined) {
    const hosts = [...new Set(deniedHosts.map((it) => `${it.host}:${it.port}`))].join(', ');
    const hint = denied.hint?.replace('--allow net:', `--allow ${profile.grantPrefix}net:`);
    return `${pkg.id} was denied access to ${hosts}: ${denied.reason}${hint === undefined ? '' : `; ${hint}`}`;
  }
  return network === null && (networkErrorPattern.test(stderr) || networkErrorPattern.test(serialized(value)))
    ? `${pkg.id} has no network access: ${noNetworkHint(profile)}`
    : undefined;
}

/** Empty if the value is nested too deeply to serialize; such a result is rejected later. */
function serialized(value: Json): string {
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return '';
  }
}

function deniedHost(
  name: string,
  grantee: string,
  deniedHosts: readonly DeniedHost[],
  withDetails: (text: string) => string,
  own: Pick<HostErrorOptions, 'toolError'>,
): HostError {
  const [first] = deniedHosts as readonly [DeniedHost];
  const hosts = [...new Set(deniedHosts.map((it) => `${it.host}:${it.port}`))].join(', ');
  return new HostError(
    'network_denied',
    withDetails(`${name} was denied access to ${hosts}: ${first.reason}`),
    {
      hint: (first.hint ?? `to allow it, add --allow net:${first.host}:${first.port}`).replace(
        '--allow net:',
        `--allow ${grantee}net:`,
      ),
      ...own,
    },
  );
}

/** bubblewrap reports a signal as exit code 128 + signal number. */
export function describeExit(
  exit: ProcessExit,
  cpuSeconds: number,
): { code: 'timeout' | 'tool_failed'; text: string } {
  const number = exit.signal === null ? (exit.code ?? 0) - 128 : 0;
  const signal = exit.signal ?? signals.get(number);
  if (signal === 'SIGXCPU')
    return { code: 'timeout', text: `exceeded its CPU time limit of ${cpuSeconds} s` };
  if (signal !== undefined) return { code: 'tool_failed', text: `was killed by ${signal}` };
  return { code: 'tool_failed', text: `exited with code ${exit.code}` };
}

const signals: ReadonlyMap<number, string> = new Map([
  [4, 'SIGILL'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [9, 'SIGKILL'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [15, 'SIGTERM'],
  [24, 'SIGXCPU'],
  [25, 'SIGXFSZ'],
  [31, 'SIGSYS'],
]);

/** In a container only the kernel and the host can kill the first process with SIGKILL. */
function killedHint(exit: ProcessExit, { memoryBytes, cpuSeconds }: SandboxLimits): string | undefined {
  if (exit.code !== 128 + 9 && exit.signal !== 'SIGKILL') return undefined;
  const memory = Math.round(memoryBytes / mebibyte).toLocaleString('en');
  return `it may have exceeded ${memory} MiB of memory or ${cpuSeconds} s of CPU time; see limits.memory_mb and limits.cpu_seconds`;
}

function hintOf(stderr: string, { package: pkg, roots, limits, access }: SandboxProfile): string | undefined {
  const filesystem = access?.filesystem ?? pkg.permissions.filesystem;
  if (/No space left on device|ENOSPC|File too large|EFBIG/.test(stderr))
    return `its private /tmp has ${Math.round(limits.diskBytes / mebibyte)} MiB; see limits.disk_mb`;
  if (/Too many open files|EMFILE/.test(stderr))
    return `it may open ${limits.openFiles} files at the same time; see limits.open_files`;
  if (/Resource temporarily unavailable|can't start new thread|\bEAGAIN\b/.test(stderr))
    return `it may have ${limits.processes} processes and threads at the same time; see limits.processes`;
  if (/Read-only file system|EROFS/.test(stderr)) {
    const beside = readOnlyCodeHint(stderr);
    if (beside !== undefined) return beside;
    return filesystem === 'read-only'
      ? 'its manifest requests read-only access to the workspace'
      : 'it may write only to its private /tmp and to writable mounts';
  }
  if (/No such file or directory|ENOENT/.test(stderr) && filesystem === 'none')
    return 'its manifest requests no file access, so it sees only its own files';
  if (/No such file or directory|ENOENT/.test(stderr) && roots.length > 0)
    return `of your files it sees only ${roots.map((it) => it.target).join(', ')}; choose another workspace with --root`;
  if (/Permission denied|EACCES/.test(stderr) && roots.length > 0)
    return "keys, other packages and the host's own files are hidden; other files must be readable for the user of sandboxed processes";
  return undefined;
}
