import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { notification, type RequestId } from '../mcp/json-rpc.js';
import { type ClientLine, idsOfRequest } from './client-line.js';

/**
 * Requests of the server that the client did not answer yet, all of the session in use. Servers may use the same ids in
 * every session, so an answer to a question of a lost session must not reach the next one: it could approve another call.
 */
export class ServerQuestions {
  readonly #open = new Set<RequestId>();

  /** A message of the server, or a batch. */
  received(value: Json): void {
    for (const message of (Array.isArray(value) ? value : [value]).filter(isObject)) {
      for (const id of idsOfRequest(message)) this.#open.add(id);
      const { method, params } = message;
      if (method === 'notifications/cancelled' && isObject(params))
        this.#open.delete(params.requestId as RequestId);
    }
  }

  /** Throws if a line answers something that the server did not ask in this session. */
  assertOpen({ answers }: ClientLine): void {
    if (answers.every((id) => this.#open.has(id))) return;
    throw new HostError('closed', 'it answers a question that is no longer open');
  }

  /** A line that the server accepted. */
  accepted({ answers }: ClientLine): void {
    for (const id of answers) this.#open.delete(id);
  }

  /** The session has ended. Returns what tells the client that its answers are no longer needed. */
  end(): readonly JsonObject[] {
    const ids = [...this.#open];
    this.#open.clear();
    const reason = 'the session has ended; the answer is no longer needed';
    return ids.map((requestId) => notification('notifications/cancelled', { requestId, reason }));
  }
}

/** Whether a message of the server, or a batch, asks the client something. */
export function asksClient(value: Json): boolean {
  return (Array.isArray(value) ? value : [value]).some((it) => isObject(it) && idsOfRequest(it).length > 0);
}
