// The tables of sets.

/** A named choice of packages and tools. */
export interface ToolSetTable {
  name: string;
  /** As canonical JSON. */
  content: string;
  saved_at: number;
  saved_by: string;
}

/** Who uses a set. */
export interface SetBindingTable {
  kind: string;
  /** A principal or an absolute path; empty for everyone. */
  subject: string;
  /** As the operator wrote it. */
  label: string;
  set_name: string;
  bound_at: number;
  bound_by: string;
}

/** Creates the tables. A released script never changes. */
export const setTables = `-- Named choices of packages and tools, and who uses them.
   create table tool_set (
     name text primary key,
     content text not null,
     saved_at integer not null,
     saved_by text not null
   ) strict;
   create table set_binding (
     kind text not null,
     subject text not null,
     label text not null,
     set_name text not null,
     bound_at integer not null,
     bound_by text not null,
     primary key (kind, subject)
   ) strict;`;
