import { HostError } from '../model/host-error.js';
import { denialTable } from './approval-tables.js';
import { repeatableCalls } from './call-tables.js';
import { installationSteps } from './installation-migrations.js';
import { setTables } from './set-tables.js';
import { endTransaction, type SqliteConnection } from './sqlite.js';
import { taintTables } from './taint-tables.js';
import { mcpTaskTable } from './task-tables.js';

/** One SQL script per schema version. A released script never changes. */
const steps: readonly string[] = [
  `create table audit (
     seq integer primary key,
     at text not null,
     kind text not null,
     body text not null,
     previous text not null,
     hash text not null
   ) strict;
   create index audit_start on audit (seq) where kind = 'start';

   -- The audit log: entries about a rollback, its name and right edge, and the places that have an anchor of it.
   create index audit_rollback on audit (seq) where kind = 'rollback';
   create table audit_tree (
     one integer primary key check (one = 1),
     log text not null,
     checkpoint integer not null,
     edge blob not null
   ) strict;
   create table audit_anchor (
     place text primary key,
     at integer not null
   ) strict;

   create table unknown_outcome (
     call text primary key,
     tool text not null,
     principal text not null,
     at integer not null
   ) strict;
   -- Outside the hash chain: sealed arguments can be erased, and the audit log still verifies.
   create table sealed_arguments (
     call_id text primary key,
     audit_seq integer not null,
     key text not null,
     nonce blob not null,
     sealed blob not null,
     at integer not null
   ) strict;
   create index sealed_arguments_age on sealed_arguments (at);

   create table approval (
     id text primary key,
     principal text not null,
     client text not null,
     session text not null,
     tool text not null,
     definition text not null,
     arguments text not null,
     arguments_digest text not null,
     policy text not null,
     credentials text not null,
     kind text not null,
     reasons text not null,
     evidence text not null,
     created_at integer not null,
     expires_at integer not null,
     state text not null,
     decided_at integer,
     decided_by text,
     channel text,
     verified integer,
     void_reason text,
     answer text
   ) strict;
   create index approval_call on approval (principal, tool, arguments_digest, state);
   create index approval_age on approval (principal, created_at);
   create table standing_rule (
     id text primary key,
     tool text not null,
     definition text,
     principal text,
     conditions text not null,
     destructive integer not null,
     created_at integer not null,
     expires_at integer,
     created_by text not null,
     verified integer not null,
     ended_at integer,
     ended text,
     used integer not null
   ) strict;
   create index standing_rule_tool on standing_rule (tool);
   -- Settings that waive a question or a protection, and that the operator accepted.
   create table accepted_waiver (
     id text primary key,
     kind text not null,
     content text not null,
     text text not null,
     accepted_at integer not null,
     accepted_by text not null,
     verified integer not null
   ) strict;
   create table operator_pin (
     one integer primary key check (one = 1),
     salt blob not null,
     hash blob not null,
     set_at integer not null,
     failures integer not null,
     tried_at integer not null
   ) strict;

   create table secret (
     package text not null,
     slot text not null,
     audience text not null,
     version integer not null,
     nonce blob not null,
     sealed blob not null,
     set_at integer not null,
     primary key (package, slot)
   ) strict;
   create table host_key (
     name text primary key,
     bytes blob not null
   ) strict;
   create table token (
     id text primary key,
     kind text not null,
     name text not null,
     role text not null,
     principal text not null,
     may_approve integer not null,
     digest text not null unique,
     created_at integer not null,
     expires_at integer,
     created_by text not null
   ) strict;
   -- Principals that a token ever had. A new token gets none of them, except one that replaces a token.
   create table token_principal (
     principal text primary key
   ) strict;

   create table link (
     folder text primary key,
     linked_at integer not null
   ) strict;
   create table agreement (
     manifest text primary key,
     package text not null,
     digest text not null,
     request text not null,
     package_text text not null,
     paths text not null,
     accepted_at integer not null,
     accepted_by text not null
   ) strict;
   create table announcement (
     manifest text not null,
     program text not null,
     digest text not null,
     agreed text not null,
     waiting text,
     at integer not null,
     primary key (manifest, program)
   ) strict;
   create table disabled_package (
     package text primary key,
     at integer not null,
     by text not null
   ) strict;
   create table kill (
     target text primary key,
     at integer not null,
     by text not null
   ) strict;

   create table limit_use (
     principal text not null,
     tool text not null,
     kind text not null,
     window_ms integer not null,
     at integer not null,
     used real not null,
     primary key (principal, tool, kind, window_ms, at)
   ) strict, without rowid;
   create table limit_clock (
     id integer primary key check (id = 1),
     at integer not null
   ) strict;

   -- Files that tools made in places that steer other programs; the host moved them aside.
   create table moved_file (
     id text primary key,
     folder text not null,
     path text not null,
     stored text not null,
     kind text not null,
     packages text not null,
     at integer not null
   ) strict;

   -- Parsed manifests. All rows can be computed again.
   create table parse_cache (
     subject text primary key,
     build text not null,
     made text not null,
     at integer not null
   ) strict;`,
  `-- Manifests that were broken when an operator named their path: there was nothing to accept.
   create table broken_when_named (
     manifest text primary key,
     paths text not null,
     named_at integer not null
   ) strict;`,
  repeatableCalls,
  `-- Why the last start of an upstream program failed.
   create table failed_start (
     manifest text not null,
     program text not null,
     digest text not null,
     reason text not null,
     at integer not null,
     primary key (manifest, program)
   ) strict;`,
  ...installationSteps,
  setTables,
  denialTable,
  `-- Servers of packages that asked for a sign-in.
   create table sign_in_request (
     package text not null,
     program text not null,
     url text not null,
     resource_metadata text not null,
     scopes text not null,
     at integer not null,
     primary key (package, program)
   ) strict;`,
  `-- Wrong PINs on the pages of held calls.
   alter table operator_pin add column page_failures integer not null default 0;
   alter table operator_pin add column page_tried_at integer not null default 0;`,
  mcpTaskTable,
  taintTables,
  `-- Arguments that a person wrote instead of those of the caller.
   alter table approval add column replacement text;`,
  `-- When a token was used the last time.
   alter table token add column last_used_at integer;`,
  `-- What registries said against installed releases.
   create table release_warning (
     name text not null,
     version text not null,
     sha256 text not null,
     registry text not null,
     kind text not null,
     reason text not null,
     seen_at integer not null,
     primary key (name, version, sha256, registry, kind)
   ) strict, without rowid;`,
  `-- Where a session had seen the source of a package before its agent asked for it.
   alter table requested_installation add column seen_in text;`,
];

/** Migrates a database to the newest version in one transaction. Rejects a database that a newer program wrote. */
export function migrate(connection: SqliteConnection): void {
  const [row] = connection.all('pragma user_version', []);
  const current = Number(row?.user_version ?? 0);
  if (current > steps.length) {
    throw new HostError('state_unusable', 'the state directory was written by a newer Toolwharf', {
      hint: 'update Toolwharf, or use another state directory with --state',
    });
  }
  if (current === steps.length) return;
  connection.exec('begin immediate');
  try {
    // Another process may have migrated it in the meantime.
    const [again] = connection.all('pragma user_version', []);
    for (const step of steps.slice(Number(again?.user_version ?? 0))) connection.exec(step);
    connection.exec(`pragma user_version = ${steps.length}`);
    connection.exec('commit');
  } catch (error) {
    endTransaction(connection);
    throw error;
  }
}
