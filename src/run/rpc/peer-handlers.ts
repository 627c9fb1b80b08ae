import type { JsonObject } from '../../model/json.js';

export interface PeerHandlers {
  /** Answers a request of the other side. May throw an RpcFailure. */
  onRequest(method: string, params: JsonObject): Promise<JsonObject>;
  onNotification(method: string, params: JsonObject): void;
  /** An answer that no request waits for. `isLate`: its request is already settled. */
  onStrayAnswer?(id: string | number, isLate: boolean): void;
  onLog(line: string): void;
  /** The other side sent too much that nobody requested, or too many invalid texts. The connection should be closed. */
  onFlood(kind: 'unrequested' | 'invalid'): void;
}
