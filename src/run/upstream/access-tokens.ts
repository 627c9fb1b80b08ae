import type { CancelSignal } from '../../model/cancel-signal.js';
import type { BearerChallenge } from '../oauth/bearer-challenge.js';

/** The access tokens for a server that people sign in to. */
export interface AccessTokens {
  /** The token to send now, refreshed if it expires soon. Undefined: nobody is signed in. */
  current(signal: CancelSignal): Promise<string | undefined>;
  /** Another token, after the server rejected this one. Undefined: a person must sign in again. */
  replace(rejected: string, signal: CancelSignal): Promise<string | undefined>;
  /** Stores that the server asks for a sign-in. */
  request(challenge: BearerChallenge | undefined): Promise<void>;
  /** What a person does to sign in. */
  readonly command: string;
}
