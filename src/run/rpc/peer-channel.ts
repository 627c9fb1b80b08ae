import type { CancelSignal } from '../../model/cancel-signal.js';
import type { JsonObject } from '../../model/json.js';
import type { Progress } from '../run.js';
import type { Deadline } from '../upstream/upstream.js';

/** A request to the other side. */
export interface PeerRequest extends Deadline {
  readonly method: string;
  readonly params: JsonObject;
  /** For messages: the tool, extension or server. */
  readonly name: string;
  /** Maximum size of the answer in bytes. Default: the limit of the protocol. */
  readonly limit?: number | undefined;
  /**
   * True: an answer with a number that a double cannot hold is rejected. Default: such numbers are rounded, as in a list
   * whose schemas contain the limits of 64-bit numbers.
   */
  readonly exactNumbers?: boolean | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called with the id of the request before it is sent. */
  readonly onSent?: ((id: number) => void) | undefined;
}

/** A request with its id. */
export interface SentRequest<R extends PeerRequest> {
  readonly id: number;
  readonly request: R;
  /** Aborted when the request is settled. */
  readonly signal: CancelSignal;
}

/** Carries the messages of a peer to the other side. */
export interface PeerChannel<R extends PeerRequest> {
  /**
   * Sends a message. `sent`: the request in it; null for other messages. `done`: the exchange is complete, so a request
   * that has no answer yet gets none. Rejects if the message could not be delivered.
   */
  send(message: JsonObject, sent: SentRequest<R> | null): Promise<'sent' | 'done'>;
  /** Whether the other side notices a canceled request by itself, because its response stream is closed. */
  readonly closingCancels?: boolean;
}
