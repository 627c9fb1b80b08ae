import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { type Signal, Stop } from '../../../model/signal.js';
import { changedLists } from '../changes.js';
import type { Answered, Dispatch } from '../dispatch.js';
import { canAsk } from '../hold.js';
import {
  badParams,
  Fault,
  failure,
  type Message,
  notification,
  type Reply,
  type Request,
  type RequestId,
  success,
  successText,
} from '../message.js';
import { type ProgressReport, reportProgress } from '../progress.js';
import { Questions } from './elicit.js';

/** Revisions with the same messages for what is served here, newest first. */
export const revisions2025 = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** Structured content and links to resources came with it. */
const firstStructured = '2025-06-18';

export interface Session2025Options {
  /** Takes what the server says by itself; `about` is the request that it belongs to. */
  readonly send: (message: JsonObject, about?: RequestId) => void;
}

/** One client from `initialize` to its end. */
export interface Session2025 {
  /** Whether the negotiated revision has batches; only one of them did. */
  readonly batches: boolean;
  /** Empty before `initialize`. */
  readonly revision: string;
  /** The reply to send, if any. */
  receive(message: Message): Promise<Reply | undefined>;
  /** The client has gone: nothing it began goes on. */
  close(): void;
}

export interface Era2025 {
  open(options: Session2025Options): Session2025;
  close(): void;
}

export function createEra2025(dispatch: Dispatch): Era2025 {
  const sessions = new Set<Session2025>();
  return {
    open(options) {
      const session = new Client2025(dispatch, options, () => sessions.delete(session));
      sessions.add(session);
      return session;
    },
    close() {
      for (const session of [...sessions]) session.close();
    },
  };
}

class Client2025 implements Session2025 {
  readonly #dispatch: Dispatch;
  readonly #send: Session2025Options['send'];
  readonly #questions: Questions;
  readonly #running = new Map<RequestId, Stop>();
  readonly #onClose: () => void;
  #capabilities: Json | undefined;
  #unlisten: () => void = () => {};
  #closed = false;
  revision = '';

  constructor(dispatch: Dispatch, options: Session2025Options, onClose: () => void) {
    this.#dispatch = dispatch;
    this.#send = (message, about) => {
      if (!this.#closed) options.send(message, about);
    };
    this.#onClose = onClose;
    this.#questions = new Questions({ now: dispatch.options.now, send: this.#send });
  }

  get batches(): boolean {
    return this.revision === '2025-03-26';
  }

  async receive(message: Message): Promise<Reply | undefined> {
    switch (message.kind) {
      case 'response':
        this.#questions.receive(message);
        return undefined;
      case 'notification':
        this.#notified(message.method, message.params);
        return undefined;
      case 'request':
        return this.#request(message);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unlisten();
    for (const stop of this.#running.values()) stop.abort();
    this.#onClose();
  }

  #notified(method: string, params: JsonObject): void {
    const { requestId } = params;
    if (method !== 'notifications/cancelled') return;
    if (typeof requestId === 'string' || typeof requestId === 'number') this.#running.get(requestId)?.abort();
  }

  async #request(request: Request): Promise<Reply | undefined> {
    const { id } = request;
    if (this.#running.has(id)) return failure(id, -32600, 'a request with this id is under way');
    const stop = new Stop();
    this.#running.set(id, stop);
    if (this.#closed) stop.abort();
    const report = reportProgress(request.params._meta, (it) => this.#send(it, id));
    try {
      const reply = await this.#answer(request, stop, report.tell);
      // A canceled request gets no answer.
      return stop.aborted ? undefined : reply;
    } catch (error) {
      return stop.aborted ? undefined : this.#dispatch.failed(id, error);
    } finally {
      report.stop();
      this.#running.delete(id);
    }
  }

  async #answer(
    { id, method, params }: Request,
    signal: Signal,
    onProgress: ProgressReport['tell'],
  ): Promise<Reply> {
    if (method === 'initialize') return success(id, this.#initialize(params));
    if (method === 'ping') return success(id, {});
    // A question that a tool put is withdrawn when its call is over.
    const over = new Stop();
    const giveUp = () => over.abort();
    signal.addEventListener('abort', giveUp, { once: true });
    const answered = await this.#dispatch
      .answer({
        method,
        params,
        signal,
        onProgress,
        onAsk: canAsk(this.#capabilities) ? (it) => this.#pass(it, id, over) : undefined,
        shape: this.revision !== '' && this.revision < firstStructured ? 'plain' : 'objects',
        onHeld: async ({ confirmation }) =>
          canAsk(this.#capabilities) && this.#dispatch.patience.take()
            ? this.#questions.ask(confirmation, id, signal)
            : { kind: 'told' },
      })
      .finally(() => {
        signal.removeEventListener('abort', giveUp);
        giveUp();
      });
    return successText(id, textOf(answered));
  }

  /** A question of a tool goes to the person as that, and an answer that does not come is none. */
  async #pass(question: JsonObject, id: RequestId, signal: Signal): Promise<JsonObject> {
    if (!this.#dispatch.patience.take()) return { action: 'decline' };
    return this.#questions.pass(question, id, signal);
  }

  #initialize(params: JsonObject): JsonObject {
    const { protocolVersion: asked, capabilities } = params;
    if (typeof asked !== 'string') throw new Fault(badParams, 'initialize needs a protocolVersion');
    if (capabilities !== undefined && !isObject(capabilities))
      throw new Fault(badParams, 'the capabilities of a client are an object');
    this.revision = revisions2025.includes(asked) ? asked : (revisions2025[0] as string);
    this.#capabilities = capabilities;
    this.#unlisten();
    this.#unlisten = this.#dispatch.changes.listen(() => {
      for (const list of changedLists) this.#send(notification(`notifications/${list}/list_changed`));
    });
    const { capabilities: offered, serverInfo, instructions } = this.#dispatch;
    return { protocolVersion: this.revision, capabilities: offered, serverInfo, instructions };
  }
}

function textOf(answered: Answered): string {
  if (answered.kind === 'result') return JSON.stringify(answered.result);
  const { key, page } = answered;
  const next = page.next === undefined ? '' : `,"nextCursor":${JSON.stringify(page.next)}`;
  return `{"${key}":[${page.items}]${next}}`;
}
