import type { Waiver } from '../../model/waiver.js';
import type { Actor } from './operator-auth.js';

/**
 * Settings that waive a question or a protection: rules with `allow`, grants and similar. Once a PIN is set, each content
 * has no effect until the operator accepts it with `acceptWaiver` of a session.
 */
export interface WaiverOperations {
  /** Everything that was accepted, oldest first. */
  list(): Promise<readonly AcceptedWaiver[]>;
  /** Ends the acceptance. False if there is none with this id. */
  revoke(id: string, actor: Actor): Promise<boolean>;
}

/** A setting that somebody accepted. */
export interface AcceptedWaiver extends Omit<Waiver, 'origin'> {
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
  readonly acceptedBy: string;
  /** Whether the PIN was given. Without it, the acceptance does not count once a PIN is set. */
  readonly verified: boolean;
}

/** A waiver in the settings of a session. */
export interface SessionWaiver extends Waiver {
  /** False: it has no effect until the operator accepts it. */
  readonly active: boolean;
  /** Whether it was accepted with the PIN. */
  readonly verified: boolean;
  /** Why a grant has no effect with the packages of the session; absent if it has one. */
  readonly unused?: string;
}
