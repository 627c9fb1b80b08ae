import type { CancelSignal } from '../../../model/cancel-signal.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { watchedLists } from '../change-notifier.js';
import type { Dispatch } from '../dispatch.js';
import { invalidParams, notification, RpcError, type RpcRequest } from '../json-rpc.js';
import type { TaskService } from '../tasks/task-service.js';
import { detailedTask2026 } from '../tasks/task-view.js';
import type { WatchedResources } from '../watched-resources.js';
import { metaKeys } from './envelope.js';
import type { Request2026Options } from './request-options.js';

/** Open subscriptions per caller. */
const maxOpen = 16;
/** Tasks of one subscription. */
const maxTasks = 64;
/** Milliseconds. A program can report progress very often. */
const taskDelayMs = 50;

/** `subscriptions/listen`: a client of this era gets change notifications only while this request is open. */
export class Subscriptions {
  readonly #dispatch: Dispatch;
  readonly #tasks: Pick<TaskService, 'shown'>;
  readonly #open = new Set<() => void>();
  /** Also those that are being opened. */
  #count = 0;

  constructor(dispatch: Dispatch, tasks: Pick<TaskService, 'shown'>) {
    this.#dispatch = dispatch;
    this.#tasks = tasks;
  }

  /** Resolves with the final result when the server closes; undefined if the client canceled. */
  async listen(request: RpcRequest, options: Request2026Options): Promise<JsonObject | undefined> {
    const { notifications: requested } = request.params;
    if (!isObject(requested))
      throw new RpcError(invalidParams, 'subscriptions/listen needs "notifications": an object');
    if (this.#count >= maxOpen) throw new RpcError(-32603, `too many open subscriptions: at most ${maxOpen}`);
    this.#count++;
    try {
      return await this.#listen(request, requested, options);
    } finally {
      this.#count--;
    }
  }

  async #listen(
    request: RpcRequest,
    requested: JsonObject,
    { sessionName, signal, onNotification }: Request2026Options,
  ): Promise<JsonObject | undefined> {
    const lists = watchedLists.filter((list) => requested[`${list}ListChanged`] === true);
    const watched = this.#dispatch.watchedResources(
      (uri) => onNotification(notification('notifications/resources/updated', { uri, ...meta })),
      sessionName,
    );
    const meta = { _meta: { [metaKeys.subscriptionId]: request.id } };
    const uris = await watchable(watched, requested.resourceSubscriptions);
    const taskIds = await this.#ownTasks(requested.taskIds);
    const granted = {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(taskIds.length === 0 ? {} : { taskIds }),
      ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    };
    onNotification(
      notification('notifications/subscriptions/acknowledged', { notifications: granted, ...meta }),
    );
    const isOpen = lists.length + taskIds.length + uris.length > 0 && !signal.aborted;
    const stop = isOpen ? this.#sendTasks(taskIds, { sessionName, meta }, onNotification) : () => {};
    if (isOpen)
      await this.#until(signal, () => {
        for (const list of lists) onNotification(notification(`notifications/${list}/list_changed`, meta));
      });
    stop();
    watched.close();
    return signal.aborted ? undefined : meta;
  }

  /** Tasks of other principals are left out, like tasks that do not exist. */
  async #ownTasks(requested: Json | undefined): Promise<string[]> {
    const { tasks, principal } = this.#dispatch.options;
    const ids = Array.isArray(requested) ? requested.slice(0, maxTasks) : [];
    const found = await Promise.all(
      ids.map((id) => (typeof id === 'string' ? tasks.get(id, principal) : undefined)),
    );
    return [...new Set(found.flatMap((it) => (it === undefined ? [] : [it.id])))];
  }

  /** Sends each change of a task as `tasks/get` would show it. Changes at the same time are one message. */
  #sendTasks(
    taskIds: readonly string[],
    { sessionName, meta }: { readonly sessionName: string | undefined; readonly meta: JsonObject },
    onNotification: Request2026Options['onNotification'],
  ): () => void {
    const { tasks, principal } = this.#dispatch.options;
    const scheduled = new Set<string>();
    let isStopped = false;
    const send = async (id: string) => {
      scheduled.delete(id);
      const task = await tasks.get(id, principal);
      if (task === undefined || isStopped) return;
      const view = detailedTask2026(task, tasks.runningCall(id));
      const params = { ...(await this.#tasks.shown(task, view, sessionName)), ...meta };
      onNotification(notification('notifications/tasks', params));
    };
    const stop = tasks.onChange((id) => {
      if (!taskIds.includes(id) || scheduled.has(id)) return;
      scheduled.add(id);
      setTimeout(() => send(id).catch(this.#dispatch.options.onBug), taskDelayMs).unref();
    });
    return () => {
      isStopped = true;
      stop();
    };
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

/** The resources whose updates are reported from now on. Others are left out, which the client sees. */
async function watchable(watched: WatchedResources, requested: Json | undefined): Promise<string[]> {
  const uris = Array.isArray(requested) ? requested.filter((it) => typeof it === 'string') : [];
  const found = await Promise.all(
    [...new Set(uris)].map(async (uri) => {
      try {
        await watched.add(uri);
        return [uri];
      } catch (error) {
        if (!(error instanceof RpcError) && !(error instanceof HostError)) throw error;
        return [];
      }
    }),
  );
  return found.flat();
}
