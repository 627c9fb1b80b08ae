import type { JsonObject } from '../../model/json.js';
import type { Waiver } from '../../model/waiver.js';
import type { AcceptedWaivers } from '../../store/accepted-waivers.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { VerifiedActor } from './operator-auth.js';
import { actorName } from './pin-auth.js';
import type { AcceptedWaiver, WaiverOperations } from './waiver-operations.js';

/** Inactive waivers in one audit entry, and remembered ones, so that a caller cannot fill the log or the memory. */
const maxLogged = 20;
const maxRemembered = 1000;

/**
 * Decides which waivers are in force: all of them while no PIN is set, then only those that the operator accepted with
 * the PIN. A change takes effect in open sessions at once.
 */
export class WaiverGate {
  readonly #rows: AcceptedWaivers;
  readonly #audit: AuditLog;
  #isPinSet: boolean;
  #verified: ReadonlySet<string> = new Set();
  #version = 0;
  #onChange: () => void = () => {};
  /** Inactive waivers that the audit log of this run already names. */
  readonly #logged = new Set<string>();

  private constructor(rows: AcceptedWaivers, audit: AuditLog, isPinSet: boolean) {
    this.#rows = rows;
    this.#audit = audit;
    this.#isPinSet = isPinSet;
  }

  static async open(rows: AcceptedWaivers, audit: AuditLog, isPinSet: boolean): Promise<WaiverGate> {
    const gate = new WaiverGate(rows, audit, isPinSet);
    await gate.#load();
    return gate;
  }

  /** Called once. `onChange` reports that other waivers are in force. */
  attach(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** Differs after every change of what is in force. */
  get version(): number {
    return this.#version;
  }

  isActive(id: string): boolean {
    return !this.#isPinSet || this.#verified.has(id);
  }

  /** Whether the operator accepted it with the PIN. */
  isVerified(id: string): boolean {
    return this.#verified.has(id);
  }

  pinChanged(isSet: boolean): void {
    this.#isPinSet = isSet;
    this.#changed();
  }

  async accept(waiver: Waiver, who: VerifiedActor): Promise<void> {
    await this.#audit.append({
      kind: 'operator',
      body: { operation: 'accept setting', ...auditFields(waiver), content: waiver.content, ...who },
    });
    await this.#rows.put(waiver, who);
    await this.#load();
    this.#changed();
  }

  /** Writes to the audit log which settings of a new session have no effect; each content once per run of the host. */
  async logInactive(waivers: readonly Waiver[], principal: string): Promise<void> {
    const fresh = waivers.filter((it) => !this.isActive(it.id) && !this.#logged.has(it.id));
    if (fresh.length === 0) return;
    if (this.#logged.size > maxRemembered) this.#logged.clear();
    const named = fresh.slice(0, maxLogged);
    for (const { id } of named) this.#logged.add(id);
    await this.#audit.append({
      kind: 'operator',
      body: {
        operation: 'inactive settings',
        principal,
        settings: named.map(auditFields),
        ...(fresh.length > named.length ? { more: fresh.length - named.length } : {}),
      },
    });
  }

  /** The operations for operators. */
  get operations(): WaiverOperations {
    return {
      list: async () => (await this.#rows.list()).map(acceptedOf),
      revoke: async (id, actor) => {
        if (!(await this.#rows.list()).some((it) => it.id === id)) return false;
        const body = { operation: 'revoke setting', waiver: id, by: actorName(actor) };
        await this.#audit.append({ kind: 'operator', body });
        const revoked = await this.#rows.remove(id);
        await this.#load();
        this.#changed();
        return revoked;
      },
    };
  }

  async #load(): Promise<void> {
    const rows = await this.#rows.list();
    this.#verified = new Set(rows.filter((it) => it.verified === 1).map((it) => it.id));
  }

  #changed(): void {
    this.#version++;
    this.#onChange();
  }
}

function auditFields({ id, kind, text, origin }: Waiver): JsonObject {
  return { waiver: id, setting: kind, text, ...(origin === null ? {} : { origin: { ...origin } }) };
}

function acceptedOf(row: Awaited<ReturnType<AcceptedWaivers['list']>>[number]): AcceptedWaiver {
  return {
    id: row.id,
    kind: row.kind as Waiver['kind'],
    content: JSON.parse(row.content),
    text: row.text,
    acceptedAt: row.accepted_at,
    acceptedBy: row.accepted_by,
    verified: row.verified === 1,
  };
}
