import type { AuditVerdict } from '../model/audit.js';
import type { JsonObject } from '../model/json.js';

/** One entry of the audit log, its body parsed. */
export interface AuditEntry {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly body: JsonObject;
}

/** Where the proof of the record is kept; in the state directory unless told. */
export interface AuditPlaces {
  /** Folder of the checkpoints. */
  readonly checkpoints?: string;
  /** File of the key that signs them. */
  readonly key?: string;
}

/** A line of the record as it is kept, with the hashes that prove it. */
export interface ProvenEntry {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  /** Canonical JSON. */
  readonly body: string;
  readonly previous: string;
  readonly hash: string;
}

/** The record of a state directory, for reading; whether a host runs does not matter. */
export interface AuditReader {
  /** Number of the newest line. */
  last(): number;
  /** Lines after a number, in their order, a few at a time. */
  lines(after?: number, through?: number): Iterable<ProvenEntry>;
  /** The first and last line of a time; undefined when there is none. */
  span(
    since: string | undefined,
    until: string | undefined,
  ): { readonly first: number; readonly last: number } | undefined;
  /** What is said of one call, and of its approval where there was one, in order. */
  about(call: string): readonly ProvenEntry[];
  /** Whether the arguments of the call are kept, sealed. */
  keeps(call: string): boolean;
  /** As they are written. */
  checkpoints(): AsyncIterable<string>;
  /** As PEM. */
  publicKey(): string | undefined;
  /** `trusted`: path of a public key to check against instead of the one that is kept here. */
  verify(trusted?: string): Promise<AuditVerdict>;
  close(): void;
}
