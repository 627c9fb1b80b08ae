import type { Json, JsonObject } from '../../model/json.js';
import type { JsonExcess } from '../../model/json-bounds.js';
import type { Progress } from '../run.js';
import type { FloodLimits } from './flood-guard.js';
import type { RpcFailure } from './rpc-failure.js';

/** What a protocol adds to JSON-RPC. `V`: what a result may be. */
export interface Dialect<V extends Json> {
  readonly limits: PeerLimits;
  /** Reads the messages in a text. Undefined if the text is not valid. A text over a limit is not parsed. */
  read(text: string): readonly IncomingMessage<V>[] | JsonExcess | undefined;
  /** The params as they are sent. `progressToken`: for a request whose sender wants progress. */
  params?(params: JsonObject, progressToken: number | undefined): JsonObject;
  /** The notification that a request is canceled. Absent if the protocol has none. */
  cancellation?(id: number, reason: string): { readonly method: string; readonly params: JsonObject };
  /** Reads a notification about progress; undefined if it is about something else. */
  progress?(method: string, params: JsonObject): ProgressNotice | undefined;
}

export interface PeerLimits {
  /** For everything that is not an answer to a pending request. */
  readonly flood: FloodLimits;
  /** Texts that are not valid, without an answer between them. Some programs print a greeting. */
  readonly invalidTexts: number;
  /** Requests that wait for an answer of the other side. */
  readonly pendingRequests: number;
  /** Requests of the other side that wait for an answer of the host. */
  readonly incomingRequests: number;
  /** Maximum size of an answer in bytes, for requests that do not set one. */
  readonly answerBytes: number;
  /** What a message may have besides its result, in bytes. */
  readonly envelopeBytes: number;
}

/** A message of the other side. Only its envelope is checked. */
export type IncomingMessage<V extends Json> =
  | {
      readonly kind: 'request';
      /** Null: it cannot be answered. */
      readonly id: string | number | null;
      readonly method: string;
      readonly params: JsonObject;
    }
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'result'; readonly id: string | number; readonly value: V }
  /** Null: it belongs to no request. */
  | { readonly kind: 'failure'; readonly id: string | number | null; readonly failure: RpcFailure }
  /** An answer without result and error. */
  | { readonly kind: 'empty'; readonly id: string | number };

export interface ProgressNotice {
  readonly token: Json | undefined;
  readonly progress: Progress;
}
