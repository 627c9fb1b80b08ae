import type { CancelSignal } from '../../../model/cancel-signal.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import { watchedLists } from '../change-notifier.js';
import type { Dispatch } from '../dispatch.js';
import { invalidParams, notification, RpcError, type RpcRequest } from '../json-rpc.js';
import { metaKeys } from './envelope.js';
import type { Request2026Options } from './request-options.js';

/** Open subscriptions per caller. */
const maxOpen = 16;

/** `subscriptions/listen`: a client of this era gets change notifications only while this request is open. */
export class Subscriptions {
  readonly #dispatch: Dispatch;
  readonly #open = new Set<() => void>();

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
  }

  /** Resolves with the final result when the server closes; undefined if the client canceled. */
  async listen(
    request: RpcRequest,
    { signal, onNotification }: Request2026Options,
  ): Promise<JsonObject | undefined> {
    const { notifications: requested } = request.params;
    if (!isObject(requested))
      throw new RpcError(invalidParams, 'subscriptions/listen needs "notifications": an object');
    if (this.#open.size >= maxOpen)
      throw new RpcError(-32603, `too many open subscriptions: at most ${maxOpen}`);
    const lists = watchedLists.filter((list) => requested[`${list}ListChanged`] === true);
    const meta = { _meta: { [metaKeys.subscriptionId]: request.id } };
    const granted = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
    onNotification(
      notification('notifications/subscriptions/acknowledged', { notifications: granted, ...meta }),
    );
    if (lists.length > 0 && !signal.aborted)
      await this.#until(signal, () => {
        for (const list of lists) onNotification(notification(`notifications/${list}/list_changed`, meta));
      });
    return signal.aborted ? undefined : meta;
  }

  close(): void {
    for (const end of [...this.#open]) end();
  }

  async #until(signal: CancelSignal, onChange: () => void): Promise<void> {
    const unlisten = this.#dispatch.changes.listen(onChange);
    let end = () => {};
    await new Promise<void>((resolve) => {
      end = resolve;
      this.#open.add(end);
      signal.addEventListener('abort', end, { once: true });
    });
    signal.removeEventListener('abort', end);
    this.#open.delete(end);
    unlisten();
  }
}
