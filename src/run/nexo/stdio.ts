import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { ProcessExit } from '../../sandbox/sandbox.js';
import { describeExit } from '../failure.js';
import { lastLines } from '../output-reader.js';
import { hasBinary, processTargetOf, type SandboxProfile, sandboxCommandFor } from '../sandbox-command.js';
import { type SandboxedProcess, spawnSandboxed } from '../sandboxed-process.js';
import { fillArgs } from '../template-filling.js';
import { limitReadRate } from '../upstream/read-rate.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { splitLines } from './line-splitter.js';
import { NexoPeer, type NexoRequest } from './nexo-peer.js';
import type { NexoTimes, NexoTransport } from './nexo-transport.js';
import { RateLimitedLog } from './rate-limited-log.js';

const keptStderrBytes = 8 * 1024;
const maxLogLine = 16 * 1024;
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
  readonly #graceMs: number;
  readonly #name: string;
  #stderr: Buffer[] = [];
  #stderrBytes = 0;
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
    this.#log = new RateLimitedLog(settings.onLog);
    this.#peer = new NexoPeer({
      send: (text) => this.#send(text),
      onLog: (line) => this.#log.write(line),
      onFlood: () => this.#protocolError(),
    });
    egress?.activate();
    splitLines(process.stdout, {
      limit: () => this.#peer.room,
      line: (text, bytes) => this.#peer.receive(text, bytes),
      skipped: (bytes, head) => {
        const line = head === null ? null : 'a line that is too long was skipped';
        if (this.#peer.unsolicited(bytes, line) && head !== null) this.#peer.tooLong(head);
      },
      invalidUtf8: (bytes) => this.#peer.unsolicited(bytes, 'a line that is not UTF-8 was skipped'),
    });
    limitReadRate(process.stderr);
    process.stderr.on('data', (chunk: Buffer) => this.#keep(chunk));
    splitLines(process.stderr, {
      limit: () => maxLogLine,
      line: (text) => this.#log.write(text),
      skipped: (_bytes, head) => {
        if (head !== null) this.#log.write(`${head}…`);
      },
      invalidUtf8: () => this.#log.write('(a line that is not UTF-8)'),
    });
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', () => {});
    this.ended = process.exited.then(
      (exit) => this.#gone(endOf(exit, this.#name, profile)),
      (error: Error) =>
        this.#gone({ kind: 'exited', reason: `${this.#name} could not be started: ${error.message}` }),
    );
  }

  request(request: NexoRequest) {
    return this.#peer.request(request);
  }

  initialized(): void {}

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
      const request = { method: 'shutdown', params: { reason }, name: this.#name, bytes: 0, signal };
      // Its answer does not matter, only that it exits.
      this.#peer.request({ ...request, timeoutMs: this.#graceMs }).catch(() => {});
      process.stdin.end();
      const timer = setTimeout(() => process.kill(), this.#graceMs);
      this.ended.finally(() => clearTimeout(timer));
    }
    await this.ended;
  }

  #send(text: string): void {
    const { stdin } = this.#sandboxed.process;
    if (stdin.writableLength > maxUnread)
      throw new HostError('upstream_failed', `${this.#name} does not read its requests`);
    if (stdin.writable) stdin.write(`${text}\n`);
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
    const lastOutput = lastLines(Buffer.concat(this.#stderr).subarray(-keptStderrBytes).toString('utf8'));
    const reason = end.kind === 'requested' ? `${this.#name} was stopped: ${end.reason}` : end.reason;
    this.#peer.end(
      new HostError('upstream_failed', lastOutput === '' ? reason : `${reason}:\n${lastOutput}`),
    );
    return end;
  }

  #keep(chunk: Buffer): void {
    this.#stderr.push(chunk);
    this.#stderrBytes += chunk.length;
    if (this.#stderrBytes < 16 * keptStderrBytes) return;
    const kept = Buffer.from(Buffer.concat(this.#stderr).subarray(-keptStderrBytes));
    this.#stderr = [kept];
    this.#stderrBytes = kept.length;
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
