import { randomBytes } from 'node:crypto';
import type { Progress } from '../../../host/host.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { type Signal, Stop } from '../../../model/signal.js';
import type { Answered } from '../dispatch.js';

/** What a request that waits for a call gets. */
export type Step =
  | { readonly kind: 'question'; readonly question: Asking }
  | { readonly kind: 'answered'; readonly answered: Answered };

/** A question that is out. */
export interface Asking {
  readonly id: string;
  readonly params: JsonObject;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

interface Open extends Omit<Asking, 'expiresAt'> {
  /** Undefined until a client was asked it. */
  expiresAt?: number;
  readonly settle: (answer: JsonObject) => void;
}

/** The request that waits for the call now. */
interface Rider {
  readonly signal: Signal;
  readonly onProgress: (progress: Progress) => void;
}

/** What a call is made with. */
export interface CallerSide {
  readonly signal: Signal;
  readonly onAsk: (question: JsonObject) => Promise<JsonObject>;
  readonly onProgress: (progress: Progress) => void;
}

export interface ConversationOptions {
  readonly now: () => number;
  /** How long a question waits for the client. */
  readonly waitMs: number;
  /** How long what a call came to meanwhile does. */
  readonly keptMs: number;
  /** Whether the person may be asked once more. */
  readonly mayAsk: () => boolean;
  /** Takes a place among those that outlive their request; undefined when all are taken. */
  readonly enter: (conversation: Conversation) => (() => void) | undefined;
}

/** Questions of one call at the same time; they are put one after the other. */
const maxQuestions = 8;

/**
 * One call and the requests that come for it, one after the other: where its tool asks something, the request that waits is
 * answered with the question, and the next one brings the answer. In between nobody waits, so the time is bounded here.
 */
export class Conversation {
  readonly #options: ConversationOptions;
  readonly #stop = new Stop();
  readonly #outcome: Promise<Answered>;
  #questions: Open[] = [];
  #last: string | undefined;
  #isOver = false;
  #rider: Rider | undefined;
  #leave: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: () => void = () => {};

  constructor(call: (side: CallerSide) => Promise<Answered>, options: ConversationOptions) {
    this.#options = options;
    this.#outcome = call({
      signal: this.#stop,
      onAsk: (question) => this.#ask(question),
      onProgress: (progress) => this.#rider?.onProgress(progress),
    });
    const over = () => {
      this.#isOver = true;
      this.#drop();
      // Somebody may still come with an answer, and is told what it was for nothing.
      if (this.#rider === undefined) this.#endIn(options.keptMs);
      this.#wake();
    };
    this.#outcome.then(over, over);
  }

  /** The next question, or what the call came to. The call is given up with the request that waits for it. */
  async next(rider: Rider): Promise<Step> {
    clearTimeout(this.#timer);
    this.#rider = rider;
    const giveUp = () => this.end();
    rider.signal.addEventListener('abort', giveUp, { once: true });
    if (rider.signal.aborted) giveUp();
    try {
      while (!this.#isOver && this.#questions.length === 0)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      const [question] = this.#questions;
      if (question !== undefined && !this.#isOver)
        return { kind: 'question', question: this.#putOut(question) };
      this.#free();
      return { kind: 'answered', answered: await this.#outcome };
    } finally {
      rider.signal.removeEventListener('abort', giveUp);
      if (this.#rider === rider) this.#rider = undefined;
    }
  }

  /** Whether this is the question that a client was last asked: what came of it since is for whoever can answer it. */
  isAbout(question: string): boolean {
    return this.#last === question && (this.#isOver || this.#questions[0]?.id === question);
  }

  /** The first answer to a question is the one. */
  answer(answer: JsonObject): void {
    this.#last = undefined;
    this.#questions.shift()?.settle(answer);
  }

  /** Nobody comes back for it. */
  end(): void {
    this.#stop.abort();
    this.#drop();
    this.#free();
  }

  #ask(params: JsonObject): Promise<JsonObject> {
    const { mayAsk, enter } = this.#options;
    const declined = Promise.resolve({ action: 'decline' });
    if (this.#stop.aborted || this.#questions.length >= maxQuestions || !mayAsk()) return declined;
    this.#leave ??= enter(this);
    if (this.#leave === undefined) return declined;
    return new Promise((settle) => {
      const id = randomBytes(16).toString('base64url');
      this.#questions.push({ id, params, settle });
      this.#wake();
    });
  }

  /** Its time begins when a client gets it first; being asked again makes it no longer. */
  #putOut(question: Open): Asking {
    const { now, waitMs } = this.#options;
    const { id, params } = question;
    question.expiresAt ??= now() + waitMs;
    const { expiresAt } = question;
    this.#last = id;
    this.#endIn(Math.max(0, expiresAt - now()));
    return { id, params, expiresAt };
  }

  #endIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), milliseconds);
    this.#timer.unref();
  }

  #drop(): void {
    for (const it of this.#questions.splice(0)) it.settle({ action: 'cancel' });
  }

  #free(): void {
    clearTimeout(this.#timer);
    this.#leave?.();
    this.#leave = undefined;
  }
}

/** An answer to a question of a tool; undefined where it is none. */
export function answerIn(given: Json | undefined): JsonObject | undefined {
  if (!isObject(given)) return undefined;
  return ['accept', 'decline', 'cancel'].includes(given.action as string) ? given : undefined;
}
