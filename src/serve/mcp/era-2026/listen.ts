import { isObject, type JsonObject } from '../../../model/json.js';
import type { Signal } from '../../../model/signal.js';
import { changedLists } from '../changes.js';
import type { Dispatch } from '../dispatch.js';
import { badParams, Fault, notification, type Request } from '../message.js';
import { metaKeys } from './envelope.js';
import type { Request2026Options } from './request.js';

/** Subscriptions of one caller. */
const maxOpen = 16;

/** Clients of this era hear of changes only where they asked for it, for as long as the request is open. */
export class Listening {
  readonly #dispatch: Dispatch;
  readonly #open = new Set<() => void>();

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
  }

  /** Resolves when the front closes, with the result that says so; undefined when the client has gone. */
  async listen(
    request: Request,
    { signal, onNotification }: Request2026Options,
  ): Promise<JsonObject | undefined> {
    const { notifications: wanted } = request.params;
    if (!isObject(wanted))
      throw new Fault(badParams, 'subscriptions/listen needs the notifications that are wanted');
    if (this.#open.size >= maxOpen) throw new Fault(-32603, `${maxOpen} subscriptions are open already`);
    const heard = changedLists.filter((list) => wanted[`${list}ListChanged`] === true);
    const meta = { _meta: { [metaKeys.subscriptionId]: request.id } };
    const granted = Object.fromEntries(heard.map((list) => [`${list}ListChanged`, true]));
    onNotification(
      notification('notifications/subscriptions/acknowledged', { notifications: granted, ...meta }),
    );
    if (heard.length > 0 && !signal.aborted)
      await this.#until(signal, () => {
        for (const list of heard) onNotification(notification(`notifications/${list}/list_changed`, meta));
      });
    return signal.aborted ? undefined : meta;
  }

  close(): void {
    for (const end of [...this.#open]) end();
  }

  async #until(signal: Signal, onChange: () => void): Promise<void> {
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
