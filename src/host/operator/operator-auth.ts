// Types only: users of the library import them without loading the implementation.
import type { Channel } from '../../model/approval.js';

/** Who performs an operation. A plain string is the name of somebody in this process, without proof. */
export type Actor = string | Operator;

/** A person, how they reached the host, and their proof of being the operator. */
export interface Operator {
  readonly name: string;
  readonly channel: Channel;
  readonly pin?: string;
  /** Token from a sign-in with the same name. */
  readonly signIn?: string;
  /** Id of the token or key of the MCP client; for the channel `client`. */
  readonly client?: string;
}

/** The actor as written to the audit log. */
export interface VerifiedActor {
  readonly by: string;
  readonly channel: Channel;
  /** Whether the operator's PIN was given, now or at sign-in. */
  readonly verified: boolean;
}

export interface PinStatus {
  readonly set: boolean;
  /** Wrong attempts since the last correct one. Those on the pages of held calls are counted by themselves. */
  readonly failures: number;
  /** No PIN is accepted before this time, except on these pages. Milliseconds since 1970; null if there is no delay. */
  readonly waitUntil: number | null;
}

/** Numbers of the items that the PIN protects and a reset deletes. */
export interface PinProtectedCounts {
  /** Values in the vault. */
  readonly values: number;
  readonly tokens: number;
  /** Accepted settings that waive a question or a protection. */
  readonly waivers: number;
  /** Values that a person vouched for in a session. */
  readonly endorsements: number;
  readonly rules: number;
  /** Held calls that are undecided, or approved but not started. */
  readonly requests: number;
  /** Calls with kept arguments. */
  readonly arguments: number;
}

/** A locked state directory for a PIN reset; no host may run meanwhile. */
export interface PinReset {
  readonly isSet: boolean;
  readonly protectedCounts: PinProtectedCounts;
  /** Deletes everything that the PIN protects and sets a new PIN. */
  reset(pin: string, by: string): Promise<void>;
  close(): Promise<void>;
}

export interface OperatorSignIn {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Verifies that somebody is the operator. Every operation that widens what tools may do is verified here first. */
export interface OperatorAuth {
  pin(): Promise<PinStatus>;
  /** Sets the first PIN, or a new one if the actor proves to be the operator. */
  setPin(pin: string, actor: Actor): Promise<void>;
  /** False if no PIN was set. */
  removePin(actor: Actor): Promise<boolean>;
  /** Takes the PIN once and returns a token that replaces it for a limited time. */
  signIn(operator: Operator): Promise<OperatorSignIn>;
  signOut(token: string): Promise<boolean>;
  /**
   * Returns the actor for the audit log, or throws `pin_required`. While no PIN is set, every actor passes, unverified.
   * After that, an actor needs the PIN or a sign-in. `operation` completes the sentence "the PIN is needed to …".
   */
  verify(actor: Actor, operation: string): Promise<VerifiedActor>;
}
