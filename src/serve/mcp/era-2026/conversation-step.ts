import type { JsonObject } from '../../../model/json.js';
import type { DispatchResult } from '../dispatch.js';
import type { QuestionMethod } from '../keyed-questions.js';
import type { HeldCall } from '../tool-call.js';

/** What a waiting request gets: the next questions, or the result of the call. */
export type ConversationStep =
  | { readonly kind: 'questions'; readonly questions: SentQuestions }
  | { readonly kind: 'task'; readonly hold: HeldCall | undefined }
  | { readonly kind: 'finished'; readonly result: DispatchResult };

/** Questions that were sent to the client together. */
export interface SentQuestions {
  readonly id: string;
  /** By the key under which the client answers. */
  readonly requests: ReadonlyMap<string, Pick<PendingQuestion, 'method' | 'params'>>;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A question of the tool that has no answer yet. */
export interface PendingQuestion {
  /** The key of the server; undefined: it chose none. */
  readonly key: string | undefined;
  readonly method: QuestionMethod;
  readonly params: JsonObject;
  /** Undefined: there will be no answer. */
  readonly settle: (answer: JsonObject | undefined) => void;
}
