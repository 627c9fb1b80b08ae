import type { ClientRequests, Progress } from '../../../host/host.js';
import type { CancelSignal } from '../../../model/cancel-signal.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import type { DispatchResult } from '../dispatch.js';
import type { McpServerOptions } from '../server-options.js';
import type { TaskService } from '../tasks/task-service.js';
import { taskOf2026 } from '../tasks/task-view.js';
import { type HeldCall, type ResumedCall, readCallParams } from '../tool-call.js';
import { type CallHandlers, Conversation } from './conversation.js';
import type { SentQuestions } from './conversation-step.js';
import { readDecision } from './held-call.js';
import { invalidRequestState, readRequestState, stateBinding } from './request-state.js';

export interface ToolCallContext {
  /** Under which name the session keeps what it has seen. */
  readonly sessionName?: string | undefined;
  readonly signal: CancelSignal;
  /** Aborted when the client disconnects. Absent if that cannot be detected. */
  readonly gone?: CancelSignal;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** A question as this client can show it. Undefined: it shows none. */
  readonly shown: ((question: JsonObject) => JsonObject) | undefined;
  /** What else it can answer; undefined: nothing. */
  readonly requestsOf: (send: ClientRequests['send']) => ClientRequests | undefined;
  /** Whether it can answer anything. */
  readonly isAskable: boolean;
  /** Whether its user may be asked once more. Counts the question. */
  readonly mayAsk: () => boolean;
  /** Whether the request allows that the call becomes a task. */
  readonly allowsTasks: boolean;
  readonly makeCall: (context: CallContext) => Promise<DispatchResult>;
}

type CallContext = Pick<CallHandlers, 'signal' | 'onProgress'> &
  Partial<Pick<CallHandlers, 'onAsk' | 'clientRequests' | 'onTask' | 'taskFor'>> & {
    readonly resumed?: ResumedCall | undefined;
  };

/**
 * Calls of 2026 clients whose tools ask the user something. This era has no requests to clients: the question is a result
 * with a signed state. The call keeps running until the client sends the answer, disconnects, or takes too long.
 */
export class ToolCalls2026 {
  readonly #options: McpServerOptions;
  readonly #tasks: TaskService;
  readonly #complete: (result: DispatchResult) => JsonObject;
  readonly #open = new Set<Conversation>();

  /** `complete`: the whole result of a call, as its task shows it. */
  constructor(
    options: McpServerOptions,
    tasks: TaskService,
    complete: (result: DispatchResult) => JsonObject,
  ) {
    this.#options = options;
    this.#tasks = tasks;
    this.#complete = complete;
  }

  /** `method`: `tools/call`, `prompts/get` or `resources/read`. */
  async call(method: string, params: JsonObject, request: ToolCallContext): Promise<DispatchResult> {
    const { signal, onProgress } = request;
    const found = readRequestState(this.#options, method, params);
    if (found?.state.kind === 'asked')
      return this.#next(this.#resume(params, found.state.question, found.use), method, params, request);
    if (found?.state.way === 'form' && this.#options.approver === null) throw invalidRequestState();
    const resumed =
      found === undefined ? undefined : readDecision(this.#options, found.state, params, found.use);
    if (!request.isAskable && !request.allowsTasks) return request.makeCall({ signal, onProgress, resumed });
    const { now, waiting, principal } = this.#options;
    const conversation = new Conversation((handlers) => request.makeCall({ ...handlers, resumed }), {
      now,
      waitMs: waiting.waitMs,
      outcomeTtlMs: waiting.outcomeTtlMs,
      wantsProgress: onProgress !== undefined || request.allowsTasks,
      shown: request.shown,
      requestsOf: request.requestsOf,
      mayAsk: request.mayAsk,
      given: found === undefined && isObject(params.inputResponses) ? params.inputResponses : {},
      enter: async (it, signal) =>
        this.#enter(it, await waiting.places.take(principal, signal), request.gone),
    });
    return this.#next(conversation, method, params, request);
  }

  /** Ends all conversations. */
  close(): void {
    for (const it of [...this.#open]) it.end();
  }

  /** Finds the running call and gives it the answer. Without an answer the same question is sent again. */
  #resume({ inputResponses }: JsonObject, question: string, use: () => void): Conversation {
    const conversation = [...this.#open].find((it) => it.isAbout(question));
    if (conversation === undefined) throw invalidRequestState();
    if (isObject(inputResponses) && conversation.answer(inputResponses)) use();
    return conversation;
  }

  async #next(
    conversation: Conversation,
    method: string,
    params: JsonObject,
    request: ToolCallContext,
  ): Promise<DispatchResult> {
    const { signal, onProgress, allowsTasks } = request;
    const taskAfterMs = allowsTasks ? this.#options.taskAfterMs : undefined;
    const step = await conversation.next({ signal, onProgress, taskAfterMs });
    switch (step.kind) {
      case 'finished':
        return step.result;
      case 'questions':
        return { kind: 'result', result: this.#inputRequired(step.questions, method, params) };
      case 'task': {
        const task = await this.#startTask(conversation, params, request.sessionName, step.hold);
        // Too many tasks: the request waits for the answer, as if it did not allow tasks.
        return task ?? this.#next(conversation, method, params, { ...request, allowsTasks: false });
      }
    }
  }

  async #startTask(
    conversation: Conversation,
    params: JsonObject,
    sessionName: string | undefined,
    hold: HeldCall | undefined,
  ): Promise<DispatchResult | undefined> {
    const { name } = readCallParams(params);
    const { cancellation, outcome } = conversation;
    const started = await this.#tasks.start({ tool: name, sessionName, cancellation, hold });
    conversation.becomeTask(started?.task);
    if (started === undefined) return undefined;
    const { task, stored } = started;
    this.#tasks.follow(task, outcome.then(this.#complete));
    return { kind: 'result', result: { resultType: 'task', ...taskOf2026(stored, task) } };
  }

  #inputRequired({ id, requests, expiresAt }: SentQuestions, method: string, params: JsonObject): JsonObject {
    const requestState = this.#options.stateSigner.sign({
      kind: 'asked',
      ...stateBinding(this.#options, method, params),
      question: id,
      expiresAt,
    });
    const inputRequests = Object.fromEntries(
      [...requests].map(([key, it]) => [key, { method: it.method, params: it.params }]),
    );
    return { resultType: 'input_required', inputRequests, requestState };
  }

  #enter(
    conversation: Conversation,
    free: (() => void) | undefined,
    gone: CancelSignal | undefined,
  ): (() => void) | undefined {
    if (free === undefined || gone?.aborted === true) {
      free?.();
      return undefined;
    }
    const end = () => conversation.end();
    gone?.addEventListener('abort', end, { once: true });
    this.#open.add(conversation);
    return () => {
      gone?.removeEventListener('abort', end);
      this.#open.delete(conversation);
      free();
    };
  }
}
