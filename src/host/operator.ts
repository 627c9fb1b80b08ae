// What an operator may ask and say. Surfaces find all of it in host.ts.

import type { ApprovalRequest, ApprovalState } from '../model/approval.js';
import type { Json } from '../model/json.js';
import type { StandingRule, StandingRuleInput } from '../model/standing-rule.js';
import type { Actor } from './operator-auth.js';

/** Operator acts: never offered to an agent. */
export interface Approvals {
  list(states?: readonly ApprovalState[]): Promise<readonly ApprovalRequest[]>;
  get(id: string): Promise<ApprovalRequest>;
  approve(id: string, by: Actor): Promise<ApprovalRequest>;
  deny(id: string, by: Actor): Promise<ApprovalRequest>;
  readonly rules: StandingRuleOperations;
  /** Another text after every change. */
  version(): Promise<string>;
  onChange(listener: () => void): () => void;
  /** What notices of held calls are signed with, for whoever receives them. */
  noticeKey(by: Actor): Promise<string>;
}

/** Rules under which calls run without asking each time. */
export interface StandingRuleOperations {
  list(): Promise<readonly StandingRule[]>;
  add(rule: StandingRuleInput, by: Actor): Promise<StandingRule>;
  /** False when there was none that holds. */
  revoke(id: string, by: Actor): Promise<boolean>;
}

/** Who may come in over HTTP. Only a digest of each token is kept. */
export interface Tokens {
  /** The token itself is given out once. */
  create(entry: TokenInput): Promise<{ readonly entry: TokenEntry; readonly token: string }>;
  list(): Promise<readonly TokenEntry[]>;
  /** False when there was none. */
  revoke(id: string, by: string): Promise<boolean>;
  /** Undefined for a token that is unknown, revoked or expired. */
  check(token: string): Promise<TokenEntry | undefined>;
}

/** `agent`: may list and call. `operator`: may also decide, switch, and see settings. */
export type TokenRole = 'agent' | 'operator';

export interface TokenInput {
  readonly name: string;
  readonly role: TokenRole;
  /** Milliseconds since 1970; null never expires. */
  readonly expiresAt: number | null;
  readonly by: Actor;
}

export interface TokenEntry {
  readonly id: string;
  readonly name: string;
  readonly role: TokenRole;
  /** As whom its calls are made. No other token ever gets the same. */
  readonly principal: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

/** Operator acts: values go in and never come out again. */
export interface Secrets {
  set(entry: SecretInput): Promise<SecretEntry>;
  list(): Promise<readonly SecretEntry[]>;
  /** Names of all that packages with this id ask for; null where no such package was used here so far. */
  slots(packageId: string): Promise<readonly string[] | null>;
  /** False when there was none. */
  unset(packageId: string, slot: string, by: Actor): Promise<boolean>;
  /** Gives the key that opens all values to another keeper. */
  rekey(change: KeyChange): Promise<void>;
}

/** Who keeps the key of the vault. */
export type VaultKeyStorage = 'file' | 'passphrase' | 'keychain';

export interface KeyChange {
  readonly to: VaultKeyStorage;
  /** For a passphrase: the one that opens the vault from now on. */
  readonly passphrase?: string | undefined;
  readonly by: Actor;
}

/**
 * Who may receive a value: those hosts and their subdomains, anybody, or whom the manifest names (and nobody where it
 * names none).
 */
export type SecretAudience =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'manifest' };

export interface SecretInput {
  readonly package: string;
  readonly slot: string;
  readonly value: string;
  readonly audience: SecretAudience;
  /** Who should keep the key; another one than does is an error, and moves nothing. */
  readonly keeper?: VaultKeyStorage | undefined;
  readonly by: Actor;
}

export interface SecretEntry {
  readonly package: string;
  readonly slot: string;
  readonly audience: SecretAudience;
  /** Milliseconds since 1970. */
  readonly setAt: number;
}

/** Operator acts: packages that are switched off stay listed and are never run. */
export interface Switches {
  /** Ids of packages that somebody agreed to here, now or before. */
  known(): Promise<readonly string[]>;
  disabled(): Promise<readonly string[]>;
  /** False when it was so already. */
  set(packageId: string, enabled: boolean, by: Actor): Promise<boolean>;
}

/** How many processes there are of each kind. */
export interface ProcessCounts {
  /** Serve one call and end. */
  readonly call: number;
  /** Kept between calls. */
  readonly kept: number;
  /** Started ahead. */
  readonly warm: number;
}

/**
 * Operator acts: `all`, `PACKAGE`, `PACKAGE/TOOL` or `principal:NAME` is stopped at once and stays so, over restarts too,
 * until it is lifted.
 */
export interface Kills {
  list(): Promise<readonly KillEntry[]>;
  /** Resolves when what ran has ended, after two seconds at the latest. */
  set(target: string, by: string): Promise<KillOutcome>;
  /** False when it was not stopped. */
  lift(target: string, by: Actor): Promise<boolean>;
}

/** Operator acts on the arguments of calls that are kept sealed beside the record. */
export interface KeptArguments {
  /** `not_found` when none are kept of that call. */
  open(call: string, by: Actor): Promise<OpenedArguments>;
  /** Erases what was kept before a time (milliseconds since 1970), and says how much. The record stays whole. */
  forget(before: number, by: Actor): Promise<number>;
}

export interface OpenedArguments {
  readonly call: string;
  /** `package/tool`. */
  readonly tool: string;
  readonly arguments: Json;
  /** False where secrets were taken out before they were kept. */
  readonly exact: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Calls that a host began and did not live to see the end of. Nothing repeats them: whoever must, calls again. */
export interface Outcomes {
  /** Those that nobody acknowledged, oldest first. */
  unknown(): Promise<readonly UnknownOutcome[]>;
  /** Somebody found out what happened, or does not mind; false when it is not one of them. */
  acknowledge(call: string, by: string): Promise<boolean>;
}

export interface UnknownOutcome {
  readonly call: string;
  /** `package/tool`. */
  readonly tool: string;
  readonly principal: string;
  /** When the next host found it, milliseconds since 1970. */
  readonly at: number;
}

export interface KillEntry {
  readonly target: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: string;
}

export interface KillOutcome {
  /** False when it was stopped already. */
  readonly changed: boolean;
  /** Calls that ran. */
  readonly ended: number;
  /** Approvals that do not count any more. */
  readonly voided: number;
}

/** One finding about this machine. */
export interface Check {
  readonly id: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** The one command that mends it. */
  readonly fix?: string;
}
