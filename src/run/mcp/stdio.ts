import { callCanceled, HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { answerLimits } from '../../model/json-bounds.js';
import type { ProcessExit } from '../../sandbox/sandbox.js';
import { readLines } from '../../wire/lines.js';
import { containerTargetOf, spawnContainer } from '../container.js';
import { explainFailure } from '../failure.js';
import { assertNoPackageRunner } from '../package-runners.js';
import type { SentRequest } from '../rpc/peer-channel.js';
import {
  hasBinary,
  homeOf,
  processTargetOf,
  type SandboxProfile,
  sandboxCommandFor,
} from '../sandbox-command.js';
import { type SandboxedProcess, spawnSandboxed } from '../sandboxed-process.js';
import { fillArgs } from '../template-filling.js';
import { ProgramStderr } from '../upstream/program-stderr.js';
import { type LogLimits, RateLimitedLog } from '../upstream/rate-limited-log.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import type { McpRequest } from './mcp-dialect.js';
import type { Receiver, Transport } from './transport.js';

/** How long a server may take to exit after its input was closed. */
const graceMs = 2000;
/** Bytes that may be buffered for a server that does not read. */
const maxUnread = 32 * 1024 * 1024;
const logLimits: LogLimits = { lines: { burst: 2000, perSecond: 500 }, lineLength: 4000 };

/** Starts the process of a program. Messages are lines. */
export async function startStdio(
  settings: UpstreamSettings,
  profile: SandboxProfile,
  receiver: Receiver,
): Promise<StdioTransport> {
  const { program } = settings;
  const sandboxed = await startProgram(settings, profile);
  // It may work between calls, so its network access is active for its whole lifetime.
  sandboxed.egress?.activate();
  return new StdioTransport(sandboxed, profile, `${profile.package.id}/${program.name}`, {
    receiver,
    onLog: settings.onLog,
  });
}

async function startProgram(
  { program, processServices }: UpstreamSettings,
  profile: SandboxProfile,
): Promise<SandboxedProcess> {
  const values = { input: {}, slots: profile.slots };
  const image = containerTargetOf(profile.package, program.name);
  if (image !== undefined)
    return spawnContainer(image, fillArgs(image.command, values), profile, {
      ...processServices,
      ...(program.homeInData === true
        ? { home: homeOf(profile, program.name, { inside: (it) => it.target }) }
        : {}),
    });
  const target = processTargetOf(profile.package, program.name);
  const args = fillArgs(target.command, values);
  assertInstalled(args, target.runtime === undefined, profile, program.name);
  return spawnSandboxed(
    sandboxCommandFor(profile, program.name, args, processServices.sandbox),
    profile,
    processServices,
  );
}

function assertInstalled(
  args: readonly string[],
  isBinary: boolean,
  profile: SandboxProfile,
  program: string,
): void {
  if (!isBinary) return;
  const packages = profile.runtimes.get(program)?.packages ?? null;
  const name = `${profile.package.id}/${program}`;
  const [binary] = args;
  assertNoPackageRunner(args, name);
  if (binary === undefined || !hasBinary(binary, profile.packageFolder, packages)) {
    throw new HostError(
      'runtime_missing',
      `${name} needs the program ${binary ?? ''}, which is not installed`,
      {
        hint: 'install it on this machine, where the sandbox can see it: /usr/bin or /usr/local/bin',
      },
    );
  }
}

interface Listeners {
  readonly receiver: Receiver;
  readonly onLog: (line: string) => void;
}

export class StdioTransport implements Transport {
  readonly closingCancels = false;
  readonly #sandboxed: SandboxedProcess;
  readonly #profile: SandboxProfile;
  readonly #name: string;
  readonly #stderr: ProgramStderr;
  readonly #exited: Promise<void>;
  #end: UpstreamEnd | undefined;

  constructor(sandboxed: SandboxedProcess, profile: SandboxProfile, name: string, listeners: Listeners) {
    this.#sandboxed = sandboxed;
    this.#profile = profile;
    this.#name = name;
    const { process } = sandboxed;
    readLines(process.stdout, {
      json: answerLimits,
      rejected: (excess, bytes, head) => {
        if (this.#end === undefined) listeners.receiver.receiveExcess(excess, head, bytes);
      },
      line: (text, bytes) => {
        if (this.#end === undefined) listeners.receiver.receive(text, bytes);
      },
      end: (reason) => {
        if (reason === 'too-long')
          void this.close({ kind: 'protocol-error', reason: 'it wrote a line of more than 16 MiB' });
        // It cannot answer without its output, even if it is still running.
        else if (this.#end === undefined) process.kill();
      },
    });
    const log = new RateLimitedLog(listeners.onLog, logLimits);
    this.#stderr = new ProgramStderr(process.stderr, log);
    process.stdin.on('error', () => {});
    this.#exited = process.exited
      .catch((): ProcessExit => ({ code: null, signal: null }))
      .then((exit) => {
        log.close();
        const error = this.#explain(exit);
        const reason = error.message.split('\n', 1)[0]?.replace(/:$/, '') as string;
        listeners.receiver.ended(this.#end ?? { kind: 'exited', reason }, error);
      });
  }

  async send(message: JsonObject, sent: SentRequest<McpRequest> | null): Promise<'sent'> {
    const { stdin } = this.#sandboxed.process;
    if (sent?.signal.aborted === true) throw callCanceled();
    if (this.#end !== undefined || !stdin.writable)
      throw new HostError('upstream_failed', `${this.#name} is not running any more`, { transient: {} });
    if (stdin.writableLength > maxUnread)
      throw new HostError('upstream_failed', `${this.#name} does not read its input`);
    stdin.write(`${JSON.stringify(message)}\n`);
    return 'sent';
  }

  setRevision(): void {}

  takeContactedHosts(): readonly string[] | undefined {
    return this.#sandboxed.egress?.takeContacted();
  }

  takeDeniedHosts(): string[] {
    const deniedHosts = this.#sandboxed.egress?.takeDenied() ?? [];
    return deniedHosts.map((it) => `${it.host}:${it.port}`);
  }

  async close(end: UpstreamEnd): Promise<void> {
    this.#end ??= end;
    const { process } = this.#sandboxed;
    if (end.kind !== 'requested') process.kill();
    process.stdin.end();
    const timer = setTimeout(() => process.kill(), graceMs);
    await this.#exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#end ??= { kind: 'requested', reason: 'it was stopped' };
    this.#sandboxed.process.kill();
  }

  /** Why it exited: the reason of the host, or what its exit status shows. */
  #explain(exit: ProcessExit): HostError {
    const end = this.#end;
    if (end?.kind === 'requested')
      return new HostError('canceled', `${this.#name} was stopped: ${end.reason}`);
    if (end !== undefined)
      return new HostError('upstream_failed', `${this.#name} was stopped by the host: ${end.reason}`);
    const deniedHosts = this.#sandboxed.egress?.takeDenied() ?? [];
    const ended = { exit, stdout: '', stderr: this.#stderr.tail, deniedHosts, envelope: undefined };
    const found = explainFailure(this.#name, ended, this.#profile);
    if (found.code !== 'tool_failed') return found;
    const hint = found.hint === undefined ? {} : { hint: found.hint };
    // A server never exits by itself, so every exit is a crash.
    return new HostError('upstream_failed', found.message, { ...hint, transient: {} });
  }
}
