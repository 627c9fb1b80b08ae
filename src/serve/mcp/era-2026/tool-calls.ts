import type { Progress } from '../../../host/host.js';
import type { CancelSignal } from '../../../model/cancel-signal.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import type { DispatchResult } from '../dispatch.js';
import type { McpServerOptions } from '../server-options.js';
import type { ResumedCall } from '../tool-call.js';
import { answerIn, type CallHandlers, Conversation, type SentQuestion } from './conversation.js';
import { readDecision } from './held-call.js';
import { invalidRequestState, readRequestState, stateBinding } from './request-state.js';

/** Key of the question in `inputRequests`. The client answers under the same key. */
const key = 'answer';

export interface ToolCallContext {
  readonly signal: CancelSignal;
  /** Aborted when the client disconnects. Absent if that cannot be detected. */
  readonly gone?: CancelSignal;
  readonly onProgress: (progress: Progress) => void;
  /** Whether this client can show a question. */
  readonly isAskable: boolean;
  /** Whether its user may be asked once more. Counts the question. */
  readonly mayAsk: () => boolean;
  readonly makeCall: (context: CallContext) => Promise<DispatchResult>;
}

type CallContext = Omit<CallHandlers, 'onAsk'> &
  Partial<CallHandlers> & { readonly resumed?: ResumedCall | undefined };

/**
 * Calls of 2026 clients whose tools ask the user something. This era has no requests to clients: the question is a result
 * with a signed state. The call keeps running until the client sends the answer, disconnects, or takes too long.
 */
export class ToolCalls2026 {
  readonly #options: McpServerOptions;
  readonly #open = new Set<Conversation>();

  constructor(options: McpServerOptions) {
    this.#options = options;
  }

  async call(params: JsonObject, request: ToolCallContext): Promise<DispatchResult> {
    const { signal, onProgress } = request;
    const found = readRequestState(this.#options, params);
    if (found?.state.kind === 'asked')
      return this.#next(this.#resume(params, found.state.question, found.use), params, request);
    if (found?.state.way === 'form' && this.#options.approver === null) throw invalidRequestState();
    const resumed =
      found === undefined ? undefined : readDecision(this.#options, found.state, params, found.use);
    if (!request.isAskable) return request.makeCall({ signal, onProgress, resumed });
    const { now, waiting, principal } = this.#options;
    const conversation = new Conversation((handlers) => request.makeCall({ ...handlers, resumed }), {
      now,
      waitMs: waiting.waitMs,
      outcomeTtlMs: waiting.outcomeTtlMs,
      mayAsk: request.mayAsk,
      enter: (it) => this.#enter(it, waiting.limit.acquire(principal), request.gone),
    });
    return this.#next(conversation, params, request);
  }

  /** Ends all conversations. */
  close(): void {
    for (const it of [...this.#open]) it.end();
  }

  /** Finds the running call and gives it the answer. Without an answer the same question is sent again. */
  #resume({ inputResponses }: JsonObject, question: string, use: () => void): Conversation {
    const conversation = [...this.#open].find((it) => it.isAbout(question));
    if (conversation === undefined) throw invalidRequestState();
    const response =
      isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
    const answer = answerIn(response);
    if (answer === undefined) return conversation;
    use();
    conversation.answer(answer);
    return conversation;
  }

  async #next(
    conversation: Conversation,
    params: JsonObject,
    request: ToolCallContext,
  ): Promise<DispatchResult> {
    const step = await conversation.next(request);
    if (step.kind === 'finished') return step.result;
    return { kind: 'result', result: this.#questionOf(step.question, params) };
  }

  #questionOf({ id, params: question, expiresAt }: SentQuestion, params: JsonObject): JsonObject {
    const requestState = this.#options.stateSigner.sign({
      kind: 'asked',
      ...stateBinding(this.#options, params),
      question: id,
      expiresAt,
    });
    return {
      resultType: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: question } },
      requestState,
    };
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
