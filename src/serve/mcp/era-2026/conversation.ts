import { randomBytes } from 'node:crypto';
import type { AskedClient, ClientRequestMethod, ClientRequests, Progress } from '../../../host/host.js';
import { Cancellation, type CancelSignal } from '../../../model/cancel-signal.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { questionKeyIn, withoutQuestionKey } from '../../../model/question-key.js';
import { askedTooOften } from '../approval-question.js';
import { noClientAnswer } from '../client-requests.js';
import type { DispatchResult } from '../dispatch.js';
import { isAnswer, type QuestionMethod, questionsByKey } from '../keyed-questions.js';
import type { ServedTask } from '../tasks/served-task.js';
import type { HeldCall } from '../tool-call.js';
import type { ConversationStep, PendingQuestion, SentQuestions } from './conversation-step.js';

/** The request that currently waits for the call. */
interface WaitingRequest {
  readonly signal: CancelSignal;
  readonly onProgress: ((progress: Progress) => void) | undefined;
  /** The call becomes a task after this time. Undefined: the request does not allow tasks. */
  readonly taskAfterMs: number | undefined;
}

/** The signal and callbacks of a call. */
export interface CallHandlers extends AskedClient {
  readonly signal: CancelSignal;
  readonly onTask: () => void;
  /** The task that the held call becomes. Undefined: it stays an ordinary call. */
  readonly taskFor: (hold: HeldCall) => Promise<ServedTask | undefined>;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

export interface ConversationOptions {
  readonly now: () => number;
  /** Time for the client to answer a question. */
  readonly waitMs: number;
  /** How long the result is kept if the call ends while no request waits for it. */
  readonly outcomeTtlMs: number;
  /** Whether somebody wants to know about progress: the client, or a task that the call may become. */
  readonly wantsProgress: boolean;
  /** A question as the client can show it. Throws if it cannot. Undefined: it shows none. */
  readonly shown: ((question: JsonObject) => JsonObject) | undefined;
  /** What else the client can answer. */
  readonly requestsOf: (send: ClientRequests['send']) => ClientRequests | undefined;
  /** Whether the user may be asked once more. Counts the question. */
  readonly mayAsk: () => boolean;
  /** Answers that came with the first request, by the key of the server's question. Each is used once. */
  readonly given: JsonObject;
  /**
   * Waits for a place for a call that outlives its request. Resolves to a function that frees it; to undefined if the call
   * has ended.
   */
  readonly enter: (conversation: Conversation, signal: CancelSignal) => Promise<(() => void) | undefined>;
}

/** Questions of one call that wait for an answer. */
const maxQuestions = 32;
/** Questions that are sent together. */
const maxTogether = 8;
/** Milliseconds in which a server that asks for several things at once asks for all of them. */
const collectMs = 25;

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
  #sent: (SentQuestions & { readonly requests: ReadonlyMap<string, PendingQuestion> }) | undefined;
  #lastSent: string | undefined;
  #isFinished = false;
  #request: WaitingRequest | undefined;
  #leave: (() => void) | undefined;
  /** While the call waits for a place. */
  #entering: { readonly done: Promise<void>; readonly stop: Cancellation } | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #given: Map<string, Json>;
  #wake: () => void = () => {};
  /** The call should become a task. */
  #wanted: { hold: HeldCall | undefined } | undefined;
  #task: ServedTask | undefined;
  #onTask: ((task: ServedTask | undefined) => void)[] = [];

  constructor(call: (side: CallHandlers) => Promise<DispatchResult>, options: ConversationOptions) {
    this.#options = options;
    this.#given = new Map(Object.entries(options.given));
    this.#outcome = call({
      signal: this.#cancellation,
      onAsk: options.shown && ((question) => this.#askUser(question)),
      clientRequests: options.requestsOf((method, params) => this.#askClient(method, params)),
      onTask: () => void this.#wantTask(),
      taskFor: (hold) => this.#wantTask(hold),
      onProgress: options.wantsProgress ? (progress) => this.#report(progress) : undefined,
    });
    const finish = () => {
      this.#isFinished = true;
      this.#entering?.stop.abort();
      this.#cancelQuestions();
      // A request with an answer may still arrive. It gets the result of the call.
      if (this.#request === undefined && this.#task === undefined) this.#endIn(options.outcomeTtlMs);
      this.#wake();
    };
    this.#outcome.then(finish, finish);
  }

  #report(progress: Progress): void {
    if (this.#task === undefined) this.#request?.onProgress?.(progress);
    else this.#task.report(progress);
  }

  /** Waits for the next question or the result. Aborting the waiting request cancels the call. */
  async next(request: WaitingRequest): Promise<ConversationStep> {
    clearTimeout(this.#timer);
    this.#request = request;
    const end = () => this.end();
    request.signal.addEventListener('abort', end, { once: true });
    if (request.signal.aborted) end();
    const { taskAfterMs } = request;
    const timer =
      taskAfterMs === undefined ? undefined : setTimeout(() => void this.#wantTask(), taskAfterMs);
    try {
      while (!this.#isFinished && this.#questions.length === 0 && this.#wanted === undefined)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      if (this.#wanted !== undefined && !this.#isFinished) return { kind: 'task', hold: this.#wanted.hold };
      if (!this.#isFinished && this.#sent === undefined) await pause(collectMs);
      if (!this.#isFinished && this.#questions.length > 0)
        return { kind: 'questions', questions: this.#send() };
      this.#free();
      return { kind: 'finished', result: await this.#outcome };
    } finally {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', end);
      if (this.#request === request) this.#request = undefined;
    }
  }

  /** What the call ends with, for its task. */
  get outcome(): Promise<DispatchResult> {
    return this.#outcome;
  }

  get cancellation(): Cancellation {
    return this.#cancellation;
  }

  /** From now on the task asks and reports. Undefined: there can be no task, so the request waits for the result. */
  becomeTask(task: ServedTask | undefined): void {
    this.#task = task;
    this.#wanted = undefined;
    for (const tell of this.#onTask.splice(0)) tell(task);
    if (task === undefined) return;
    this.#free();
    for (const { method, params, settle } of this.#questions.splice(0))
      task.ask(method, params).then(settle, () => settle(undefined));
  }

  /** Whether these are the last questions that were sent. Only the client that got them may continue the call. */
  isAbout(id: string): boolean {
    return this.#lastSent === id && (this.#isFinished || this.#sent?.id === id);
  }

  /** Takes the answers to the questions that were sent. Each is answered once. False: there is no answer among them. */
  answer(responses: JsonObject): boolean {
    const answered = [...(this.#sent?.requests ?? [])].flatMap(([key, question]) => {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      return isObject(response) && isAnswer(question.method, response) ? [{ question, response }] : [];
    });
    if (answered.length === 0) return false;
    this.#sent = undefined;
    this.#lastSent = undefined;
    this.#questions = this.#questions.filter((it) => !answered.some(({ question }) => question === it));
    for (const { question, response } of answered) question.settle(response);
    return true;
  }

  /** Cancels the call, because no request will come for it. */
  end(): void {
    this.#cancellation.abort();
    this.#cancelQuestions();
    this.#free();
  }

  #wantTask(hold?: HeldCall): Promise<ServedTask | undefined> {
    const isAllowed = this.#request?.taskAfterMs !== undefined && !this.#isFinished;
    if (this.#task !== undefined || !isAllowed) return Promise.resolve(this.#task);
    return new Promise((resolve) => {
      this.#onTask.push(resolve);
      this.#wanted ??= { hold };
      this.#wake();
    });
  }

  async #askUser(question: JsonObject): Promise<JsonObject> {
    const { shown, mayAsk } = this.#options;
    const params = shown?.(question) ?? question;
    if (!mayAsk()) throw askedTooOften();
    return (await this.#passOn('elicitation/create', params)) ?? { action: 'cancel' };
  }

  async #askClient(method: ClientRequestMethod, params: JsonObject): Promise<JsonObject> {
    const answer = await this.#passOn(method, params);
    if (answer === undefined) throw noClientAnswer(method);
    return answer;
  }

  /** A question that finds no place waits for its turn. Undefined: there is no answer. */
  async #passOn(method: QuestionMethod, params: JsonObject): Promise<JsonObject | undefined> {
    const key = questionKeyIn(params._meta);
    const given = key === undefined ? undefined : this.#takeGiven(method, key);
    if (given !== undefined) return given;
    if (this.#questions.length >= maxQuestions)
      throw new HostError('rate_limited', `the call has ${maxQuestions} open questions already`);
    if (this.#task === undefined) await this.#enter();
    // It may have become a task meanwhile.
    if (this.#task !== undefined) return this.#task.ask(method, params);
    return this.#leave === undefined ? undefined : this.#ask(method, params);
  }

  /** Questions of one call share its place. It has none afterwards if it ended or became a task. */
  async #enter(): Promise<void> {
    if (this.#leave !== undefined || this.#isFinished || this.#cancellation.aborted) return;
    if (this.#entering === undefined) {
      const stop = new Cancellation();
      const done = this.#options.enter(this, stop).then((leave) => {
        this.#entering = undefined;
        if (stop.aborted) leave?.();
        else this.#leave = leave;
      });
      this.#entering = { done, stop };
    }
    await this.#entering.done;
  }

  #ask(method: QuestionMethod, asked: JsonObject): Promise<JsonObject | undefined> {
    const key = questionKeyIn(asked._meta);
    const params = withoutQuestionKey(asked);
    return new Promise((settle) => {
      this.#questions.push({ key, method, params, settle });
      this.#wake();
    });
  }

  /** A server without state gets its answers with the call. Such a client need not be asked first. */
  #takeGiven(method: QuestionMethod, key: string): JsonObject | undefined {
    const answer = this.#given.get(key);
    this.#given.delete(key);
    return isObject(answer) && isAnswer(method, answer) ? answer : undefined;
  }

  /** The time to answer starts when questions are first sent. Sending them again does not extend it. */
  #send(): SentQuestions {
    const { now, waitMs } = this.#options;
    this.#sent ??= {
      id: randomBytes(16).toString('base64url'),
      requests: questionsByKey(this.#questions.slice(0, maxTogether)),
      expiresAt: now() + waitMs,
    };
    const { id, expiresAt } = this.#sent;
    this.#lastSent = id;
    this.#endIn(Math.max(0, expiresAt - now()));
    return this.#sent;
  }

  #endIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), milliseconds);
    this.#timer.unref();
  }

  #cancelQuestions(): void {
    for (const it of this.#questions.splice(0)) it.settle(undefined);
  }

  #free(): void {
    clearTimeout(this.#timer);
    this.#entering?.stop.abort();
    this.#leave?.();
    this.#leave = undefined;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
