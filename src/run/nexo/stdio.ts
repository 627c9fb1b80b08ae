import { HostError } from '../../model/host-error.js';
import { unstoppable } from '../../model/signal.js';
import type { Exit } from '../../sandbox/sandbox.js';
import { endingOf } from '../failure.js';
import { fillArgs } from '../fill.js';
import { commandFor, findBinary, processOf, type SandboxProfile } from '../launch.js';
import { tail } from '../output.js';
import { type SandboxedProcess, spawnConfined } from '../spawn.js';
import { pace } from '../upstream/pace.js';
import type { UpstreamEnd, UpstreamSettings } from '../upstream/upstream.js';
import { Journal } from './journal.js';
import { takeLines } from './lines.js';
import { Peer, type Question } from './peer.js';
import type { NexoTimes, Wire } from './wire.js';

const keptComplaint = 8 * 1024;
const longestLogLine = 16 * 1024;
/** What may wait for a program that does not read. */
const maxUnread = 16 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** Starts the extension in the sandbox and speaks with it over its standard streams, one message a line. */
export async function openStdio(setting: UpstreamSettings, times: NexoTimes): Promise<Wire> {
  const confinement = await setting.confined();
  const { program, machine } = setting;
  const words = wordsOf(setting, confinement);
  const command = commandFor(confinement, program.name, words, machine.sandbox);
  return new Stdio(await spawnConfined(command, confinement, machine), confinement, setting, times);
}

function wordsOf({ package: of, program }: UpstreamSettings, confinement: SandboxProfile): string[] {
  const target = processOf(of, program.name);
  const words = fillArgs(target.command, { input: {}, slots: confinement.slots });
  const packages = confinement.runtimes.get(program.name)?.packages ?? null;
  const [binary = ''] = words;
  if (target.runtime === undefined && !findBinary(binary, confinement.files, packages)) {
    throw new HostError('runtime_missing', `${of.id} needs the program ${binary}, which is not here`, {
      hint: 'put it into the package, or install it where the sandbox can see it: /usr/bin or /usr/local/bin',
    });
  }
  return words;
}

class Stdio implements Wire {
  readonly ended: Promise<UpstreamEnd>;
  readonly #confined: SandboxedProcess;
  readonly #peer: Peer;
  readonly #journal: Journal;
  readonly #grace: number;
  readonly #who: string;
  #complaint: Buffer[] = [];
  #complained = 0;
  /** Why it is being ended; undefined as long as nobody wants that. */
  #fate: UpstreamEnd | undefined;

  constructor(
    confined: SandboxedProcess,
    confinement: SandboxProfile,
    setting: UpstreamSettings,
    times: NexoTimes,
  ) {
    const { process, egress } = confined;
    this.#confined = confined;
    this.#grace = times.grace;
    this.#who = `the extension ${setting.package.id}`;
    this.#journal = new Journal(setting.onLog);
    this.#peer = new Peer({
      send: (text) => this.#send(text),
      onLog: (line) => this.#journal.write(line),
      onFlood: () => this.#garbled(),
    });
    egress?.arm();
    takeLines(process.stdout, {
      limit: () => this.#peer.room,
      line: (text, bytes) => this.#peer.receive(text, bytes),
      skipped: (bytes, head) => {
        const line = head === null ? null : 'a line that is too long was passed over';
        if (this.#peer.unasked(bytes, line) && head !== null) this.#peer.tooLong(head);
      },
      illegible: (bytes) => this.#peer.unasked(bytes, 'a line that is no text was passed over'),
    });
    pace(process.stderr);
    process.stderr.on('data', (chunk: Buffer) => this.#keep(chunk));
    takeLines(process.stderr, {
      limit: () => longestLogLine,
      line: (text) => this.#journal.write(text),
      skipped: (_bytes, head) => {
        if (head !== null) this.#journal.write(`${head}…`);
      },
      illegible: () => this.#journal.write('(a line that is no text)'),
    });
    for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', () => {});
    this.ended = process.exited.then(
      (exit) => this.#gone(endOf(exit, this.#who, confinement)),
      (error: Error) =>
        this.#gone({ kind: 'exited', reason: `${this.#who} could not run: ${error.message}` }),
    );
  }

  ask(question: Question) {
    return this.#peer.ask(question);
  }

  introduced(): void {}

  refusals(): readonly string[] {
    return (this.#confined.egress?.takeRefusals() ?? []).map((it) => `${it.host}:${it.port}`);
  }

  async close(reason: string, how: 'kindly' | 'at once'): Promise<void> {
    const { process } = this.#confined;
    if (how === 'at once') {
      this.#fate ??= { kind: 'asked', reason };
      process.kill();
    } else if (this.#fate === undefined) {
      this.#fate = { kind: 'asked', reason };
      const signal = unstoppable;
      const question = { method: 'shutdown', params: { reason }, name: this.#who, bytes: 0, signal };
      // Whether it answers does not matter; that it ends does.
      this.#peer.ask({ ...question, timeoutMs: this.#grace }).catch(() => {});
      process.stdin.end();
      const timer = setTimeout(() => process.kill(), this.#grace);
      this.ended.finally(() => clearTimeout(timer));
    }
    await this.ended;
  }

  #send(text: string): void {
    const { stdin } = this.#confined.process;
    if (stdin.writableLength > maxUnread)
      throw new HostError('upstream_failed', `${this.#who} does not read what it is asked`);
    if (stdin.writable) stdin.write(`${text}\n`);
  }

  #garbled(): void {
    if (this.#fate !== undefined && this.#fate.kind !== 'asked') return;
    this.#fate = {
      kind: 'garbled',
      reason: `${this.#who} wrote too much into the channel of answers that nobody asked for`,
    };
    this.#peer.end(
      new HostError('upstream_failed', this.#fate.reason, { hint: 'logs belong on standard error' }),
    );
    this.#confined.process.kill();
  }

  #gone(end: UpstreamEnd): UpstreamEnd {
    const known = this.#fate ?? end;
    this.#journal.close();
    const last = tail(Buffer.concat(this.#complaint).subarray(-keptComplaint).toString('utf8'));
    const words = known.kind === 'asked' ? `${this.#who} was stopped: ${known.reason}` : known.reason;
    this.#peer.end(new HostError('upstream_failed', last === '' ? words : `${words}:\n${last}`));
    return known;
  }

  #keep(chunk: Buffer): void {
    this.#complaint.push(chunk);
    this.#complained += chunk.length;
    if (this.#complained < 16 * keptComplaint) return;
    const kept = Buffer.from(Buffer.concat(this.#complaint).subarray(-keptComplaint));
    this.#complaint = [kept];
    this.#complained = kept.length;
  }
}

function endOf(exit: Exit, who: string, { limits }: SandboxProfile): UpstreamEnd {
  if (exit.exceeded === 'memory') {
    const bound = Math.round(limits.memoryBytes / mebibyte).toLocaleString('en');
    return { kind: 'exited', reason: `${who} needed more than its ${bound} MiB of memory` };
  }
  if (exit.exceeded === 'files')
    return { kind: 'exited', reason: `${who} made too many files and was ended` };
  return { kind: 'exited', reason: `${who} ${endingOf(exit, limits.cpuSeconds).text}` };
}
