import type { HostError } from '../../model/host-error.js';
import type { JsonExcess } from '../../model/json-bounds.js';
import type { PeerChannel } from '../rpc/peer-channel.js';
import type { UpstreamEnd } from '../upstream/upstream.js';
import type { McpRequest } from './mcp-dialect.js';

/** Carries messages to a server. Every message of the server goes to the receiver. */
export interface Transport extends PeerChannel<McpRequest> {
  /** Called once the protocol revision is negotiated. */
  setRevision(revision: string): void;
  /** Hosts that the server was denied since the last call of this. */
  takeDeniedHosts(): string[];
  /** Since the last call of this method. Undefined: it has no network. */
  takeContactedHosts(): readonly string[] | undefined;
  /** Stops the server gracefully and calls the receiver's `ended`. */
  close(end: UpstreamEnd): Promise<void>;
  /** Stops it immediately. */
  kill(): void;
}

export interface Receiver {
  /** One JSON-RPC message or a batch. */
  receive(text: string, bytes: number): void;
  /** A message that exceeds a limit of JSON, of which only the beginning is known. */
  receiveExcess(excess: JsonExcess, head: string, bytes: number): void;
  /** Called once. Pending calls fail with `error`. */
  ended(end: UpstreamEnd, error: HostError): void;
}
