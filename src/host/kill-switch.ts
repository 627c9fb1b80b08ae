import { HostError } from '../model/host-error.js';
import {
  isKilled,
  type KillSubject,
  type KillTarget,
  killTargetText,
  parseKillTarget,
} from '../model/kill.js';
import { shellWord } from '../model/shell-word.js';
import { splitToolName } from '../model/tool-name.js';
import type { ApprovalQueue } from '../store/approvals.js';
import type { AuditLog } from '../store/audit.js';
import type { KillTable } from '../store/database.js';
import type { KillFile } from '../store/kill-file.js';
import type { KillRows } from '../store/kills.js';
import type { KillEntry, KillOutcome, Kills } from './operator.js';
import type { Actor, OperatorAuth } from './operator-auth.js';
import type { RunningCalls } from './running.js';

export interface KillSwitchOptions {
  readonly rows: KillRows;
  readonly file: KillFile;
  readonly audit: AuditLog;
  readonly approvals: ApprovalQueue;
  readonly desk: Pick<OperatorAuth, 'verify'>;
  readonly running: RunningCalls;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

/** A process that is kept between calls, or a program elsewhere that is. */
export interface KeptProcess {
  readonly package: string;
  readonly principal: string;
  /** It was started here. */
  readonly ours: boolean;
  /** Tools that were ever called in it. */
  readonly tools: ReadonlySet<string>;
}

/** What a kill ends besides calls: processes that wait for the next one. */
export type EndProcesses = (matches: (kept: KeptProcess) => boolean) => void;

interface Killed {
  readonly target: KillTarget;
  readonly row: KillTable;
}

/** How often the file is looked at while nobody calls. */
const lookMs = 200;
const momentMs = 1;
/** How long somebody who stops calls waits for them to be gone. */
const patienceMs = 2000;
const fileKiller = 'the file KILL';

/**
 * Stops calls at once and keeps them stopped. It takes effect in memory first, so that nothing that may fail, a full disk
 * above all, stands between the wish and its effect; lifting goes the other way round.
 */
export class KillSwitch {
  readonly #parts: KillSwitchOptions;
  #killed: readonly Killed[];
  #end: EndProcesses = () => {};
  #changed: () => void = () => {};
  readonly #timer: NodeJS.Timeout;
  #fileSeen: readonly string[] | null = null;
  #lookedAt = 0;

  private constructor(parts: KillSwitchOptions, killed: readonly Killed[]) {
    this.#parts = parts;
    this.#killed = killed;
    this.#timer = setInterval(() => this.#lookAtFile(), lookMs);
    this.#timer.unref();
  }

  static async open(parts: KillSwitchOptions): Promise<KillSwitch> {
    const rows = await parts.rows.list();
    // A line that nobody can read any more stops everything rather than nothing.
    const killed = rows.map((row) => ({
      row,
      target: parseKillTarget(row.target) ?? { kind: 'all' as const },
    }));
    const opened = new KillSwitch(parts, killed);
    opened.#lookAtFile();
    return opened;
  }

  /** Told once: what else there is to end, and whom to tell that lists are others now. */
  attach(end: EndProcesses, changed: () => void): void {
    this.#end = end;
    this.#changed = changed;
  }

  /** Takes over what the file says now, when a call comes. */
  look(): void {
    this.#lookAtFile();
  }

  /** The same before it has an effect, unless somebody looked a moment ago: then it came as good as after. */
  lookAgain(): void {
    if (performance.now() - this.#lookedAt > momentMs) this.#lookAtFile();
  }

  /** Why something is stopped; undefined lets it pass. Asked for every call, so it costs next to nothing. */
  reasonFor(subject: KillSubject): string | undefined {
    const hit = this.#killed.find((it) => isKilled(it.target, subject));
    return hit === undefined ? undefined : reasonOf(hit);
  }

  assertAlive(subject: KillSubject): void {
    const why = this.reasonFor(subject);
    if (why !== undefined) throw refusal(subject, why);
  }

  /** What an operator may ask and say. */
  get acts(): Kills {
    return {
      list: async () => {
        this.#lookAtFile();
        return this.#killed.map(({ row }) => entryOf(row));
      },
      set: (target, by) => this.#set(target, by),
      lift: (target, by) => this.#lift(target, by),
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #set(text: string, by: string): Promise<KillOutcome> {
    const target = parsed(text);
    const row = { target: killTargetText(target), at: this.#parts.now(), by };
    const changed = !this.#killed.some((it) => it.row.target === row.target);
    if (changed) this.#killed = [...this.#killed, { target, row }];
    const { ended, gone } = this.#stop(target, row);
    await this.#parts.rows.add(row);
    await this.#parts.audit.append({
      kind: 'operator',
      body: { act: 'kill', target: row.target, ended, by },
    });
    const voided = await this.#voidApprovals(target);
    await gone;
    return { changed, ended, voided };
  }

  async #lift(text: string, by: Actor): Promise<boolean> {
    const target = killTargetText(parsed(text));
    this.#lookAtFile();
    const held = this.#killed.find((it) => it.row.target === target);
    if (held === undefined) return false;
    const { audit, rows, file, desk } = this.#parts;
    if (file.read()?.some((it) => targetOfLine(it).text === target) === true) {
      throw new HostError('killed', `the file ${file.path} still stops ${target}`, {
        hint: `take it out first, then lift it again: rm ${shellWord(file.path)}`,
      });
    }
    const who = await desk.verify(by, 'lift the kill switch');
    await audit.append({ kind: 'operator', body: { act: 'lift', target, ...who } });
    await rows.remove(target);
    this.#killed = this.#killed.filter((it) => it.row.target !== target);
    this.#changed();
    return true;
  }

  /** At once, and without anything that could be refused. */
  #stop(target: KillTarget, row: KillTable): { ended: number; gone: Promise<void> } {
    const reason = new HostError('killed', `the call was ended: ${reasonOf({ target, row })}`);
    const { count, gone } = this.#parts.running.stop((it) => isKilled(target, it), reason);
    this.#end((kept) => isLeft(target, kept));
    this.#changed();
    return { ended: count, gone: Promise.race([gone, later(patienceMs)]) };
  }

  async #voidApprovals(target: KillTarget): Promise<number> {
    const { approvals, audit } = this.#parts;
    let voided = 0;
    for (const request of await approvals.list(['proposed', 'approved'])) {
      const [packageId, tool] = splitToolName(request.tool);
      if (!isKilled(target, { principal: request.principal, package: packageId, tool })) continue;
      const reason = `the kill switch stopped ${killTargetText(target)}`;
      if ((await approvals.invalidate({ id: request.id }, reason)).length === 0) continue;
      voided++;
      const body = { approval: request.id, tool: request.tool, decision: 'void', by: 'kill switch' };
      await audit.append({ kind: 'approval', body });
    }
    return voided;
  }

  /** What the file names is taken over: removing the file afterwards lifts nothing. */
  #lookAtFile(): void {
    this.#lookedAt = performance.now();
    const lines = this.#parts.file.read();
    if (lines === this.#fileSeen) return;
    this.#fileSeen = lines;
    for (const line of lines ?? []) {
      const { text } = targetOfLine(line);
      if (this.#killed.some((it) => it.row.target === text)) continue;
      this.#set(text, fileKiller).catch(this.#parts.onBug);
    }
  }
}

/**
 * Whether something of a target may still be in a process. A tool may have left anything running in each process that it was
 * ever called in, and in no other. A program elsewhere holds nothing of ours but the calls, which are ended one by one.
 */
function isLeft(target: KillTarget, { tools, ours, ...owner }: KeptProcess): boolean {
  if (target.kind !== 'tool') return isKilled(target, owner);
  return ours && [...tools].some((tool) => isKilled(target, { ...owner, tool }));
}

/** A line that names nothing that can be stopped is meant to stop something: everything. */
function targetOfLine(line: string): { target: KillTarget; text: string } {
  const target = parseKillTarget(line) ?? { kind: 'all' as const };
  return { target, text: killTargetText(target) };
}

function parsed(text: string): KillTarget {
  const target = typeof text === 'string' ? parseKillTarget(text) : undefined;
  if (target !== undefined) return target;
  throw new HostError('usage', `${JSON.stringify(String(text).slice(0, 80))} cannot be stopped`, {
    hint: 'name all, PACKAGE, PACKAGE/TOOL or principal:NAME',
  });
}

function reasonOf({ row }: Pick<Killed, 'row'> & { target: KillTarget }): string {
  return `the kill switch is on for ${row.target}, set by ${row.by}`;
}

function refusal({ package: of, tool }: KillSubject, why: string): HostError {
  const name = of === undefined ? 'nothing' : tool === undefined ? of : `${of}/${tool}`;
  const said = of === undefined ? `nothing can be called: ${why}` : `${name} cannot be called: ${why}`;
  return new HostError('killed', said, {
    hint: 'only a person can lift it: see "toolwharf kill", then "toolwharf kill --lift TARGET"',
  });
}

function entryOf({ target, at, by }: KillTable): KillEntry {
  return { target, at, by };
}

function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
