// The tables of the state database, with the columns as SQLite stores them.
import type { ApprovalTable, DenialTable } from './approval-tables.js';
import type { RepeatableCallTable, SealedArgumentsTable } from './call-tables.js';
import type {
  ChangeJournalTable,
  GenerationTable,
  InstallationTable,
  NarrowingTable,
  ReleaseWarningTable,
  RequestedInstallationTable,
  RevokedPackageTable,
  ViolationTable,
  WatchedPackageTable,
} from './installation-tables.js';
import type { SetBindingTable, ToolSetTable } from './set-tables.js';
import type { SignInRequestTable } from './sign-in-tables.js';
import type { TaintTables } from './taint-tables.js';
import type { McpTaskTable } from './task-tables.js';

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

/** One row. Everything but the name can be computed again from the entries. */
export interface AuditTreeTable {
  one: number;
  /** Random; part of the name of the audit log. */
  log: string;
  /** Number of entries of the newest checkpoint that an entry mentions; 0 if there is none. */
  checkpoint: number;
  /** Right edge of the tree of all entries before the last one of that checkpoint. */
  edge: Uint8Array;
}

/** A place outside the state directory that has an anchor of the audit log. */
export interface AuditAnchorTable {
  place: string;
  /** When it was first written. */
  at: number;
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

/** A manifest that was broken when its path was named. */
export interface BrokenWhenNamedTable {
  manifest: string;
  /** Where the files of its package are, as JSON. */
  paths: string;
  named_at: number;
}

/** The agreement to the package of one manifest. */
export interface AgreementTable {
  manifest: string;
  package: string;
  digest: string;
  /** The permissions that the package requested, as canonical JSON. */
  request: string;
  /** Package text that models and people read, as JSON. */
  package_text: string;
  /** Where the files of the package are: a list of files and folders, as JSON. */
  paths: string;
  accepted_at: number;
  accepted_by: string;
}

/** A file or folder that the host moved out of a mounted folder, for review. */
export interface MovedFileTable {
  id: string;
  folder: string;
  path: string;
  stored: string;
  kind: string;
  /** A list as JSON. */
  packages: string;
  at: number;
}

export interface DisabledPackageTable {
  package: string;
  at: number;
  by: string;
}

/** A call that started and has no recorded outcome. */
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
  kind: string;
  name: string;
  role: string;
  principal: string;
  /** 1: a person may approve held calls by answering at the client that has it. */
  may_approve: number;
  /** SHA-256 of the token. */
  digest: string;
  created_at: number;
  expires_at: number | null;
  created_by: string;
  /** About when it was used the last time. */
  last_used_at: number | null;
}

/** A principal that a token has or had. */
export interface TokenPrincipalTable {
  principal: string;
}

/** The use of a limit at one time. */
export interface LimitUseTable {
  principal: string;
  tool: string;
  /** `calls` or `amount`. */
  kind: string;
  /** Length of the window in milliseconds. */
  window_ms: number;
  at: number;
  used: number;
}

/** The highest time that limits were checked at. */
export interface LimitClockTable {
  id: 1;
  at: number;
}

/** What an upstream program announced. */
export interface AnnouncementTable {
  manifest: string;
  program: string;
  digest: string;
  /** The accepted announcement, as canonical JSON. */
  agreed: string;
  /** A changed announcement that needs review. */
  waiting: string | null;
  at: number;
}

/** Why the last start of an upstream program failed. */
export interface FailedStartTable {
  manifest: string;
  program: string;
  digest: string;
  reason: string;
  at: number;
}

/** A standing rule: matching calls run without asking a person. */
export interface StandingRuleTable {
  id: string;
  tool: string;
  definition: string | null;
  principal: string | null;
  /** Conditions on the arguments, as JSON. */
  conditions: string;
  /** 1 if it may cover a destructive tool. */
  destructive: number;
  created_at: number;
  expires_at: number | null;
  created_by: string;
  verified: number;
  ended_at: number | null;
  /** Why the rule ended. */
  ended: string | null;
  used: number;
}

/** A setting that waives a question or a protection, and that the operator accepted. */
export interface AcceptedWaiverTable {
  /** Digest of its kind and content. */
  id: string;
  kind: string;
  /** As JSON. */
  content: string;
  text: string;
  accepted_at: number;
  accepted_by: string;
  /** 1 if the operator's PIN was given. */
  verified: number;
}

/** One row: the hash of the operator's PIN and the numbers of failed attempts. */
export interface OperatorPinTable {
  one: number;
  salt: Uint8Array;
  hash: Uint8Array;
  set_at: number;
  /** Without those on the pages of held calls. */
  failures: number;
  tried_at: number;
  page_failures: number;
  page_tried_at: number;
}

/** Keys that the host generated. */
export interface HostKeyTable {
  name: string;
  bytes: Uint8Array;
}

export interface StateTables extends TaintTables {
  audit: AuditTable;
  audit_tree: AuditTreeTable;
  audit_anchor: AuditAnchorTable;
  approval: ApprovalTable;
  denial: DenialTable;
  secret: SecretTable;
  link: LinkTable;
  broken_when_named: BrokenWhenNamedTable;
  agreement: AgreementTable;
  disabled_package: DisabledPackageTable;
  token: TokenTable;
  token_principal: TokenPrincipalTable;
  limit_use: LimitUseTable;
  limit_clock: LimitClockTable;
  kill: KillTable;
  unknown_outcome: UnknownOutcomeTable;
  announcement: AnnouncementTable;
  failed_start: FailedStartTable;
  sign_in_request: SignInRequestTable;
  mcp_task: McpTaskTable;
  standing_rule: StandingRuleTable;
  accepted_waiver: AcceptedWaiverTable;
  operator_pin: OperatorPinTable;
  host_key: HostKeyTable;
  sealed_arguments: SealedArgumentsTable;
  repeatable_call: RepeatableCallTable;
  moved_file: MovedFileTable;
  generation: GenerationTable;
  violation: ViolationTable;
  revoked_package: RevokedPackageTable;
  release_warning: ReleaseWarningTable;
  installation: InstallationTable;
  change_journal: ChangeJournalTable;
  requested_installation: RequestedInstallationTable;
  narrowing: NarrowingTable;
  watched_package: WatchedPackageTable;
  tool_set: ToolSetTable;
  set_binding: SetBindingTable;
}
