import { showsApps } from '../../../model/app-resource.js';
import { Cancellation, type CancelSignal } from '../../../model/cancel-signal.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { LiveMap } from '../../../model/live-map.js';
import { isLogLevel, type LogLevel } from '../../../model/log-level.js';
import { askedTooOften } from '../approval-question.js';
import { callLogging } from '../call-logging.js';
import { watchedLists } from '../change-notifier.js';
import { clientRequestsOf } from '../client-requests.js';
import type { Dispatch, DispatchResult } from '../dispatch.js';
import {
  invalidParams,
  notification,
  type RequestId,
  RpcError,
  type RpcMessage,
  type RpcReply,
  type RpcRequest,
  resultReply,
  resultTextReply,
  rpcErrorReply,
} from '../json-rpc.js';
import { supportsUrls } from '../page-question.js';
import { type ProgressReport, reportProgress } from '../progress.js';
import { shownQuestion, supportsQuestions } from '../question-modes.js';
import { requiredPages } from '../required-pages.js';
import { TaskService } from '../tasks/task-service.js';
import type { WatchedResources } from '../watched-resources.js';
import { Elicitations } from './elicitations.js';
import { isAboutTasks, offeredTasks, TaskMethods2025 } from './task-methods.js';

/** Revisions of this era, newest first. The messages that this server uses are the same in all of them. */
export const revisions2025 = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/** First revision with structured content and resource links. */
const firstStructured = '2025-06-18';

/** The only revision of this era with tasks. */
const revisionWithTasks = '2025-11-25';

export interface Session2025Options {
  /** Sends a message of the server. `about`: the client request that it belongs to. Absent if only answers can be sent. */
  readonly send?: (message: JsonObject, about?: RequestId) => void;
  /** Under which name it keeps what it has seen. Undefined: that of the host session. */
  readonly sessionName?: string | undefined;
}

/** One client from `initialize` to its end. */
export interface Session2025 {
  /** Whether the negotiated revision has batches. Only 2025-03-26 has them. */
  readonly batches: boolean;
  /** Empty before `initialize`. */
  readonly revision: string;
  /** Returns the reply to send. Undefined: no reply. */
  receive(message: RpcMessage): Promise<RpcReply | undefined>;
  /** The client has disconnected: cancels its requests. */
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
  readonly #send: (message: JsonObject, about?: RequestId) => void;
  readonly #sessionName: string | undefined;
  readonly #questions: Elicitations;
  readonly #tasks: TaskService;
  readonly #watched: WatchedResources;
  readonly #running = new LiveMap<RequestId, Cancellation>();
  readonly #onClose: () => void;
  #capabilities: Json | undefined;
  /** Undefined until the client chose a level: it gets no log messages. */
  #logLevel: LogLevel | undefined;
  #unlisten: () => void = () => {};
  #closed = false;
  /** Whether there are later messages to send. A client without a session gets only answers. */
  readonly #isLasting: boolean;
  revision = '';

  constructor(dispatch: Dispatch, options: Session2025Options, onClose: () => void) {
    this.#dispatch = dispatch;
    this.#send = (message, about) => {
      if (!this.#closed) options.send?.(message, about);
    };
    this.#sessionName = options.sessionName;
    this.#onClose = onClose;
    this.#isLasting = options.send !== undefined;
    this.#watched = dispatch.watchedResources(
      (uri) => this.#send(notification('notifications/resources/updated', { uri })),
      options.sessionName,
    );
    const { now, newId, approvals, waiting } = dispatch.options;
    const { pageWaitMs } = waiting;
    this.#questions = new Elicitations({ now, newId, approvals, pageWaitMs, send: this.#send });
    this.#tasks = new TaskService(dispatch);
  }

  get batches(): boolean {
    return this.revision === '2025-03-26';
  }

  async receive(message: RpcMessage): Promise<RpcReply | undefined> {
    switch (message.kind) {
      case 'response':
        this.#questions.receive(message);
        return undefined;
      case 'notification':
        this.#notified(message.method, message.params);
        return undefined;
      case 'request':
        return await this.#request(message);
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unlisten();
    this.#watched.close();
    for (const stop of this.#running.values()) stop.abort();
    this.#tasks.close();
    this.#onClose();
  }

  #notified(method: string, params: JsonObject): void {
    const { requestId } = params;
    if (method !== 'notifications/cancelled') return;
    if (typeof requestId === 'string' || typeof requestId === 'number') this.#running.get(requestId)?.abort();
  }

  async #request(request: RpcRequest): Promise<RpcReply | undefined> {
    const { id } = request;
    if (this.#running.has(id))
      return rpcErrorReply(id, -32600, 'a request with this id is already in progress');
    const stop = new Cancellation();
    this.#running.set(id, stop);
    if (this.#closed) stop.abort();
    const report = reportProgress(request.params._meta, (it) => this.#send(it, id));
    try {
      const reply = await this.#answer(request, stop, report.report);
      // A canceled request gets no reply.
      return stop.aborted ? undefined : reply;
    } catch (error) {
      return stop.aborted ? undefined : this.#dispatch.errorReply(id, error);
    } finally {
      report.stop();
      this.#running.delete(id);
    }
  }

  async #answer(
    { id, method, params }: RpcRequest,
    signal: CancelSignal,
    onProgress: ProgressReport['report'],
  ): Promise<RpcReply> {
    if (method === 'initialize') return resultReply(id, await this.#initialize(params));
    if (method === 'ping') return resultReply(id, {});
    if (method === 'logging/setLevel') return resultReply(id, this.#setLogLevel(params));
    if (this.revision === revisionWithTasks && isAboutTasks(method, params)) {
      const result = await this.#answerTask(id, method, params, signal);
      if (result !== undefined) return resultReply(id, result);
    }
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe')
      return resultReply(id, await this.#watch(method, params));
    // A tool's question is withdrawn when its call ends.
    const callEnded = new Cancellation();
    const endCall = () => callEnded.abort();
    signal.addEventListener('abort', endCall, { once: true });
    try {
      const result = await this.#dispatch.answer({
        method,
        params,
        sessionName: this.#sessionName,
        signal,
        onProgress,
        showsApps: showsApps(this.#capabilities),
        logging: callLogging(this.#logLevel, (it) => this.#send(it, id)),
        clientRequests: clientRequestsOf(this.#capabilities, this.#dispatch.requestLimit, (request, asked) =>
          this.#questions.askClient(request, asked, id, callEnded),
        ),
        onAsk: supportsQuestions(this.#capabilities)
          ? (it) => this.#askForTool(it, id, callEnded)
          : undefined,
        opensPages: this.#opensPages,
        shape: this.revision !== '' && this.revision < firstStructured ? 'plain' : 'objects',
        onHeld: async ({ confirmation }) => {
          const way = this.#dispatch.approvalWay(confirmation, this.#capabilities);
          if (way === null) return { kind: 'not-asked' };
          return way === 'form'
            ? this.#questions.askApproval(confirmation, id, signal)
            : this.#questions.askToOpenPage(confirmation, id, signal);
        },
      });
      return resultTextReply(id, textOf(result));
    } catch (error) {
      if (!(error instanceof HostError) || !this.#opensPages) throw error;
      throw requiredPages(error.toolError, 'A server') ?? error;
    } finally {
      signal.removeEventListener('abort', endCall);
      endCall();
    }
  }

  /** Only one revision has the error that asks for pages. */
  get #opensPages(): boolean {
    return this.revision === '2025-11-25' && supportsUrls(this.#capabilities);
  }

  /** Undefined: the request has nothing to do with tasks. */
  async #answerTask(
    id: RequestId,
    method: string,
    params: JsonObject,
    signal: CancelSignal,
  ): Promise<JsonObject | undefined> {
    const methods = new TaskMethods2025(this.#dispatch, this.#tasks, this.#sessionName);
    if (method === 'tools/call' && isObject(params.task)) {
      return methods.call(params, {
        mayAsk: supportsQuestions(this.#capabilities),
        requestsOf: (send) => clientRequestsOf(this.#capabilities, this.#dispatch.requestLimit, send),
        wayOf: (hold) => this.#dispatch.approvalWay(hold.confirmation, this.#capabilities),
      });
    }
    return methods.answer(method, params, {
      signal,
      ask: async (request, question) =>
        request === 'elicitation/create'
          ? this.#questions.askForTool(shownQuestion(question, this.#capabilities), id, signal)
          : this.#questions.askClient(request, question, id, signal),
    });
  }

  async #watch(method: string, { uri }: JsonObject): Promise<JsonObject> {
    if (typeof uri !== 'string') throw new RpcError(invalidParams, `${method} needs a uri`);
    if (method === 'resources/unsubscribe') this.#watched.remove(uri);
    else if (!this.#isLasting) throw new RpcError(invalidParams, `${method} needs a session`);
    else await this.#watched.add(uri);
    return {};
  }

  #setLogLevel({ level }: JsonObject): JsonObject {
    if (!isLogLevel(level))
      throw new RpcError(invalidParams, 'logging/setLevel needs "level": a known level');
    this.#logLevel = level;
    return {};
  }

  /** Passes a tool's question to the user, within the limit on questions. */
  async #askForTool(question: JsonObject, id: RequestId, signal: CancelSignal): Promise<JsonObject> {
    const shown = shownQuestion(question, this.#capabilities);
    if (!this.#dispatch.questionLimit.take()) throw askedTooOften();
    return this.#questions.askForTool(shown, id, signal);
  }

  async #initialize(params: JsonObject): Promise<JsonObject> {
    const { protocolVersion: requested, capabilities } = params;
    if (typeof requested !== 'string')
      throw new RpcError(invalidParams, 'initialize needs a protocolVersion');
    if (capabilities !== undefined && !isObject(capabilities))
      throw new RpcError(invalidParams, '"capabilities" must be an object');
    this.revision = revisions2025.includes(requested) ? requested : (revisions2025[0] as string);
    this.#capabilities = capabilities;
    this.#unlisten();
    this.#unlisten = this.#dispatch.changes.listen(() => {
      for (const list of watchedLists) this.#send(notification(`notifications/${list}/list_changed`));
    });
    const { serverInfo } = this.#dispatch;
    const offered = await this.#dispatch.capabilities(capabilities);
    const instructions = await this.#dispatch.instructions();
    const tasks = this.revision === revisionWithTasks ? { tasks: offeredTasks } : {};
    const all = { ...offered, ...tasks };
    return { protocolVersion: this.revision, capabilities: all, serverInfo, instructions };
  }
}

function textOf(result: DispatchResult): string {
  if (result.kind === 'result') return JSON.stringify(result.result);
  const { key, page } = result;
  const next = page.next === undefined ? '' : `,"nextCursor":${JSON.stringify(page.next)}`;
  return `{"${key}":[${page.items}]${next}}`;
}
