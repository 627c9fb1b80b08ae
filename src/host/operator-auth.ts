// Types alone: whoever uses the library gets them, and not what stands behind them.
import type { Channel } from '../model/approval.js';

/** Who acts. A bare name is somebody in this process who shows nothing for it. */
export type Actor = string | Operator;

/** A person, how they reached the host, and what they show for it. */
export interface Operator {
  readonly name: string;
  readonly channel: Channel;
  readonly pin?: string;
  /** Token of a sign-in under the same name. */
  readonly signIn?: string;
}

/** Who it was, as the record has it. */
export interface VerifiedActor {
  readonly by: string;
  readonly channel: Channel;
  /** The operator's PIN was shown. */
  readonly verified: boolean;
}

export interface PinStatus {
  readonly set: boolean;
  /** Wrong ones since the last right one. */
  readonly failures: number;
  /** Milliseconds since 1970 until which no PIN is looked at; null at once. */
  readonly waitUntil: number | null;
}

/** How much the PIN guards that a reset forgets. */
export interface PinGuarded {
  readonly values: number;
  readonly tokens: number;
  readonly rules: number;
  /** Held calls that are undecided, or approved and not begun. */
  readonly requests: number;
  /** Calls whose arguments are kept. */
  readonly arguments: number;
}

/** A state directory that no host uses, for the time of a reset. */
export interface PinReset {
  readonly isSet: boolean;
  readonly guarded: PinGuarded;
  /** Forgets all of it and sets another PIN. */
  carryOut(pin: string, by: string): Promise<void>;
  close(): Promise<void>;
}

export interface OperatorSignIn {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Where people show that they are the operator. Acts that widen anything go by here first. */
export interface OperatorAuth {
  pin(): Promise<PinStatus>;
  /** Sets the first PIN, or another one if the right one is shown. */
  setPin(pin: string, by: Actor): Promise<void>;
  /** False when there was none. */
  removePin(by: Actor): Promise<boolean>;
  /** Shows the PIN once for a while. */
  signIn(by: Operator): Promise<OperatorSignIn>;
  signOut(token: string): Promise<boolean>;
  /**
   * Who does it, for the record. Before a PIN is set everybody may, and is not verified. Then: the PIN, or a sign-in
   * with it; and for a decision on a held call, the answer of the person at the client that was asked.
   */
  verify(by: Actor, act: string): Promise<VerifiedActor>;
}
