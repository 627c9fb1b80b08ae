import { randomBytes } from 'node:crypto';
import type { Progress } from '../../../host/host.js';
import { Cancellation, type CancelSignal } from '../../../model/cancel-signal.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import type { DispatchResult } from '../dispatch.js';

/** What a waiting request gets: the next question, or the result of the call. */
export type ConversationStep =
  | { readonly kind: 'question'; readonly question: SentQuestion }
  | { readonly kind: 'finished'; readonly result: DispatchResult };

/** A question that was sent to the client. */
export interface SentQuestion {
  readonly id: string;
  readonly params: JsonObject;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

interface PendingQuestion extends Omit<SentQuestion, 'expiresAt'> {
  /** Undefined until the question is sent. */
  expiresAt?: number;
  readonly settle: (answer: JsonObject) => void;
}

/** The request that currently waits for the call. */
interface WaitingRequest {
  readonly signal: CancelSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** The signal and callbacks of a call. */
export interface CallHandlers {
  readonly signal: CancelSignal;
  readonly onAsk: (question: JsonObject) => Promise<JsonObject>;
  readonly onProgress: (progress: Progress) => void;
}

export interface ConversationOptions {
  readonly now: () => number;
  /** Time for the client to answer a question. */
  readonly waitMs: number;
  /** How long the result is kept if the call ends while no request waits for it. */
  readonly outcomeTtlMs: number;
  /** Whether the user may be asked once more. Counts the question. */
  readonly mayAsk: () => boolean;
  /** Reserves a place for a call that outlives its request. Returns a function that frees it; undefined if none is left. */
  readonly enter: (conversation: Conversation) => (() => void) | undefined;
}

/** Pending questions of one call. They are sent one after the other. */
const maxQuestions = 8;

/**
 * One running call and the successive requests that wait for it. If its tool asks something, the waiting request is
 * answered with the question, and the next request carries the answer. Between the two no request is open, so the
 * conversation has its own timeout.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #cancellation = new Cancellation();
  readonly #outcome: Promise<DispatchResult>;
  #questions: PendingQuestion[] = [];
  #lastQuestion: string | undefined;
  #isFinished = false;
  #request: WaitingRequest | undefined;
  #leave: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: () => void = () => {};

  constructor(call: (side: CallHandlers) => Promise<DispatchResult>, options: ConversationOptions) {
    this.#options = options;
    this.#outcome = call({
      signal: this.#cancellation,
      onAsk: (question) => this.#ask(question),
      onProgress: (progress) => this.#request?.onProgress(progress),
    });
    const finish = () => {
      this.#isFinished = true;
      this.#cancelQuestions();
      // A request with an answer may still arrive. It gets the result of the call.
      if (this.#request === undefined) this.#endIn(options.outcomeTtlMs);
      this.#wake();
    };
    this.#outcome.then(finish, finish);
  }

  /** Waits for the next question or the result. Aborting the waiting request cancels the call. */
  async next(request: WaitingRequest): Promise<ConversationStep> {
    clearTimeout(this.#timer);
    this.#request = request;
    const end = () => this.end();
    request.signal.addEventListener('abort', end, { once: true });
    if (request.signal.aborted) end();
    try {
      while (!this.#isFinished && this.#questions.length === 0)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      const [question] = this.#questions;
      if (question !== undefined && !this.#isFinished)
        return { kind: 'question', question: this.#send(question) };
      this.#free();
      return { kind: 'finished', result: await this.#outcome };
    } finally {
      request.signal.removeEventListener('abort', end);
      if (this.#request === request) this.#request = undefined;
    }
  }

  /** Whether this is the last question that was sent. Only the client that got it may continue the call. */
  isAbout(question: string): boolean {
    return this.#lastQuestion === question && (this.#isFinished || this.#questions[0]?.id === question);
  }

  /** Answers the pending question. A question is answered once. */
  answer(answer: JsonObject): void {
    this.#lastQuestion = undefined;
    this.#questions.shift()?.settle(answer);
  }

  /** Cancels the call, because no request will come for it. */
  end(): void {
    this.#cancellation.abort();
    this.#cancelQuestions();
    this.#free();
  }

  #ask(params: JsonObject): Promise<JsonObject> {
    const { mayAsk, enter } = this.#options;
    const declined = Promise.resolve({ action: 'decline' });
    if (this.#cancellation.aborted || this.#questions.length >= maxQuestions || !mayAsk()) return declined;
    this.#leave ??= enter(this);
    if (this.#leave === undefined) return declined;
    return new Promise((settle) => {
      const id = randomBytes(16).toString('base64url');
      this.#questions.push({ id, params, settle });
      this.#wake();
    });
  }

  /** The time to answer starts when the question is first sent. Sending it again does not extend it. */
  #send(question: PendingQuestion): SentQuestion {
    const { now, waitMs } = this.#options;
    const { id, params } = question;
    question.expiresAt ??= now() + waitMs;
    const { expiresAt } = question;
    this.#lastQuestion = id;
    this.#endIn(Math.max(0, expiresAt - now()));
    return { id, params, expiresAt };
  }

  #endIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), milliseconds);
    this.#timer.unref();
  }

  #cancelQuestions(): void {
    for (const it of this.#questions.splice(0)) it.settle({ action: 'cancel' });
  }

  #free(): void {
    clearTimeout(this.#timer);
    this.#leave?.();
    this.#leave = undefined;
  }
}

/** The elicitation result. Undefined if the value is not one. */
export function answerIn(response: Json | undefined): JsonObject | undefined {
  if (!isObject(response)) return undefined;
  return ['accept', 'decline', 'cancel'].includes(response.action as string) ? response : undefined;
}
