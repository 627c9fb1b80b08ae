import { HostError } from '../../model/host-error.js';
import {
  isKilled,
  type KillSubject,
  type KillTarget,
  killTargetText,
  parseKillTarget,
} from '../../model/kill-target.js';
import { shellQuote } from '../../model/shell-quote.js';
import { splitToolName } from '../../model/tool-name.js';
import type { ApprovalQueue } from '../../store/approvals.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { KillFile } from '../../store/kill-file.js';
import type { KillRows } from '../../store/kills.js';
import type { KillTable } from '../../store/state-tables.js';
import type { KillTargets } from './kill-targets.js';
import type { KillEntry, KillOutcome, Kills } from './operator.js';
import type { Actor, OperatorAuth } from './operator-auth.js';
import type { RunningCalls } from './running-calls.js';

export interface KillSwitchOptions {
  readonly rows: KillRows;
  readonly file: KillFile;
  readonly audit: AuditLog;
  readonly approvals: ApprovalQueue;
  readonly operatorAuth: Pick<OperatorAuth, 'verify'>;
  readonly running: RunningCalls;
  readonly targets: KillTargets;
  /** Gives up the matching calls that wait to be repeated after a crash. */
  readonly discardRepeats: (matches: (subject: KillSubject) => boolean, reason: string) => Promise<void>;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

/** A process or connection that outlives a call: a kept worker, or an upstream. */
export interface LivingProcess {
  readonly package: string;
  readonly principal: string;
  /** False for a program that runs elsewhere and is only connected to. */
  readonly startedHere: boolean;
  /** Tools that were ever called in it. */
  readonly tools: ReadonlySet<string>;
}

/** Ends the matching processes that wait between calls. */
export type EndProcesses = (matches: (candidate: LivingProcess) => boolean) => void;

interface ActiveKill {
  readonly target: KillTarget;
  readonly row: KillTable;
}

/** How often the kill file is read while no calls come in. */
const pollMs = 200;
/** A read of the kill file counts as current for this long. */
const freshMs = 1;
/** How long `set` waits for stopped calls to end. */
const stopTimeoutMs = 2000;
/** How long a kill waits for the names that the host knows. */
const nameCheckMs = 500;
const stopAnyway = 'to stop it anyway: toolwharf kill TARGET --force';
const killFileActor = 'the file KILL';

/**
 * Stops calls at once and keeps them stopped. A kill takes effect in memory before it is stored, so that no failure,
 * such as a full disk, can delay it. Lifting works the other way round: stored first, then in effect.
 */
export class KillSwitch {
  readonly #options: KillSwitchOptions;
  #killed: readonly ActiveKill[];
  #end: EndProcesses = () => {};
  #notifyChanged: () => void = () => {};
  readonly #timer: NodeJS.Timeout;
  #lastFileLines: readonly string[] | null = null;
  #fileReadAt = 0;

  private constructor(options: KillSwitchOptions, killed: readonly ActiveKill[]) {
    this.#options = options;
    this.#killed = killed;
    this.#timer = setInterval(() => this.#applyKillFile(), pollMs);
    this.#timer.unref();
  }

  static async open(options: KillSwitchOptions): Promise<KillSwitch> {
    const rows = await options.rows.list();
    // A stored target that cannot be parsed stops everything rather than nothing.
    const killed = rows.map((row) => ({
      row,
      target: parseKillTarget(row.target) ?? { kind: 'all' as const },
    }));
    const opened = new KillSwitch(options, killed);
    opened.#applyKillFile();
    return opened;
  }

  /** Called once. `end` ends processes that wait between calls; `notifyChanged` reports that tool lists may have changed. */
  attach(end: EndProcesses, notifyChanged: () => void): void {
    this.#end = end;
    this.#notifyChanged = notifyChanged;
  }

  /** At the start of each call, and right before it has an effect. Reads the kill file unless it was read a moment ago. */
  readKillFile(): void {
    if (performance.now() - this.#fileReadAt > freshMs) this.#applyKillFile();
  }

  /** Why something is stopped; undefined if it is not. Runs several times per call, so it must be cheap. */
  reasonFor(subject: KillSubject): string | undefined {
    const hit = this.#killed.find((it) => isKilled(it.target, subject));
    return hit === undefined ? undefined : reasonOf(hit);
  }

  assertNotKilled(subject: KillSubject): void {
    const why = this.reasonFor(subject);
    if (why !== undefined) throw killedError(subject, why);
  }

  /** The operations for operators. */
  get operations(): Kills {
    return {
      list: async () => {
        this.#applyKillFile();
        return this.#killed.map(({ row }) => entryOf(row));
      },
      set: async (target, by, force = false) => {
        if (!force) await this.#assertKnown(target, stopAnyway);
        return this.#set(target, by);
      },
      check: (target) => this.#assertKnown(target, stopAnyway),
      lift: async (target, actor) => {
        if (await this.#lift(target, actor)) return true;
        await this.#assertKnown(target, '"toolwharf kill" shows what is stopped');
        return false;
      },
    };
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /**
   * If the names cannot be read, or not soon, the target counts as known: a kill must work on a broken or busy state
   * too.
   */
  async #assertKnown(text: string, otherwise: string): Promise<void> {
    const active = this.#killed.map((it) => it.row.target);
    try {
      const check = this.#options.targets.assertKnown(parseTarget(text), { active, otherwise });
      check.catch(() => {});
      await Promise.race([check, delay(nameCheckMs)]);
    } catch (error) {
      if (error instanceof HostError) throw error;
      this.#options.onBug(error);
    }
  }

  async #set(text: string, by: string): Promise<KillOutcome> {
    const target = parseTarget(text);
    const row = { target: killTargetText(target), at: this.#options.now(), by };
    const changed = !this.#killed.some((it) => it.row.target === row.target);
    if (changed) this.#killed = [...this.#killed, { target, row }];
    const { ended, gone } = this.#stop(target, row);
    await this.#options.rows.add(row);
    await this.#options.audit.append({
      kind: 'operator',
      body: { operation: 'kill', target: row.target, ended, by },
    });
    const voided = await this.#voidApprovals(target);
    const reason = `the kill switch stopped ${row.target}`;
    await this.#options.discardRepeats((it) => isKilled(target, it), reason);
    await gone;
    return { changed, ended, voided };
  }

  async #lift(text: string, actor: Actor): Promise<boolean> {
    const target = killTargetText(parseTarget(text));
    this.#applyKillFile();
    if (!this.#killed.some((it) => it.row.target === target)) return false;
    const { audit, rows, file, operatorAuth } = this.#options;
    if (file.read()?.some((it) => targetOfLine(it).text === target) === true) {
      throw new HostError('killed', `the file ${file.path} still stops ${target}`, {
        hint: `remove the file first, then lift again: rm ${shellQuote(file.path)}`,
      });
    }
    const who = await operatorAuth.verify(actor, 'lift the kill switch');
    await audit.append({ kind: 'operator', body: { operation: 'lift', target, ...who } });
    await rows.remove(target);
    this.#killed = this.#killed.filter((it) => it.row.target !== target);
    this.#notifyChanged();
    return true;
  }

  /** Synchronous, and without steps that can fail. */
  #stop(target: KillTarget, row: KillTable): { ended: number; gone: Promise<void> } {
    const reason = new HostError('killed', `the call was ended: ${reasonOf({ target, row })}`);
    const { count, gone } = this.#options.running.stop((it) => isKilled(target, it), reason);
    this.#end((candidate) => mayStillRun(target, candidate));
    this.#notifyChanged();
    return { ended: count, gone: Promise.race([gone, delay(stopTimeoutMs)]) };
  }

  async #voidApprovals(target: KillTarget): Promise<number> {
    const { approvals, audit } = this.#options;
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

  /** Kills what the file names. Removing the file afterwards lifts nothing. */
  #applyKillFile(): void {
    this.#fileReadAt = performance.now();
    const lines = this.#options.file.read();
    if (lines === this.#lastFileLines) return;
    this.#lastFileLines = lines;
    for (const line of lines ?? []) {
      const { text } = targetOfLine(line);
      if (this.#killed.some((it) => it.row.target === text)) continue;
      this.#set(text, killFileActor).catch(this.#options.onBug);
    }
  }
}

/**
 * Whether code of a target may still run in a process. A tool may have left work behind in every process it was ever
 * called in. For a program that runs elsewhere, ending the calls is enough.
 */
function mayStillRun(target: KillTarget, { tools, startedHere, ...owner }: LivingProcess): boolean {
  if (target.kind !== 'tool') return isKilled(target, owner);
  return startedHere && [...tools].some((tool) => isKilled(target, { ...owner, tool }));
}

/** A line that is not a valid target stops everything: somebody meant to stop something. */
function targetOfLine(line: string): { target: KillTarget; text: string } {
  const target = parseKillTarget(line) ?? { kind: 'all' as const };
  return { target, text: killTargetText(target) };
}

function parseTarget(text: string): KillTarget {
  const target = typeof text === 'string' ? parseKillTarget(text) : undefined;
  if (target !== undefined) return target;
  throw new HostError('usage', `${JSON.stringify(String(text).slice(0, 80))} is not a kill target`, {
    hint: 'use all, PACKAGE, PACKAGE/TOOL or principal:NAME',
  });
}

function reasonOf({ row }: Pick<ActiveKill, 'row'> & { target: KillTarget }): string {
  return `the kill switch is on for ${row.target}, set by ${row.by}`;
}

function killedError({ package: packageId, tool }: KillSubject, why: string): HostError {
  const name = tool === undefined ? packageId : `${packageId}/${tool}`;
  const what = packageId === undefined ? 'no tool can be called' : `${name} cannot be called`;
  return new HostError('killed', `${what}: ${why}`, {
    hint: 'only a person can lift it: "toolwharf kill" lists what is stopped, "toolwharf kill --lift TARGET" lifts it',
  });
}

function entryOf({ target, at, by }: KillTable): KillEntry {
  return { target, at, by };
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds).unref());
}
