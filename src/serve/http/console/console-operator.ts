import type { Host, Operator } from '../../../host/host.js';
import type { JsonObject } from '../../../model/json.js';

/** Whom the audit log names. The link proves that somebody could read the terminal of the host, and not who. */
const actor = { name: 'console', channel: 'console' } as const;

/**
 * Operations that run something and that agents may perform without a person. Who only has the link to the console may look,
 * so here they need the PIN, if one is set.
 */
const acting: ReadonlySet<string> = new Set([
  'session.call',
  'session.message',
  'session.install',
  'session.requestInstall',
  'session.prompt',
  'session.promptMessages',
  'session.resource',
  'session.installations.verify',
  'session.learning.watch',
  'session.signIns.finish',
]);

/** The operator behind each signed-in browser: who entered the PIN may change things for some time. */
export class ConsoleOperators {
  readonly #host: Pick<Host, 'operator'>;
  readonly #now: () => number;
  /** By visit. Only in memory: after a restart, the PIN is needed again. */
  readonly #signIns = new Map<string, { readonly token: string; readonly expiresAt: number }>();

  constructor(host: Pick<Host, 'operator'>, now: () => number) {
    this.#host = host;
    this.#now = now;
  }

  /** Until when this browser needs no PIN; null if it needs one. */
  verifiedUntil(visit: string): number | null {
    const found = this.#signIns.get(visit);
    return found !== undefined && found.expiresAt > this.#now() ? found.expiresAt : null;
  }

  /** Throws if the PIN is wrong or comes too early. */
  async enterPin(visit: string, pin: string): Promise<number> {
    const entry = await this.#host.operator.signIn({ ...actor, pin });
    for (const [it, { expiresAt }] of this.#signIns) if (expiresAt <= this.#now()) this.#signIns.delete(it);
    this.#signIns.set(visit, entry);
    return entry.expiresAt;
  }

  async leave(visit: string): Promise<void> {
    const found = this.#signIns.get(visit);
    this.#signIns.delete(visit);
    if (found !== undefined) await this.#host.operator.signOut(found.token);
  }

  /** Who is signed in, with the proof of the PIN as long as it lasts. */
  operatorOf(visit: string): Operator {
    const entry = this.#signIns.get(visit);
    const isValid = entry !== undefined && entry.expiresAt > this.#now();
    return { ...actor, ...(isValid ? { signIn: entry.token } : {}) };
  }

  /** Who performs an operation. Throws `pin_required` for one that only the console protects. */
  async actorFor(visit: string, operation: string, { dryRun }: JsonObject): Promise<Operator> {
    const operator = this.operatorOf(visit);
    // Asking what an installation would fetch only looks.
    if (acting.has(operation) && dryRun !== true)
      await this.#host.operator.verify(operator, 'run tools from the console');
    return operator;
  }
}
