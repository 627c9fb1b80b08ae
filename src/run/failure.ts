import { HostError } from '../model/host-error.js';
import type { Json } from '../model/json.js';
import type { Refusal } from '../net/egress.js';
import type { Exit, Limits } from '../sandbox/sandbox.js';
import type { SandboxProfile } from './launch.js';
import { excerpt, tail } from './output.js';

export interface Ended {
  readonly exit: Exit;
  readonly stdout: string;
  readonly stderr: string;
  readonly refusals: readonly Refusal[];
  /** The tool's own account of it, where it has declared one. */
  readonly envelope: HostError | undefined;
}

/** What the C library, Python, Node and curl say when there is no way to a host. */
const networkWords =
  /Network is unreachable|Temporary failure in name resolution|Name or service not known|ENETUNREACH|EAI_AGAIN|ENOTFOUND|Could not resolve host|Errno -[23]\]|Connection refused|ECONNREFUSED|Couldn't connect to server/;

const memoryWords = /\bMemoryError\b|JavaScript heap out of memory|Cannot allocate memory|std::bad_alloc/;

const mebibyte = 1024 * 1024;

/** Why a process failed, as precisely as can be told, always with its last words. */
export function explainFailure(name: string, ended: Ended, confinement: SandboxProfile): HostError {
  const { exit, stderr, stdout, refusals, envelope } = ended;
  const last = tail(stderr) || (stdout.trim() === '' ? '' : excerpt(stdout));
  const words = envelope?.message ?? last;
  const say = (text: string) => (words === '' ? text : `${text}:\n${words}`);
  const { limits } = confinement;
  if (exit.exceeded === 'memory' || memoryWords.test(stderr)) {
    const bound = Math.round(limits.memoryBytes / mebibyte).toLocaleString('en');
    return new HostError('out_of_memory', say(`${name} needed more than its ${bound} MiB of memory`), {
      hint: 'give it less to do at once, or raise limits.memory_mb in the configuration',
    });
  }
  if (exit.exceeded === 'files')
    return new HostError('tool_failed', say(`${name} made too many files and was ended`));
  const [refused] = refusals;
  if (refused !== undefined) return refusedHost(name, confinement.grantee, refusals, say);
  if (confinement.network === null && networkWords.test(stderr)) {
    return new HostError('network_denied', say(`${name} has no network, and tried to use it`), {
      hint: noNetwork(confinement),
    });
  }
  if (envelope !== undefined) return envelope;
  const how = endingOf(exit, limits.cpuSeconds);
  const hint = hintOf(stderr, confinement) ?? killedHint(exit, limits);
  return new HostError(how.code, say(`${name} ${how.text}`), hint === undefined ? {} : { hint });
}

function noNetwork({ package: of, slots }: SandboxProfile): string {
  if (of.permissions.network.kind === 'none')
    return `the manifest of ${of.id} asks for no network, so it gets none, whatever is granted`;
  const kept = [...slots].find(([, it]) => it.secret && it.recipients.kind === 'nobody')?.[0];
  return kept === undefined
    ? 'it names no host that it could reach; grant one with --allow net:HOST'
    : `it holds ${kept}, which may go to nobody; name who may receive it: toolwharf secret set ${of.id} ${kept} --host HOST`;
}

/** A tool that hid the failure in its answer still leaves a trace of the reason. */
export function networkWarning(
  value: Json,
  stderr: string,
  refusals: readonly Refusal[],
  confinement: SandboxProfile,
): string | undefined {
  const { network, package: of } = confinement;
  const [refused] = refusals;
  if (refused !== undefined) {
    const hosts = [...new Set(refusals.map((it) => `${it.host}:${it.port}`))].join(', ');
    const hint = refused.hint?.replace('--allow net:', `--allow ${confinement.grantee}net:`);
    return `${of.id} was kept from reaching ${hosts}: ${refused.reason}${hint === undefined ? '' : `; ${hint}`}`;
  }
  return network === null && (networkWords.test(stderr) || networkWords.test(written(value)))
    ? `${of.id} has no network: ${noNetwork(confinement)}`
    : undefined;
}

/** Empty for an answer that is nested too deeply to be written; whoever reads the answer refuses it. */
function written(value: Json): string {
  try {
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  } catch {
    return '';
  }
}

function refusedHost(
  name: string,
  grantee: string,
  refusals: readonly Refusal[],
  say: (text: string) => string,
): HostError {
  const [first] = refusals as readonly [Refusal];
  const hosts = [...new Set(refusals.map((it) => `${it.host}:${it.port}`))].join(', ');
  return new HostError('network_denied', say(`${name} was kept from reaching ${hosts}: ${first.reason}`), {
    hint: (first.hint ?? `if it should, add --allow net:${first.host}:${first.port}`).replace(
      '--allow net:',
      `--allow ${grantee}net:`,
    ),
  });
}

/** bubblewrap passes on the signal of the process as 128 and its number. */
export function endingOf(exit: Exit, cpuSeconds: number): { code: 'timeout' | 'tool_failed'; text: string } {
  const number = exit.signal === null ? (exit.code ?? 0) - 128 : 0;
  const signal = exit.signal ?? signals.get(number);
  if (signal === 'SIGXCPU')
    return { code: 'timeout', text: `used more than its ${cpuSeconds} s of processor time` };
  if (signal !== undefined) return { code: 'tool_failed', text: `was ended by ${signal}` };
  return { code: 'tool_failed', text: `ended with exit code ${exit.code}` };
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

/** In a container nobody but the kernel and the host can end the first process this way. */
function killedHint(exit: Exit, { memoryBytes, cpuSeconds }: Limits): string | undefined {
  if (exit.code !== 128 + 9 && exit.signal !== 'SIGKILL') return undefined;
  const memory = Math.round(memoryBytes / mebibyte).toLocaleString('en');
  return `the kernel ends what needs more than ${memory} MiB of memory or ${cpuSeconds} s of processor time; see limits.memory_mb and limits.cpu_seconds`;
}

function hintOf(stderr: string, { package: of, roots, limits }: SandboxProfile): string | undefined {
  if (/No space left on device|ENOSPC|File too large|EFBIG/.test(stderr))
    return `its private disk has ${Math.round(limits.diskBytes / mebibyte)} MiB; see limits.disk_mb`;
  if (/Too many open files|EMFILE/.test(stderr))
    return `it may have ${limits.openFiles} files open at once; see limits.open_files`;
  if (/Resource temporarily unavailable|can't start new thread|\bEAGAIN\b/.test(stderr))
    return `it may have ${limits.processes} processes and threads at once; see limits.processes`;
  if (/Read-only file system|EROFS/.test(stderr)) {
    return of.permissions.filesystem === 'read-only'
      ? 'its manifest asks to read the workspace only, so nothing there can be changed'
      : 'it may write to its private /tmp and to what it was lent, nowhere else';
  }
  if (/No such file or directory|ENOENT/.test(stderr) && of.permissions.filesystem === 'none')
    return 'its manifest asks for no files, so it sees none but its own';
  if (/No such file or directory|ENOENT/.test(stderr) && roots.length > 0)
    return `it sees ${roots.map((it) => it.target).join(', ')} and nothing else of yours; name another workspace with --root`;
  if (/Permission denied|EACCES/.test(stderr) && roots.length > 0)
    return "key material, other packages and the host's own files are hidden; other files must be readable to the user of confined processes";
  return undefined;
}
