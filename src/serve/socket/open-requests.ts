import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { requestLimits, tryParseBounded } from '../../model/json-bounds.js';

/** What the shim says to the next host before it goes on. */
export interface Replay {
  /** The client's `initialize`, if it was answered, and its `notifications/initialized`. */
  readonly greeting: readonly string[];
  /** The answer to this request is not passed on, because the client has it already; undefined if none is sent again. */
  readonly answeredId: string | undefined;
  /** Requests without an answer, in order. The last host did not begin them. */
  readonly requests: readonly string[];
}

/**
 * What one MCP client has asked and not got an answer to, seen from the lines that pass. A host hands over only while it
 * runs no call, so everything without an answer can be asked again.
 */
export class OpenRequests {
  readonly #open = new Map<string, string>();
  #initialize: { readonly id: string; readonly line: string } | undefined;
  #initialized: string | undefined;

  /** A line from the client. */
  sent(line: string): void {
    for (const { id, method, params } of messagesIn(line)) {
      if (method === 'notifications/initialized') this.#initialized = line;
      // A canceled request gets no answer.
      if (method === 'notifications/cancelled' && isObject(params))
        this.#open.delete(idText(params.requestId));
      if (typeof method !== 'string' || id === undefined) continue;
      this.#open.set(idText(id), line);
      if (method === 'initialize') this.#initialize = { id: idText(id), line };
    }
  }

  /** A line from the host. Returns the ids that it answers. */
  received(line: string): readonly string[] {
    const ids = answeredIds(line);
    for (const id of ids) this.#open.delete(id);
    return ids;
  }

  replay(): Replay {
    const requests = [...new Set(this.#open.values())];
    const first = this.#initialize;
    if (first === undefined || this.#open.has(first.id))
      return { greeting: [], answeredId: undefined, requests };
    const greeting = [first.line, ...(this.#initialized === undefined ? [] : [this.#initialized])];
    return { greeting, answeredId: first.id, requests };
  }
}

/** Our own host writes the id of an answer first, so a long answer is not parsed. */
function answeredIds(line: string): readonly string[] {
  const id = /^\{"jsonrpc":"2\.0","id":(-?\d+|"(?:[^"\\]|\\.)*"),"(?:result|error)":/.exec(line)?.[1];
  if (id !== undefined) return [id];
  if (!line.startsWith('[')) return [];
  return messagesIn(line).flatMap((it) =>
    it.method === undefined && it.id !== undefined ? [idText(it.id)] : [],
  );
}

/** A line that the host rejects has no messages. */
function messagesIn(line: string): readonly JsonObject[] {
  const value = tryParseBounded(line, requestLimits);
  if (value === undefined) return [];
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}

/** 1 and "1" are different ids. */
function idText(id: Json | undefined): string {
  return JSON.stringify(id ?? null);
}
