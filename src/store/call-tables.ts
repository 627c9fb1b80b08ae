// The tables of calls whose arguments are stored, sealed.

/** The arguments of one call, encrypted with the key of the vault. */
export interface SealedArgumentsTable {
  call_id: string;
  /** `seq` of the call's intent entry in the audit log. */
  audit_seq: number;
  /** Id of the key. */
  key: string;
  nonce: Uint8Array;
  sealed: Uint8Array;
  at: number;
}

/** Sealed arguments to store together with an audit entry. */
export type SealedArgumentsInput = Omit<SealedArgumentsTable, 'audit_seq'>;

/**
 * A call of an idempotent tool that has no outcome yet, or that was repeated and whose answer nobody asked for yet. The
 * members from `principal` to `credentials` are what the call is bound to.
 */
export interface RepeatableCallTable {
  call: string;
  principal: string;
  client: string;
  tool: string;
  definition: string;
  arguments_digest: string;
  policy: string;
  credentials: string;
  /** Digest of the arguments alone, as in the intent. */
  digest: string;
  /** Id of the approval that it used; null if it needed none. */
  approval: string | null;
  timeout_ms: number;
  /** How many hosts started it. */
  starts: number;
  /** When it was repeated; null: it has no outcome. Milliseconds since 1970. */
  answered_at: number | null;
  /** Id of the key. */
  key: string;
  nonce: Uint8Array;
  /** The arguments, or the answer if it has one. */
  sealed: Uint8Array;
  /** When it was called. */
  at: number;
}

/** What happens to the row of a call together with an entry of the audit log. */
export type RepeatableCallChange =
  /** With the intent: from now on the call can be repeated. */
  | { readonly kind: 'started'; readonly row: RepeatableCallTable }
  /** With the intent of a repeated call. */
  | { readonly kind: 'started-again'; readonly call: string }
  /** With the outcome: it is known, and nothing of the call is left. */
  | { readonly kind: 'ended'; readonly call: string };

/** Creates the table of calls that can be repeated. A released script never changes. */
export const repeatableCalls = `-- Calls of idempotent tools without an outcome, with their sealed arguments, and the sealed answers of repeated ones.
   create table repeatable_call (
     call text primary key,
     principal text not null,
     client text not null,
     tool text not null,
     definition text not null,
     arguments_digest text not null,
     policy text not null,
     credentials text not null,
     digest text not null,
     approval text,
     timeout_ms integer not null,
     starts integer not null,
     answered_at integer,
     key text not null,
     nonce blob not null,
     sealed blob not null,
     at integer not null
   ) strict;`;
