import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { HostError } from '../model/host-error.js';
import { sqliteDialect, Turns } from './dialect.js';
import { migrate } from './migrations.js';
import { openSqlite, type SqliteConnection } from './sqlite.js';

export interface AuditTable {
  seq: number;
  /** ISO 8601, UTC. */
  at: string;
  kind: string;
  /** Canonical JSON. */
  body: string;
  previous: string;
  hash: string;
}

export interface ApprovalTable {
  id: string;
  principal: string;
  session: string;
  tool: string;
  definition: string;
  arguments: string;
  arguments_digest: string;
  policy: string;
  credentials: string;
  kind: string;
  reasons: string;
  /** A list as JSON. */
  evidence: string;
  created_at: number;
  expires_at: number;
  state: string;
  decided_at: number | null;
  decided_by: string | null;
  channel: string | null;
  /** 1 where the operator's PIN was shown. */
  verified: number | null;
  void_reason: string | null;
  /** The answer of the executed call as JSON. */
  answer: string | null;
}

export interface SecretTable {
  package: string;
  slot: string;
  /** Canonical JSON. */
  audience: string;
  version: number;
  nonce: Uint8Array;
  sealed: Uint8Array;
  set_at: number;
}

/** A file or folder that an operator named. */
export interface LinkTable {
  folder: string;
  linked_at: number;
}

/** What was agreed to for the package of one manifest. */
export interface AgreementTable {
  manifest: string;
  package: string;
  digest: string;
  /** What the package asks for, as canonical JSON. */
  request: string;
  /** What models and people read of it, as JSON; null in pins of an earlier version. */
  package_text: string;
  accepted_at: number;
  accepted_by: string;
}

export interface SwitchedOffTable {
  package: string;
  at: number;
  by: string;
}

/** A call that began and whose end nobody saw. */
export interface UnknownOutcomeTable {
  call: string;
  tool: string;
  principal: string;
  at: number;
}

/** A target of the kill switch. */
export interface KillTable {
  target: string;
  at: number;
  by: string;
}

export interface TokenTable {
  id: string;
  name: string;
  role: string;
  /** SHA-256 of the token. */
  digest: string;
  created_at: number;
  expires_at: number | null;
  created_by: string;
}

/** The token that a name stands for, revoked or not. */
export interface TokenNameTable {
  name: string;
  token: string;
}

/** What was used of a limit at one time. */
export interface LimitUseTable {
  principal: string;
  tool: string;
  /** `calls` or `amount`. */
  kind: string;
  /** Length of the window in milliseconds. */
  span: number;
  at: number;
  used: number;
}

/** The highest time that limits were ever measured at. */
export interface LimitClockTable {
  id: 1;
  at: number;
}

/** What a program said of its tools. */
export interface AnnouncementTable {
  manifest: string;
  program: string;
  digest: string;
  /** Canonical JSON. */
  agreed: string;
  waiting: string | null;
  at: number;
}

/** A rule under which a tool runs without asking each time. */
export interface StandingRuleTable {
  id: string;
  tool: string;
  definition: string;
  principal: string | null;
  /** What each argument must be, as JSON. */
  conditions: string;
  /** 1 where it covers a tool that cannot be undone. */
  destructive: number;
  created_at: number;
  expires_at: number | null;
  created_by: string;
  verified: number;
  ended_at: number | null;
  /** Why it no longer holds. */
  ended: string | null;
  used: number;
}

/** One row: what the operator's PIN is checked against, and how often somebody guessed. */
export interface OperatorPinTable {
  one: number;
  salt: Uint8Array;
  hash: Uint8Array;
  set_at: number;
  failures: number;
  tried_at: number;
}

/** Keys that the host made for itself. */
export interface HostKeyTable {
  name: string;
  bytes: Uint8Array;
}

/** Arguments of one call, which only the key of the vault opens. */
export interface SealedArgumentsTable {
  call_id: string;
  /** The line of the record that says that the call began. */
  line: number;
  /** Tells keys apart. */
  key: string;
  nonce: Uint8Array;
  sealed: Uint8Array;
  at: number;
}

export interface StateTables {
  audit: AuditTable;
  approval: ApprovalTable;
  secret: SecretTable;
  link: LinkTable;
  agreement: AgreementTable;
  switched_off: SwitchedOffTable;
  token: TokenTable;
  token_name: TokenNameTable;
  limit_use: LimitUseTable;
  limit_clock: LimitClockTable;
  kill: KillTable;
  unknown_outcome: UnknownOutcomeTable;
  announcement: AnnouncementTable;
  standing_rule: StandingRuleTable;
  operator_pin: OperatorPinTable;
  host_key: HostKeyTable;
  sealed_arguments: SealedArgumentsTable;
}

export type Database = Kysely<StateTables>;

export const databaseFile = 'toolwharf.db';

const bare = new WeakMap<Database, { readonly connection: SqliteConnection; readonly turns: Turns }>();

/**
 * Work on the bare connection, alone: for what is done so often that building queries costs more than running them.
 * It must not wait for anything.
 */
export async function exclusively<T>(
  database: Database,
  work: (connection: SqliteConnection) => T,
): Promise<T> {
  const known = bare.get(database);
  if (known === undefined) throw new Error('not a database of this module');
  const release = await known.turns.take();
  try {
    return work(known.connection);
  } finally {
    release();
  }
}

/** Opens the state database, made new or brought up to date. Readable by its owner only. */
export function openDatabase(state: string): Database {
  const path = join(state, databaseFile);
  try {
    const connection = openSqlite(path);
    chmodSync(path, 0o600);
    // Full: a commit is on the disk when it returns, which is what "recorded before the effect" means.
    connection.exec(
      'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on;',
    );
    migrate(connection);
    const turns = new Turns();
    const database = new Kysely<StateTables>({ dialect: sqliteDialect(connection, turns) });
    bare.set(database, { connection, turns });
    return database;
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw new HostError('state_unusable', `the database in ${state} cannot be opened`, {
      cause: error,
      hint: 'check that the folder is yours and writable, or name another one with --state',
    });
  }
}
