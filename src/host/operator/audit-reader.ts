import type { AuditVerdict } from '../../model/audit.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import type { ChangeProgress } from '../../model/change.js';
import type { JsonObject } from '../../model/json.js';

/** How to follow the verification of a long audit log. */
export interface AuditProgressOptions {
  readonly onProgress?: ((progress: ChangeProgress) => void) | undefined;
  readonly signal?: CancelSignal | undefined;
}

/** One entry of the audit log. */
export interface AuditEntry {
  /** Number of the entry, from 1. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: string;
  readonly body: JsonObject;
}

/** Where the audit log's checkpoints, their key and their anchors are stored. */
export interface AuditLocations {
  /** Folder of the checkpoints. Default: in the state directory. */
  readonly checkpoints?: string;
  /** File with the key that signs the checkpoints. Default: in the state directory. */
  readonly key?: string;
  /** Folder outside the state directory that keeps the newest checkpoint. It shows when the log was rolled back. */
  readonly anchorFolder?: string;
  /** Also keep the newest checkpoint in the keychain of the operating system, if there is one. */
  readonly anchorKeychain?: boolean;
  /** Receives the newest checkpoint. `allow`: grants for a private address, such as `net:127.0.0.1:9000`. */
  readonly anchorWebhook?: {
    readonly url: string;
    readonly allow?: readonly string[];
    /** Certificate authorities that are trusted besides the usual ones, as PEM. */
    readonly certificates?: string | undefined;
  };
}

/** What to verify an audit log with, besides what is stored with it. */
export interface AuditVerification {
  /** Path of a public key to use instead of the stored one. */
  readonly publicKey?: string | undefined;
  /** Path of a checkpoint or an anchor that was kept elsewhere. */
  readonly anchor?: string | undefined;
}

/** An audit entry as stored, with the hashes of the chain. */
export interface HashedAuditEntry {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  /** Canonical JSON. */
  readonly body: string;
  readonly previous: string;
  readonly hash: string;
}

/** Which entries to find. Absent members allow everything. */
export interface AuditFilter {
  /** ISO 8601. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly package?: string | undefined;
  /** The name of a tool, or `package/tool`. */
  readonly tool?: string | undefined;
  /** A principal, or its last part. */
  readonly client?: string | undefined;
  /** Only intents whose call ended with one of these statuses, and entries of other kinds. */
  readonly ended?: readonly string[] | undefined;
}

/** Reads the audit log of a state directory, with or without a running host. */
export interface AuditReader {
  /** `seq` of the newest entry; 0 if the log is empty. */
  lastSeq(): number;
  /** Entries after one `seq`, up to and including another, in order; read in small batches. */
  entries(after?: number, through?: number): Iterable<HashedAuditEntry>;
  /** `seq` of the first and the last entry in a time range (ISO 8601); undefined if there is none. */
  seqRange(
    since: string | undefined,
    until: string | undefined,
  ): { readonly first: number; readonly last: number } | undefined;
  /** Entries from the newest to the oldest that fit; checkpoints, anchors and starts are left out. */
  newest(filter: AuditFilter): Iterable<HashedAuditEntry>;
  /** The outcome of a call, or the note that it is unknown, after its intent; undefined if there is none yet. */
  endOfCall(call: string, intent: number): HashedAuditEntry | undefined;
  /** All entries about one call and its approval, in order. */
  entriesOfCall(call: string): readonly HashedAuditEntry[];
  /** Whether sealed arguments of the call are kept. */
  hasKeptArguments(call: string): boolean;
  /** The signed notes of all checkpoints, as stored. */
  checkpoints(): AsyncIterable<string>;
  /** The newest checkpoint; undefined if there is none. */
  checkpoint(): Promise<{ readonly size: number; readonly root: string; readonly note: string } | undefined>;
  /** The key that others verify checkpoints with, as in c2sp.org/signed-note; undefined if there is none yet. */
  verifierKey(): string | undefined;
  /** PEM; undefined if there is none yet. */
  publicKey(): string | undefined;
  /** Right edge of the Merkle tree of all entries before `seq`, in base64, for an export that starts there. */
  treeBefore(seq: number): string;
  /** Proves that the newest checkpoint covers an entry (c2sp.org/tlog-proof). */
  proveEntry(seq: number): Promise<string>;
  /** Proves that the log only grew since it had `from` entries: a request to a c2sp.org/tlog-witness. */
  proveGrowth(from: number): Promise<string>;
  verify(options?: AuditVerification): Promise<AuditVerdict>;
  close(): void;
}
