import type { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Signal } from '../../model/signal.js';
import type { UpstreamEnd } from '../upstream/upstream.js';

/** How one message travels. */
export interface Delivery {
  readonly signal: Signal;
  /** The tool, prompt or resource that a request is about. */
  readonly about?: string | undefined;
  /** The description of the arguments, where a tool is called. */
  readonly schema?: JsonObject | undefined;
  readonly arguments?: JsonObject | undefined;
  /** Bytes that everything which comes back for it may have. */
  readonly limit: number;
  readonly onRefused?: ((hosts: readonly string[]) => void) | undefined;
}

/** The way to a server and back. What comes back goes to the receiver, whoever asked for it. */
export interface Transport {
  /** `over`: nothing more can come back for this message. Rejects when it did not arrive. */
  send(message: JsonObject, delivery: Delivery): Promise<'sent' | 'over'>;
  /** Whether a server of this revision hears that a request was given up from the stream that closes. */
  readonly closingCancels: boolean;
  /** Told which revision is spoken from now on. */
  speak(revision: string): void;
  /** Hosts that the server was kept from since the last time. */
  refused(): string[];
  /** Ends it, and calls the receiver's `ended`. */
  close(end: UpstreamEnd): Promise<void>;
  /** The same without a word to the server and without waiting for it. */
  kill(): void;
}

export interface Receiver {
  /** One JSON-RPC message, or a batch of them. */
  text(text: string): void;
  /** Called once. `error` is what calls under way fail with. */
  ended(end: UpstreamEnd, error: HostError): void;
}
