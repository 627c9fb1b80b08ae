import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { answerLimits } from '../../model/json-bounds.js';
import { lastLines } from '../../model/last-lines.js';
import type { ProcessExit } from '../../sandbox/sandbox.js';
import { readLines } from '../../wire/lines.js';
import { describeExit } from '../failure.js';
import type { PeerRequest } from '../rpc/peer-channel.js';
import { hasBinary, processTargetOf, type SandboxProfile, sandboxCommandFor } from '../sandbox-command.js';
import { type SandboxedProcess, spawnSandboxed } from '../sandboxed-process.js';
import { fillArgs } from '../template-filling.js';
import { ProgramStderr } from '../upstream/program-stderr.js';
import { RateLimitedLog } from '../upstream/rate-limited-log.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { type NexoPeer, nexoPeer } from './nexo-dialect.js';
import { type NexoTimes, type NexoTransport, nexoLogLimits } from './nexo-transport.js';

/** Maximum amount of unread input of a program, in bytes. */
const maxUnread = 16 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** Starts the extension in the sandbox and exchanges messages over its standard streams, one per line. */
export async function openStdio(settings: UpstreamSettings, times: NexoTimes): Promise<NexoTransport> {
  const profile = await settings.openProfile();
  const { program, processServices } = settings;
  const args = argsOf(settings, profile);
  const command = sandboxCommandFor(profile, program.name, args, processServices.sandbox);
  return new StdioTransport(
    await spawnSandboxed(command, profile, processServices),
    profile,
    settings,
    times,
  );
}

function argsOf({ package: pkg, program }: UpstreamSettings, profile: SandboxProfile): string[] {
  const target = processTargetOf(pkg, program.name);
  const args = fillArgs(target.command, { input: {}, slots: profile.slots });
  const packages = profile.runtimes.get(program.name)?.packages ?? null;
  const [binary = ''] = args;
  if (target.runtime === undefined && !hasBinary(binary, profile.packageFolder, packages)) {
    throw new HostError('runtime_missing', `${pkg.id} needs the program ${binary}, which is not installed`, {
      hint: 'put it into the package, or install it in /usr/bin or /usr/local/bin, which the sandbox can see',
    });
  }
  return args;
}

class StdioTransport implements NexoTransport {
  readonly ended: Promise<UpstreamEnd>;
  readonly #sandboxed: SandboxedProcess;
  readonly #peer: NexoPeer;
  readonly #log: RateLimitedLog;
  readonly #stderr: ProgramStderr;
  readonly #graceMs: number;
  readonly #name: string;
  /** Why the host is stopping it; undefined while it runs. */
  #stopReason: UpstreamEnd | undefined;

  constructor(
    sandboxed: SandboxedProcess,
    profile: SandboxProfile,
    settings: UpstreamSettings,
    times: NexoTimes,
  ) {
    const { process, egress } = sandboxed;
    this.#sandboxed = sandboxed;
    this.#graceMs = times.grace;
    this.#name = `the extension ${settings.package.id}`;
    this.#log = new RateLimitedLog(settings.onLog, nexoLogLimits);
    this.#peer = nexoPeer({
      onLog: (line) => this.#log.write(line),
      onFlood: () => this.#protocolError(),
    });
    this.#peer.connect({ send: (message) => this.#send(message) });
    egress?.activate();
    readLines(process.stdout, {
      limit: () => this.#peer.maxMessageBytes,
      json: answerLimits,
      rejected: (excess, bytes, head) => this.#peer.receiveExcess(excess, head, bytes),
      line: (text, bytes) => this.#peer.receive(text, bytes),
      skipped: (bytes, head) => {
        const line = head === null ? null : 'a line that is too long was skipped';
        if (this.#peer.unrequested(bytes, line) && head !== null) this.#peer.failTooLong(head);
      },
      invalidUtf8: (bytes) => this.#peer.unrequested(bytes, 'a line that is not UTF-8 was skipped'),
    });
    this.#stderr = new ProgramStderr(process.stderr, this.#log);
    for (const stream of [process.stdin, process.stdout]) stream.on('error', () => {});
    this.ended = process.exited.then(
      (exit) => this.#gone(endOf(exit, this.#name, profile)),
      (error: Error) =>
        this.#gone({ kind: 'exited', reason: `${this.#name} could not be started: ${error.message}` }),
    );
  }

  request(request: PeerRequest) {
    return this.#peer.request(request);
  }

  initialized(): void {}

  takeContactedHosts(): readonly string[] | undefined {
    return this.#sandboxed.egress?.takeContacted();
  }

  takeDeniedHosts(): readonly string[] {
    return (this.#sandboxed.egress?.takeDenied() ?? []).map((it) => `${it.host}:${it.port}`);
  }

  async close(reason: string, how: 'gracefully' | 'immediately'): Promise<void> {
    const { process } = this.#sandboxed;
    if (how === 'immediately') {
      this.#stopReason ??= { kind: 'requested', reason };
      process.kill();
    } else if (this.#stopReason === undefined) {
      this.#stopReason = { kind: 'requested', reason };
      const signal = neverCanceled;
      const request = { method: 'shutdown', params: { reason }, name: this.#name, limit: 0, signal };
      // Its answer does not matter, only that it exits.
      this.#peer.request({ ...request, timeoutMs: this.#graceMs }).catch(() => {});
      process.stdin.end();
      const timer = setTimeout(() => process.kill(), this.#graceMs);
      this.ended.finally(() => clearTimeout(timer));
    }
    await this.ended;
  }

  async #send(message: JsonObject): Promise<'sent'> {
    const { stdin } = this.#sandboxed.process;
    if (stdin.writableLength > maxUnread)
      throw new HostError('upstream_failed', `${this.#name} does not read its requests`);
    if (stdin.writable) stdin.write(`${JSON.stringify(message)}\n`);
    return 'sent';
  }

  #protocolError(): void {
    if (this.#stopReason !== undefined && this.#stopReason.kind !== 'requested') return;
    this.#stopReason = {
      kind: 'protocol-error',
      reason: `${this.#name} wrote too much unsolicited data to standard output`,
    };
    this.#peer.end(
      new HostError('upstream_failed', this.#stopReason.reason, { hint: 'write logs to standard error' }),
    );
    this.#sandboxed.process.kill();
  }

  #gone(exit: UpstreamEnd): UpstreamEnd {
    const end = this.#stopReason ?? exit;
    this.#log.close();
    const lastOutput = lastLines(this.#stderr.tail);
    const reason = end.kind === 'requested' ? `${this.#name} was stopped: ${end.reason}` : end.reason;
    this.#peer.end(
      new HostError('upstream_failed', lastOutput === '' ? reason : `${reason}:\n${lastOutput}`),
    );
    return end;
  }
}

function endOf(exit: ProcessExit, name: string, { limits }: SandboxProfile): UpstreamEnd {
  if (exit.exceeded === 'memory') {
    const limit = Math.round(limits.memoryBytes / mebibyte).toLocaleString('en');
    return { kind: 'exited', reason: `${name} exceeded its memory limit of ${limit} MiB` };
  }
  if (exit.exceeded === 'files')
    return { kind: 'exited', reason: `${name} was stopped because it created too many files` };
  return { kind: 'exited', reason: `${name} ${describeExit(exit, limits.cpuSeconds).text}` };
}
