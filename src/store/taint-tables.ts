// The tables of labels and endorsements.

/** What one session has seen. */
export interface LabelSessionTable {
  id: string;
  /** Who and where, as canonical JSON; unique. */
  key: string;
  principal: string;
  root: string;
  integrity: string;
  secrecy: string;
  /** The tool and call that made it untrusted; null while it is trusted. */
  untrusted_by: string | null;
  /** The tool and call that made it private; null while it is public. */
  private_by: string | null;
  /** What else is known about it, as JSON. */
  facts: string;
  created_at: number;
  changed_at: number;
}

/** A value that a person vouched for. */
export interface EndorsementTable {
  id: string;
  /** Id of the session. */
  session: string;
  /** Why somebody vouches for it, such as `words` or `approval`. */
  source: string;
  /** What it is, such as `host` or `value`. */
  kind: string;
  value: string;
  /** The most severe act that it covers. */
  level: string;
  /** Package, tool and input; null: any. */
  input: string | null;
  created_at: number;
  created_by: string;
  channel: string;
  /** 1 if the operator's PIN was given. */
  verified: number;
}

/** A held call whose approval vouches for values. */
export interface TaintHoldTable {
  approval: string;
  /** Id of the session whose call it is. */
  session: string;
  /** A list as JSON. */
  endorses: string;
}

export interface TaintTables {
  label_session: LabelSessionTable;
  endorsement: EndorsementTable;
  taint_hold: TaintHoldTable;
}

export const taintTables = `-- What sessions have seen, and what people vouched for.
   create table label_session (
     id text primary key,
     key text not null unique,
     principal text not null,
     root text not null,
     integrity text not null,
     secrecy text not null,
     untrusted_by text,
     private_by text,
     facts text not null,
     created_at integer not null,
     changed_at integer not null
   ) strict;
   create index label_session_age on label_session (changed_at);
   create table endorsement (
     id text primary key,
     session text not null,
     source text not null,
     kind text not null,
     value text not null,
     level text not null,
     input text,
     created_at integer not null,
     created_by text not null,
     channel text not null,
     verified integer not null
   ) strict;
   create index endorsement_session on endorsement (session);
   create table taint_hold (
     approval text primary key,
     session text not null,
     endorses text not null
   ) strict;`;
