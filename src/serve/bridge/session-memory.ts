import { isObject, type JsonObject } from '../../model/json.js';
import { watchedLists } from '../mcp/change-notifier.js';
import { notification } from '../mcp/json-rpc.js';
import type { ClientLine } from './client-line.js';

/** What a client of the 2025 era said that belongs to its session, so that a new session can be made like the lost one. */
export class SessionMemory {
  #initialize: ClientLine | undefined;
  #initialized: ClientLine | undefined;
  readonly #subscriptions = new Map<string, JsonObject>();
  #level: JsonObject | undefined;

  /** A line that the server accepted. */
  accepted(line: ClientLine): void {
    const { method, params } = line;
    const uri = typeof params.uri === 'string' ? params.uri : '';
    if (method === 'initialize') this.#initialize = line;
    else if (method === 'notifications/initialized') this.#initialized = line;
    else if (method === 'resources/subscribe') this.#subscriptions.set(uri, params);
    else if (method === 'resources/unsubscribe') this.#subscriptions.delete(uri);
    else if (method === 'logging/setLevel') this.#level = params;
  }

  get initialize(): ClientLine | undefined {
    return this.#initialize;
  }

  get initialized(): ClientLine | undefined {
    return this.#initialized;
  }

  /** Requests that restore the rest. Their ids are ours, and their answers are not passed on. */
  restoring(): readonly string[] {
    const requests = [
      ...[...this.#subscriptions.values()].map((params) => ({ method: 'resources/subscribe', params })),
      ...(this.#level === undefined ? [] : [{ method: 'logging/setLevel', params: this.#level }]),
    ];
    return requests.map((it, at) => JSON.stringify({ jsonrpc: '2.0', id: `toolwharf-restore-${at}`, ...it }));
  }
}

/** What tells the client that lists may differ in the new session, where the server announces such changes. */
export function listChanges(capabilities: unknown): readonly JsonObject[] {
  if (!isObject(capabilities)) return [];
  return watchedLists
    .filter((list) => {
      const capability = capabilities[list];
      return isObject(capability) && capability.listChanged === true;
    })
    .map((list) => notification(`notifications/${list}/list_changed`));
}
