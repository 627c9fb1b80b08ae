// What the audit log needs of a database.
import type { AuditDurability } from '../model/audit-durability.js';
import type { AuditHead } from './audit-head.js';
import type { LogName, StoredRollback } from './audit-rollback.js';
import type { RepeatableCallChange, SealedArgumentsInput } from './call-tables.js';
import type { AuditTable } from './state-tables.js';

/** An entry as the columns of `audit`: number, time, kind, body, hash of the entry before, own hash. */
export type AuditRow = readonly [number, string, string, string, string, string];

/** What is stored together with entries. */
export type AuditAddition =
  /** The newest checkpoint that an entry mentions, with the tree before its last entry. */
  | { readonly type: 'checkpoint'; readonly size: number; readonly edge: Uint8Array }
  | {
      readonly type: 'sealed arguments';
      readonly input: SealedArgumentsInput;
      /** Number of the entry that they belong to. */
      readonly seq: number;
    }
  | { readonly type: 'repeatable call'; readonly change: RepeatableCallChange };

/** Stored completely or not at all. The additions take place in their order, before the entries. */
export interface AuditBatch {
  readonly rows: readonly AuditRow[];
  readonly additions: readonly AuditAddition[];
}

export interface HeadOptions {
  /** Reads all entries, not only those after the last mentioned checkpoint. */
  readonly rebuild?: boolean;
  /** Gets the head after every entry that is read. */
  readonly visit?: (head: AuditHead) => void;
}

export interface AuditPage {
  /** Only entries with a higher number. */
  readonly after: number;
  readonly limit: number;
  /** Only entries of these kinds, or whose body contains one of these texts. */
  readonly where: { readonly kinds: readonly string[] } | { readonly texts: readonly string[] };
}

export interface AuditStatements {
  /**
   * Stores what `build` makes of the newest entry. `head`: that entry, if it is known. Resolves when the batch is on disk; with
   * `group` when the end of this process does not lose it.
   */
  append(
    durability: AuditDurability,
    head: AuditHead | undefined,
    build: (head: AuditHead) => AuditBatch,
  ): Promise<void>;
  /** The random name of the log when it began, and the newest mentioned checkpoint. A log without entries gets a name. */
  begin(newLogName: () => string): Promise<{ readonly log: string; readonly checkpoint: number }>;
  /** The newest entry with the tree of all entries. Throws `integrity` if an entry is missing. */
  head(options?: HeadOptions): Promise<AuditHead>;
  /** The next hashes after an entry, in order, at most some thousands. */
  hashesAfter(seq: number): Promise<readonly { readonly seq: number; readonly hash: string }[]>;
  /** All findings that show a rollback, oldest first. */
  rollbacks(): Promise<readonly StoredRollback[]>;
  /** All names of the log, in order. `first`: the one that it began with. */
  logNames(first: string): Promise<readonly LogName[]>;
  /** Number of the newest entry; 0 if there is none. */
  newest(): Promise<number>;
  /** Oldest first. */
  page(page: AuditPage): Promise<readonly AuditTable[]>;
  /** The principals of the newest entries, each once. */
  principals(newestEntries: number): Promise<readonly string[]>;
  /** The newest entries about what operators did with a package, newest first. */
  operationsOn(packageId: string, limit: number): Promise<readonly AuditTable[]>;
}
