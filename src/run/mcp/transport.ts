import type { CancelSignal } from '../../model/cancel-signal.js';
import type { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { UpstreamEnd } from '../upstream/upstream.js';

/** Options for sending one message. */
export interface SendOptions {
  readonly signal: CancelSignal;
  /** The tool, prompt or resource that a request is about. */
  readonly subject?: string | undefined;
  /** The input schema, if a tool is called. */
  readonly schema?: JsonObject | undefined;
  readonly arguments?: JsonObject | undefined;
  /** Maximum size of the response in bytes. */
  readonly limit: number;
  readonly onNetworkDenied?: ((hosts: readonly string[]) => void) | undefined;
}

/** Carries messages to a server. Every message of the server goes to the receiver. */
export interface Transport {
  /** `done`: the response is complete. Rejects if the message could not be delivered. */
  send(message: JsonObject, options: SendOptions): Promise<'sent' | 'done'>;
  /** Whether closing the response stream tells the server that the request is canceled. */
  readonly closingCancels: boolean;
  /** Called once the protocol revision is negotiated. */
  setRevision(revision: string): void;
  /** Hosts that the server was denied since the last call of this. */
  takeDeniedHosts(): string[];
  /** Stops the server gracefully and calls the receiver's `ended`. */
  close(end: UpstreamEnd): Promise<void>;
  /** Stops it immediately. */
  kill(): void;
}

export interface Receiver {
  /** One JSON-RPC message or a batch. */
  receive(text: string): void;
  /** Called once. Pending calls fail with `error`. */
  ended(end: UpstreamEnd, error: HostError): void;
}
