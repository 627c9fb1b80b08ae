import type { Violation, ViolationAction } from '../../model/violation.js';
import { violationActionFor } from '../../policy/violation.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { StoredViolation, ViolationRows } from '../../store/violations.js';
import type { SessionSetup } from '../session-setup.js';
import { type Notice, violationNotice } from './notice.js';
import type { NoticeTarget } from './notice-target.js';
import type { Kills } from './operator.js';
import { noticeTargetsOf } from './session-notice-targets.js';

/** The session in which a package violated its grant. */
export type ViolationContext = Pick<SessionSetup, 'policy' | 'grants' | 'violations'>;

export interface ViolationOptions {
  readonly rows: ViolationRows;
  readonly audit: AuditLog;
  readonly kills: Pick<Kills, 'set' | 'list'>;
  /** Sends a notice, in the background. */
  readonly sendNotice: (notice: Notice, targets: readonly NoticeTarget[]) => void;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
}

/** Revokes an installed package. False: it is not installed. */
export type RevokeByPolicy = (
  packageId: string,
  reason: string,
  context: ViolationContext,
) => Promise<boolean>;

/** The same violation leads to one audit entry and one notice in this time. Milliseconds. */
const repeatMs = 3_600_000;
/** Different violations of one package that are kept; further ones are not recorded. */
const maxOfPackage = 50;
const maxDetail = 300;

/** Records what packages did against their grants, and does what the operator decided for that. */
export class Violations {
  readonly #options: ViolationOptions;
  readonly #known = new Map<string, StoredViolation>();
  /** The session that used a package last, for violations that are noticed outside of calls. */
  readonly #lastUse = new Map<string, ViolationContext>();
  /** Trials of packages that are not over. They collect violations, and the policy does not apply. */
  readonly #trials = new Map<string, ViolationContext>();
  /** Packages that are being stopped. */
  readonly #stopping = new Set<string>();
  readonly #open = new Set<Promise<void>>();
  #revoke: RevokeByPolicy = async () => false;
  #notifyChanged: () => void = () => {};

  private constructor(options: ViolationOptions, stored: readonly StoredViolation[]) {
    this.#options = options;
    for (const it of stored) this.#known.set(keyOf(it), it);
  }

  static async open(options: ViolationOptions): Promise<Violations> {
    return new Violations(options, await options.rows.list());
  }

  /** Called once. */
  attach(revoke: RevokeByPolicy, notifyChanged: () => void): void {
    this.#revoke = revoke;
    this.#notifyChanged = notifyChanged;
  }

  /** A session is about to run a program of a package, or to ask one that runs already. */
  using(packageId: string, context: ViolationContext): void {
    (context.violations === null ? this.#lastUse : this.#trials).set(packageId, context);
  }

  /** The trial of a package is over. Programs that it started may still run: then they belong to the next user. */
  endTrial(packageId: string): void {
    this.#trials.delete(packageId);
  }

  /** Who uses a program that `opener` started: its trial as long as that lasts, then the session that used it last. */
  userOf(packageId: string, opener: ViolationContext): ViolationContext | undefined {
    return this.#trials.get(packageId) === opener ? opener : this.#lastUse.get(packageId);
  }

  /**
   * The call does not wait for what follows from it. Default of `context`: the trial of the package, or else the session
   * that used it last.
   */
  report(
    violation: Violation,
    context = this.#trials.get(violation.package) ?? this.#lastUse.get(violation.package),
  ): void {
    if (context !== undefined && context.violations !== null) {
      context.violations.push(violation);
      return;
    }
    const work: Promise<void> = this.#handle(violation, context)
      .catch(this.#options.onBug)
      .finally(() => this.#open.delete(work));
    this.#open.add(work);
  }

  /** What was noticed about a package, one sentence each. */
  remarks(packageId: string): readonly string[] {
    const own = [...this.#known.values()].filter((it) => it.package === packageId);
    return own.slice(-maxShown).map(({ detail, count, lastAt }) => {
      const times = count === 1 ? '' : `, ${count} times`;
      return `violation: ${detail} (${new Date(lastAt).toISOString().slice(0, 10)}${times})`;
    });
  }

  /** The package is gone, or somebody accepted it again. */
  async forget(packageId: string): Promise<void> {
    for (const [key, it] of this.#known) if (it.package === packageId) this.#known.delete(key);
    this.#lastUse.delete(packageId);
    await this.#options.rows.remove(packageId);
  }

  async close(): Promise<void> {
    while (this.#open.size > 0) await Promise.all([...this.#open]);
  }

  async #handle(given: Violation, context: ViolationContext | undefined): Promise<void> {
    const { rows, audit, now, sendNotice } = this.#options;
    const violation = { ...given, detail: given.detail.slice(0, maxDetail) };
    const key = keyOf(violation);
    const before = this.#known.get(key);
    const isNew = before === undefined;
    const ofPackage = [...this.#known.values()].filter((it) => it.package === violation.package).length;
    const action = violationActionFor(context?.policy.onViolation, violation.package);
    if (!isNew || ofPackage < maxOfPackage) {
      const at = now();
      const stored = {
        ...violation,
        count: (before?.count ?? 0) + 1,
        firstAt: before?.firstAt ?? at,
        lastAt: at,
      };
      this.#known.set(key, stored);
      const isRepeated = before !== undefined && at - before.lastAt < repeatMs;
      if (!isRepeated) {
        const { package: id, kind, detail } = violation;
        await audit.append({ kind: 'violation', body: { package: id, violation: kind, detail, action } });
        if (context !== undefined)
          sendNotice(violationNotice(violation, action, at), noticeTargetsOf(context));
      }
      await rows.put(stored);
      if (isNew) this.#notifyChanged();
    }
    if (action !== 'report' && context !== undefined) await this.#stop(violation, action, context);
  }

  /** A package that cannot be revoked, because it is not installed, is stopped. */
  async #stop(
    { package: id, kind, detail }: Violation,
    action: ViolationAction,
    context: ViolationContext,
  ): Promise<void> {
    if (this.#stopping.has(id)) return;
    this.#stopping.add(id);
    try {
      const reason = `${kind}: ${detail}`;
      if (action === 'revoke' && (await this.#revoke(id, reason, context))) return;
      const { kills } = this.#options;
      if ((await kills.list()).some((it) => it.target === id)) return;
      await kills.set(id, `policy (${reason})`, true);
    } finally {
      this.#stopping.delete(id);
    }
  }
}

const maxShown = 5;

function keyOf({ package: id, kind, detail }: Violation): string {
  return JSON.stringify([id, kind, detail]);
}
