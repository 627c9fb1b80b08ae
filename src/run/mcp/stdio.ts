import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Exit } from '../../sandbox/sandbox.js';
import { readLines } from '../../wire/lines.js';
import { containerOf, spawnContained } from '../container.js';
import { explainFailure } from '../failure.js';
import { fillArgs } from '../fill.js';
import { assertNoFetching, commandFor, findBinary, processOf, type SandboxProfile } from '../launch.js';
import { type SandboxedProcess, spawnConfined } from '../spawn.js';
import { pace } from '../upstream/pace.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { Flood } from './flood.js';
import type { Delivery, Receiver, Transport } from './transport.js';

/** How long a server has to go by itself once its input has ended. */
const graceMs = 2000;
/** What may wait for a server that does not read. */
const maxUnread = 32 * 1024 * 1024;
const keptWords = 16 * 1024;
const maxLogLine = 4000;

/** Starts the process of a program and speaks with it line by line. */
export async function startStdio(
  setting: UpstreamSettings,
  confinement: SandboxProfile,
  receiver: Receiver,
): Promise<StdioTransport> {
  const { program } = setting;
  const confined = await startProgram(setting, confinement);
  // It may do work of its own at any time, so its way out is open for as long as it lives.
  confined.egress?.arm();
  return new StdioTransport(confined, confinement, `${confinement.package.id}/${program.name}`, {
    receiver,
    onLog: setting.onLog,
  });
}

async function startProgram(
  { program, machine }: UpstreamSettings,
  confinement: SandboxProfile,
): Promise<SandboxedProcess> {
  const given = { input: {}, slots: confinement.slots };
  const image = containerOf(confinement.package, program.name);
  if (image !== undefined) return spawnContained(image, fillArgs(image.command, given), confinement, machine);
  const target = processOf(confinement.package, program.name);
  const words = fillArgs(target.command, given);
  assertThere(words, target.runtime === undefined, confinement, program.name);
  return spawnConfined(commandFor(confinement, program.name, words, machine.sandbox), confinement, machine);
}

function assertThere(
  words: readonly string[],
  isBinary: boolean,
  confinement: SandboxProfile,
  program: string,
): void {
  if (!isBinary) return;
  const packages = confinement.runtimes.get(program)?.packages ?? null;
  const name = `${confinement.package.id}/${program}`;
  const [binary] = words;
  assertNoFetching(words, name);
  if (binary === undefined || !findBinary(binary, confinement.files, packages)) {
    throw new HostError('runtime_missing', `${name} needs the program ${binary ?? ''}, which is not here`, {
      hint: 'install it on this machine, where the sandbox can see it: /usr/bin or /usr/local/bin',
    });
  }
}

interface Listeners {
  readonly receiver: Receiver;
  readonly onLog: (line: string) => void;
}

export class StdioTransport implements Transport {
  readonly closingCancels = false;
  readonly #confined: SandboxedProcess;
  readonly #confinement: SandboxProfile;
  readonly #name: string;
  readonly #gone: Promise<void>;
  #words = '';
  #end: UpstreamEnd | undefined;

  constructor(confined: SandboxedProcess, confinement: SandboxProfile, name: string, listeners: Listeners) {
    this.#confined = confined;
    this.#confinement = confinement;
    this.#name = name;
    const { process } = confined;
    readLines(process.stdout, {
      line: (text) => {
        if (this.#end === undefined) listeners.receiver.text(text);
      },
      end: (reason) => {
        if (reason === 'too-long')
          void this.close({ kind: 'garbled', reason: 'it wrote a line of more than 16 MiB' });
        // Without its output it can answer nothing, even where it lives on.
        else if (this.#end === undefined) process.kill();
      },
    });
    this.#hear(listeners.onLog);
    process.stdin.on('error', () => {});
    this.#gone = process.exited
      .catch((): Exit => ({ code: null, signal: null }))
      .then((exit) => {
        const error = this.#explain(exit);
        const said = error.message.split('\n', 1)[0]?.replace(/:$/, '') as string;
        listeners.receiver.ended(this.#end ?? { kind: 'exited', reason: said }, error);
      });
  }

  async send(message: JsonObject, { signal }: Delivery): Promise<'sent'> {
    const { stdin } = this.#confined.process;
    if (signal.aborted) throw new HostError('canceled', 'the call was canceled');
    if (this.#end !== undefined || !stdin.writable)
      throw new HostError('upstream_failed', `${this.#name} is not there any more`);
    if (stdin.writableLength > maxUnread)
      throw new HostError('upstream_failed', `${this.#name} does not read what it is sent`);
    stdin.write(`${JSON.stringify(message)}\n`);
    return 'sent';
  }

  speak(): void {}

  refused(): string[] {
    const refusals = this.#confined.egress?.takeRefusals() ?? [];
    return refusals.map((it) => `${it.host}:${it.port}`);
  }

  async close(end: UpstreamEnd): Promise<void> {
    this.#end ??= end;
    const { process } = this.#confined;
    if (end.kind !== 'asked') process.kill();
    process.stdin.end();
    const timer = setTimeout(() => process.kill(), graceMs);
    await this.#gone;
    clearTimeout(timer);
  }

  kill(): void {
    this.#end ??= { kind: 'asked', reason: 'it was stopped' };
    this.#confined.process.kill();
  }

  /** Why it is gone: what the host did, else what can be told from its end. */
  #explain(exit: Exit): HostError {
    const end = this.#end;
    if (end?.kind === 'asked') return new HostError('canceled', `${this.#name} was stopped: ${end.reason}`);
    if (end !== undefined)
      return new HostError('upstream_failed', `${this.#name} was ended by the host: ${end.reason}`);
    const refusals = this.#confined.egress?.takeRefusals() ?? [];
    const ended = { exit, stdout: '', stderr: this.#words, refusals, envelope: undefined };
    const found = explainFailure(this.#name, ended, this.#confinement);
    if (found.code !== 'tool_failed') return found;
    const hint = found.hint === undefined ? {} : { hint: found.hint };
    return new HostError('upstream_failed', found.message, hint);
  }

  /** What it prints for people. Too much of it is left out, and whoever prints without end is read slowly. */
  #hear(onLog: (line: string) => void): void {
    const flood = new Flood();
    let rest = '';
    this.#confined.process.stderr.setEncoding('utf8');
    pace(this.#confined.process.stderr);
    this.#confined.process.stderr.on('data', (chunk: string) => {
      this.#words = (this.#words + chunk).slice(-keptWords);
      if (!flood.admits(chunk.length)) return;
      const lines = (rest + chunk).split('\n');
      rest = (lines.pop() as string).slice(-maxLogLine);
      for (const line of lines) if (line.trim() !== '') onLog(line.slice(0, maxLogLine));
    });
    this.#confined.process.stderr.on('error', () => {});
  }
}
