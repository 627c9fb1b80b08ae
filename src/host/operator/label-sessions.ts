import { HostError } from '../../model/host-error.js';
import { canonicalJson } from '../../model/json.js';
import type { Endorsement } from '../../policy/taint/endorsements.js';
import type { TaintLabel } from '../../policy/taint/taint-label.js';
import type { TaintFacts } from '../../policy/taint/taint-session.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { EndorsementRows } from '../../store/endorsements.js';
import type { LabelSessionRows } from '../../store/label-sessions.js';
import type { EndorsementTable, LabelSessionTable } from '../../store/taint-tables.js';
import { LabelSession, type StoredLabels } from './label-session.js';
import type { EndorsementEntry, LabelOperations, LabelSessionEntry } from './labels.js';
import type { OperatorAuth, VerifiedActor } from './operator-auth.js';

/** Whose labels they are. */
export interface LabelSessionKey {
  readonly principal: string;
  readonly root: string;
  /** One of several sessions of the same principal and workspace. */
  readonly name: string;
}

/** What the operator configured for a session. */
export interface LabelSettings {
  /** The person's own addresses and other values that need no question. */
  readonly own: readonly string[];
  /** True: the agent also reads what does not come through the host, so its session is untrusted from the start. */
  readonly outsideInput: boolean;
}

export interface LabelSessionsOptions {
  readonly rows: LabelSessionRows;
  readonly endorsements: EndorsementRows;
  readonly audit: AuditLog;
  readonly operatorAuth: OperatorAuth;
  readonly now: () => number;
  readonly newId: (prefix: string) => string;
}

/** Sessions whose values are in memory. Of others, every value counts as seen. */
const maxInMemory = 64;

/** The labels of all sessions. */
export class LabelSessions {
  readonly #options: LabelSessionsOptions;
  /** By key, used last at the end. */
  readonly #open = new Map<string, Promise<LabelSession>>();
  /** The key at the end, which need not be moved there again. */
  #newest: string | undefined;

  constructor(options: LabelSessionsOptions) {
    this.#options = options;
  }

  /** A function that opens a session, for each call again: one that was not used for long is stored and read again. */
  opener(key: LabelSessionKey, { own, outsideInput }: LabelSettings): (this: void) => Promise<LabelSession> {
    const text = canonicalJson({ ...key, ...(outsideInput ? { outsideInput } : {}) });
    const load = () => this.#load(key, text, outsideInput);
    const withConstants = (session: LabelSession) => {
      session.useConstants(own);
      return session;
    };
    return () => this.#used(text, load).then(withConstants);
  }

  /** The session in memory, which is the one used last from now on. */
  #used(key: string, load: () => Promise<LabelSession>): Promise<LabelSession> {
    let found = this.#open.get(key);
    if (found === undefined) {
      found = load();
      found.catch(() => this.#open.delete(key));
    } else if (key === this.#newest) return found;
    else this.#open.delete(key);
    this.#newest = key;
    this.#open.set(key, found);
    if (this.#open.size > maxInMemory) {
      const [oldest] = this.#open.keys();
      if (oldest !== undefined) this.#open.delete(oldest);
    }
    return found;
  }

  /** A session that ends with its caller: nothing of it is stored. */
  openTemporary({ own, outsideInput }: LabelSettings): LabelSession {
    const session = new LabelSession(this.#options.newId('lab'), null, async () => {}, !outsideInput);
    session.useConstants(own);
    this.#open.set(session.id, Promise.resolve(session));
    this.#newest = session.id;
    return session;
  }

  /** Ends a temporary session. */
  close(session: LabelSession): void {
    this.#open.delete(session.id);
  }

  /** The session with this id, if it is in memory. */
  async find(id: string): Promise<LabelSession | undefined> {
    for (const it of this.#open.values()) {
      const session = await it;
      if (session.id === id) return session;
    }
    return undefined;
  }

  /** Vouches for values in a session, until somebody revokes it. On disk first: a restart must not ask again. */
  async endorse(sessionId: string, given: readonly Endorsement[], who: VerifiedActor): Promise<void> {
    const { endorsements, now, newId } = this.#options;
    await endorsements.add(
      given.map(({ source, kind, value, level, input = null }) => ({
        ...{ id: newId('end'), session: sessionId, source, kind, value, level, input },
        ...{ created_at: now(), created_by: who.by, channel: who.channel, verified: who.verified ? 1 : 0 },
      })),
    );
    (await this.find(sessionId))?.endorse(given);
  }

  get operations(): LabelOperations {
    const { rows, endorsements, audit, operatorAuth } = this.#options;
    const get = async (id: string): Promise<LabelSessionTable> => {
      const row = await rows.get(id);
      if (row !== undefined) return row;
      throw new HostError('not_found', `no session with the id ${id} has labels`, {
        hint: 'list them: toolwharf session list',
      });
    };
    return {
      list: async () => (await rows.list()).map(entryOf),
      get: async (id) => entryOf(await get(id)),
      reset: async (id, actor) => {
        const who = await operatorAuth.verify(actor, 'start a session anew');
        const row = await get(id);
        const body = { operation: 'session new', session: id, principal: row.principal, ...who };
        await audit.append({ kind: 'operator', body });
        await endorsements.removeOf(id);
        await rows.remove(id);
        (await this.#open.get(row.key))?.reset();
        return entryOf(row);
      },
      endorsements: async () => (await endorsements.list(null)).map(endorsementEntryOf),
      // Revoking cannot widen anything, so it never needs the PIN.
      revoke: async (id, actor) => {
        const by = typeof actor === 'string' ? actor : actor.name;
        await audit.append({
          kind: 'operator',
          body: { operation: 'endorsement revoke', endorsement: id, by },
        });
        const row = await endorsements.remove(id);
        if (row === undefined) return false;
        (await this.find(row.session))?.revoke(endorsementOf(row));
        return true;
      },
    };
  }

  async #load(
    { principal, root }: LabelSessionKey,
    key: string,
    outsideInput: boolean,
  ): Promise<LabelSession> {
    const { rows, endorsements, newId } = this.#options;
    const row = await rows.find(key);
    const id = row?.id ?? newId('lab');
    const session = new LabelSession(
      id,
      row === undefined ? null : storedOf(row),
      (changed) =>
        rows.put(
          { id, key, principal, root },
          {
            ...changed.facts.label,
            facts: JSON.stringify(changed.facts),
            untrusted_by: changed.untrustedBy,
            private_by: changed.privateBy,
          },
        ),
      !outsideInput,
    );
    if (row !== undefined) session.endorse((await endorsements.list(id)).map(endorsementOf));
    return session;
  }
}

function storedOf(row: LabelSessionTable): StoredLabels {
  const facts = JSON.parse(row.facts) as TaintFacts;
  return {
    facts: { ...facts, label: labelOf(row) },
    untrustedBy: row.untrusted_by,
    privateBy: row.private_by,
  };
}

function labelOf({ integrity, secrecy }: LabelSessionTable): TaintLabel {
  return { integrity, secrecy } as TaintLabel;
}

function endorsementOf({ source, kind, value, level, input }: EndorsementTable): Endorsement {
  return { source, kind, value, level, ...(input === null ? {} : { input }) } as Endorsement;
}

function entryOf(row: LabelSessionTable): LabelSessionEntry {
  return {
    id: row.id,
    principal: row.principal,
    root: row.root,
    ...labelOf(row),
    untrustedBy: row.untrusted_by,
    privateBy: row.private_by,
    createdAt: row.created_at,
    changedAt: row.changed_at,
  };
}

function endorsementEntryOf(row: EndorsementTable): EndorsementEntry {
  const { id, session, created_at: at, created_by: by, verified } = row;
  const { source, kind, value, level, input } = endorsementOf(row);
  return { id, session, source, kind, value, level, input: input ?? null, at, by, verified: verified === 1 };
}
