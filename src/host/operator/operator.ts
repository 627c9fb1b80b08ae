// The operations of an operator. host.ts exports all of them.

import type { Json } from '../../model/json.js';
import type { DeclaredValue } from '../../secrets/declared-value.js';
import type { Actor } from './operator-auth.js';

/** Tokens of HTTP clients and keys of stdio clients. Only a digest of each is stored. */
export interface Tokens {
  /** Returns the token itself; it cannot be read again. */
  create(entry: TokenInput): Promise<{ readonly entry: TokenEntry; readonly token: string }>;
  list(): Promise<readonly TokenEntry[]>;
  /** False if there is no such token. */
  revoke(id: string, by: string): Promise<boolean>;
  /** Null if the token is unknown, revoked or expired. */
  check(token: string): Promise<TokenEntry | null>;
  /** The entry of a token that was valid and has expired; otherwise null. */
  checkExpired(token: string): Promise<TokenEntry | null>;
  /** Calls `listener` with the id of each revoked token. Returns a function that stops it. */
  onRevoke(listener: (id: string) => void): () => void;
}

/** `http`: a bearer token. `stdio`: the key that `connect` writes for a client that starts `toolwharf mcp`. */
export type TokenKind = 'http' | 'stdio';

/** `agent`: may list and call tools. `operator`: may also approve calls, enable and disable packages, and see settings. */
export type TokenRole = 'agent' | 'operator';

/** A token to create. */
export interface TokenInput {
  readonly name: string;
  readonly role: TokenRole;
  /** Milliseconds since 1970; null: it never expires. Default: after 90 days; the key of a stdio client never expires. */
  readonly expiresAt?: number | null | undefined;
  /** Default: `http`. A key for stdio has the role `agent` and does not expire. */
  readonly kind?: TokenKind | undefined;
  /** The user of a stdio client: the first part of its principal. */
  readonly user?: string | undefined;
  /** Whether a person may approve held calls by answering at the client that has this token. Default: false. */
  readonly mayApprove?: boolean | undefined;
  /** Id of a token whose principal the new one gets. The other one stays valid until it is revoked. */
  readonly replaces?: string | undefined;
  readonly by: Actor;
}

/** A stored token, without its value. */
export interface TokenEntry {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly role: TokenRole;
  /** The principal of its calls. Only a token that replaces this one ever gets the same. */
  readonly principal: string;
  /** Whether a person may approve held calls by answering at the client that has this token. */
  readonly mayApprove: boolean;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970; null: it never expires. */
  readonly expiresAt: number | null;
  /** About when it was used the last time, in milliseconds since 1970; null: never, or not since it is recorded. */
  readonly lastUsedAt: number | null;
}

/** Operations on secrets: values can be set but never read. */
export interface Secrets {
  set(entry: SecretInput): Promise<SecretEntry>;
  list(): Promise<readonly SecretEntry[]>;
  /** Names of all slots of the packages with this id; null if no such package was used here yet. */
  slots(packageId: string): Promise<readonly string[] | null>;
  /**
   * The values that packages ask for, as they were accepted, and whether they are missing. A package that was edited
   * since is left out. Default: of all packages.
   */
  declared(packageId?: string): Promise<readonly DeclaredValue[]>;
  /** False if no value was set. */
  unset(packageId: string, slot: string, actor: Actor): Promise<boolean>;
  /** Moves the vault key to another key storage. */
  rekey(change: KeyChange): Promise<void>;
}

/** Where the vault key is stored. */
export type VaultKeyStorage = 'file' | 'passphrase' | 'keychain';

/** A new place for the key of the vault. */
export interface KeyChange {
  readonly to: VaultKeyStorage;
  /** The new passphrase, for storage by passphrase. */
  readonly passphrase?: string | undefined;
  readonly by: Actor;
}

/**
 * Who may receive a value: these hosts and their subdomains, any host, or the hosts that the manifest names (none if it
 * names none).
 */
export type SecretAudience =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'manifest' };

/** A secret or setting to store. */
export interface SecretInput {
  readonly package: string;
  readonly slot: string;
  readonly value: string;
  readonly audience: SecretAudience;
  /** The expected key storage. An error if the key is stored elsewhere; nothing is moved. */
  readonly keyStorage?: VaultKeyStorage | undefined;
  readonly by: Actor;
}

/** A stored secret or setting, without its value. */
export interface SecretEntry {
  readonly package: string;
  readonly slot: string;
  readonly audience: SecretAudience;
  /** Milliseconds since 1970. */
  readonly setAt: number;
}

/** Enables and disables packages. A disabled package stays listed and never runs. */
export interface Switches {
  /** Ids of all packages that were ever accepted here. */
  known(): Promise<readonly string[]>;
  disabled(): Promise<readonly string[]>;
  /** False if nothing changed. */
  set(packageId: string, enabled: boolean, actor: Actor): Promise<boolean>;
}

/**
 * Files that programs of packages made in places that steer other programs, such as `.mcp.json` or git hooks. The host
 * moved them aside.
 */
export interface QuarantineOperations {
  /** Oldest first. */
  list(): Promise<readonly MovedFile[]>;
  /** Puts a file back where it was. Throws `unavailable` if something else is there, or programs still write there. */
  restore(id: string, actor: Actor): Promise<MovedFile>;
  delete(id: string, actor: Actor): Promise<MovedFile>;
}

/** A file or folder that the host moved aside. */
export interface MovedFile {
  readonly id: string;
  /** Where it was. */
  readonly path: string;
  /** Where it is now, so that a person can look at it. */
  readonly stored: string;
  readonly kind: 'file' | 'folder' | 'link';
  /** Packages whose programs could write there at that time. */
  readonly packages: readonly string[];
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Number of processes of each kind. */
export interface ProcessCounts {
  /** Run one call and end. */
  readonly call: number;
  /** Kept between calls. */
  readonly pooled: number;
  /** Started ahead of a call. */
  readonly prestarted: number;
}

/**
 * The kill switch: stops `all`, `PACKAGE`, `PACKAGE/TOOL` or `principal:NAME` at once, until a person lifts it. It stays
 * in force when the host restarts.
 */
export interface Kills {
  list(): Promise<readonly KillEntry[]>;
  /**
   * Resolves when the stopped calls have ended, after two seconds at the latest. Throws `not_found` with similar names for
   * a package, tool or caller that this host has never seen. `force`: stops it anyway, in advance.
   */
  set(target: string, by: string, force?: boolean): Promise<KillOutcome>;
  /** Throws `not_found` as `set` would. Stops nothing. */
  check(target: string): Promise<void>;
  /** False if the target was not stopped. Throws `not_found` if it is not known either. */
  lift(target: string, actor: Actor): Promise<boolean>;
}

/** Operations on the stored, encrypted arguments of earlier calls. */
export interface KeptArgumentOperations {
  /** Throws `not_found` if no arguments are kept for that call. */
  open(call: string, actor: Actor): Promise<OpenedArguments>;
  /** Erases arguments kept before a time (milliseconds since 1970); returns their number. The audit log stays intact. */
  forget(before: number, actor: Actor): Promise<number>;
}

/** The stored arguments of one call, decrypted. */
export interface OpenedArguments {
  readonly call: string;
  /** `package/tool`. */
  readonly tool: string;
  readonly arguments: Json;
  /** False if secrets were removed before they were kept. */
  readonly exact: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Calls whose outcome is unknown because the host died while they ran. The host repeats only those of tools that are
 * declared idempotent, with the same key.
 */
export interface Outcomes {
  /** The calls that nobody acknowledged yet, oldest first. */
  unknown(): Promise<readonly UnknownOutcome[]>;
  /** Removes a call from the list. False if it is not on it. */
  acknowledge(call: string, by: string): Promise<boolean>;
}

/** A call that ran when a host died. */
export interface UnknownOutcome {
  readonly call: string;
  /** `package/tool`. */
  readonly tool: string;
  readonly principal: string;
  /** When the next host found it; milliseconds since 1970. */
  readonly at: number;
  /** Whether the host repeats it when a session of its caller opens. Then its outcome is known. */
  readonly repeats: boolean;
}

/** What shows that the audit log was rolled back, or that its checkpoints or anchors were removed. */
export interface Rollbacks {
  /** What nobody acknowledged yet, oldest first. */
  list(): Promise<readonly AuditRollback[]>;
  /** Removes it from the list, with an entry in the audit log. False if it is not on the list. */
  acknowledge(entry: number, actor: Actor): Promise<boolean>;
}

/** A sign of a rollback of the audit log. The entry in the log has the evidence. */
export interface AuditRollback {
  /** Number of the entry in the audit log. */
  readonly entry: number;
  /** When it was found; milliseconds since 1970. */
  readonly at: number;
  /**
   * `shorter`: an anchor has more entries. `different`: it has other entries, or another key. `replaced`: it is from
   * another log of the same folder. `checkpoints`: checkpoints are missing. `anchor`: an anchor is missing or damaged.
   */
  readonly kind: 'shorter' | 'different' | 'replaced' | 'checkpoints' | 'anchor';
  readonly message: string;
}

/** A target that the kill switch stops. */
export interface KillEntry {
  readonly target: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
}

/** What the kill switch did. */
export interface KillOutcome {
  /** False if the target was already stopped. */
  readonly changed: boolean;
  /** Numbers of running calls that were ended, and of approval requests that were voided. */
  readonly ended: number;
  readonly voided: number;
}

/** The result of one check of this machine by `toolwharf doctor`. `fix`: a command where there is one. */
export interface Check {
  readonly id: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly fix?: string;
}
