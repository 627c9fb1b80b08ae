import type { Progress } from '../../../host/host.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import type { Signal } from '../../../model/signal.js';
import type { Resumed } from '../calls.js';
import type { Answered } from '../dispatch.js';
import type { FrontOptions } from '../front.js';
import { boundTo, invalidState, readState } from './carried.js';
import { type Asking, answerIn, type CallerSide, Conversation } from './conversation.js';
import { readDecision } from './held.js';

/** The one question of a result; the client answers under the same key. */
const key = 'answer';

export interface CallRequest {
  readonly signal: Signal;
  readonly gone?: Signal;
  readonly onProgress: (progress: Progress) => void;
  /** Whether this client can show a question. */
  readonly isAskable: boolean;
  /** Whether its person may be asked once more. */
  readonly mayAsk: () => boolean;
  readonly make: (side: Side) => Promise<Answered>;
}

type Side = Omit<CallerSide, 'onAsk'> & Partial<CallerSide> & { readonly resumed?: Resumed | undefined };

/**
 * Calls of 2026 clients whose tools ask something. This era has no requests to clients: the question is a result with a
 * state, and the call stays under way here until the client comes back with the answer, leaves, or takes too long.
 */
export class Asked2026 {
  readonly #options: FrontOptions;
  readonly #open = new Set<Conversation>();

  constructor(options: FrontOptions) {
    this.#options = options;
  }

  async call(params: JsonObject, request: CallRequest): Promise<Answered> {
    const { signal, onProgress } = request;
    const found = readState(this.#options, params);
    if (found?.state.kind === 'asked')
      return this.#goOn(this.#resume(params, found.state.question, found.use), params, request);
    const resumed = found === undefined ? undefined : readDecision(found.state, params, found.use);
    if (!request.isAskable) return request.make({ signal, onProgress, resumed });
    const { now, waiting, principal } = this.#options;
    const conversation = new Conversation((side) => request.make({ ...side, resumed }), {
      now,
      waitMs: waiting.waitMs,
      keptMs: waiting.keptMs,
      mayAsk: request.mayAsk,
      enter: (it) => this.#enter(it, waiting.room.take(principal), request.gone),
    });
    return this.#goOn(conversation, params, request);
  }

  /** Nobody comes back for any of them. */
  close(): void {
    for (const it of [...this.#open]) it.end();
  }

  /** The call that a state is about, with the answer that came. Without one the same question is put again. */
  #resume({ inputResponses }: JsonObject, question: string, use: () => void): Conversation {
    const conversation = [...this.#open].find((it) => it.isAbout(question));
    if (conversation === undefined) throw invalidState();
    const given =
      isObject(inputResponses) && Object.hasOwn(inputResponses, key) ? inputResponses[key] : undefined;
    const answer = answerIn(given);
    if (answer === undefined) return conversation;
    use();
    conversation.answer(answer);
    return conversation;
  }

  async #goOn(conversation: Conversation, params: JsonObject, request: CallRequest): Promise<Answered> {
    const step = await conversation.next(request);
    if (step.kind === 'answered') return step.answered;
    return { kind: 'result', result: this.#questionOf(step.question, params) };
  }

  #questionOf({ id, params: asked, expiresAt }: Asking, params: JsonObject): JsonObject {
    const requestState = this.#options.signer.seal({
      kind: 'asked',
      ...boundTo(this.#options, params),
      question: id,
      expiresAt,
    });
    return {
      resultType: 'input_required',
      inputRequests: { [key]: { method: 'elicitation/create', params: asked } },
      requestState,
    };
  }

  #enter(
    conversation: Conversation,
    free: (() => void) | undefined,
    gone: Signal | undefined,
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
