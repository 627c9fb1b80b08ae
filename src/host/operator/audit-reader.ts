import type { AuditVerdict } from '../../model/audit.js';
import type { JsonObject } from '../../model/json.js';

/** One entry of the audit log. */
export interface AuditEntry {
  /** Number of the entry, from 1. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: string;
  readonly body: JsonObject;
}

/** Where the audit log's checkpoints and their key are stored. Default: in the state directory. */
export interface AuditLocations {
  /** Folder of the checkpoints. */
  readonly checkpoints?: string;
  /** File with the key that signs the checkpoints. */
  readonly key?: string;
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
  /** All entries about one call and its approval, in order. */
  entriesOfCall(call: string): readonly HashedAuditEntry[];
  /** Whether sealed arguments of the call are kept. */
  hasKeptArguments(call: string): boolean;
  /** The lines of the checkpoint files, as stored. */
  checkpoints(): AsyncIterable<string>;
  /** PEM; undefined if there is none yet. */
  publicKey(): string | undefined;
  /** `trusted`: path of a public key to check against, instead of the stored one. */
  verify(trusted?: string): Promise<AuditVerdict>;
  close(): void;
}
