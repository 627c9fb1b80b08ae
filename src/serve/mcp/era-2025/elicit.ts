import type { Confirmation } from '../../../host/host.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import type { Signal } from '../../../model/signal.js';
import type { Held } from '../calls.js';
import { decisionIn, question } from '../hold.js';
import { notification, type RequestId, type Response } from '../message.js';

/** Questions that may be open at one client. Further held calls are told to the model instead. */
const maxOpen = 8;
/** How long a person may take over what a tool asks; the call's own time ends it sooner. */
const passedMs = 10 * 60_000;

export interface QuestionsOptions {
  readonly now: () => number;
  readonly send: (message: JsonObject, about: RequestId) => void;
}

interface Open {
  /** Of the held call that it is about; absent where a tool asks for itself. */
  readonly approval: string | undefined;
  readonly settle: (answer: Json | undefined) => void;
}

interface Put {
  readonly about: RequestId;
  readonly signal: Signal;
  /** Milliseconds until nobody waits for the answer any more. */
  readonly left: number;
  readonly approval?: string;
}

/** Questions to the person at a 2025 client; the call waits for the answer. */
export class Questions {
  readonly #options: QuestionsOptions;
  readonly #open = new Map<RequestId, Open>();
  #count = 0;

  constructor(options: QuestionsOptions) {
    this.#options = options;
  }

  /** Ends with the answer, with the request it is about, or when the held call runs out. */
  async ask(confirmation: Confirmation, about: RequestId, signal: Signal): Promise<Held> {
    const { now } = this.#options;
    const approval = confirmation.token;
    const asked = [...this.#open.values()].some((it) => it.approval === approval);
    if (asked || this.#open.size >= maxOpen || signal.aborted) return { kind: 'told' };
    const left = Math.max(0, Date.parse(confirmation.expiresAt) - now());
    const answer = await this.#put(question(confirmation), { about, signal, left, approval });
    const decision = decisionIn(answer);
    return decision === undefined ? { kind: 'told' } : { kind: 'decided', decision };
  }

  /** Passes on what a tool asks; declined where too much is open. */
  async pass(params: JsonObject, about: RequestId, signal: Signal): Promise<JsonObject> {
    if (this.#open.size >= maxOpen || signal.aborted) return { action: 'decline' };
    const answer = await this.#put(params, { about, signal, left: passedMs });
    return isObject(answer) ? answer : { action: 'cancel' };
  }

  async #put(params: JsonObject, { about, signal, left, approval }: Put): Promise<Json | undefined> {
    const { send } = this.#options;
    this.#count++;
    const id = `toolwharf-${this.#count}`;
    const answer = await new Promise<Json | undefined>((settle) => {
      const giveUp = (reason: string) => {
        send(notification('notifications/cancelled', { requestId: id, reason }), about);
        settle(undefined);
      };
      const timer = setTimeout(() => giveUp('nobody decided in time'), left);
      timer.unref();
      const onAbort = () => giveUp('the call was given up');
      signal.addEventListener('abort', onAbort, { once: true });
      this.#open.set(id, {
        approval,
        settle: (given) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          settle(given);
        },
      });
      send({ jsonrpc: '2.0', id, method: 'elicitation/create', params }, about);
    });
    this.#open.delete(id);
    return answer;
  }

  /** Answers to questions that were never put, or are no longer open, change nothing. */
  receive({ id, result }: Response): void {
    if (id !== null) this.#open.get(id)?.settle(result);
  }
}
