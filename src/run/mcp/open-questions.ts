import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import { LiveMap } from '../../model/live-map.js';
import { askersKey } from '../../model/question-askers.js';
import type { AskedClient, ClientRequestMethod, ClientRequests } from '../run.js';
import type { QuestionHandler } from './server-requests.js';

/** A call that is open at the server, and how its user is asked. */
interface OpenCall {
  /** The tool; undefined for a prompt or resource. */
  readonly tool: string | undefined;
  readonly ask: QuestionHandler;
  readonly requests: ClientRequests | undefined;
  /** Resolves when the call has ended. */
  readonly ended: Promise<'ended'>;
  pending: number;
}

/**
 * The open calls of one connection. A server of the 2025 era does not say which call a question belongs to. All calls of a
 * connection are of the same client, so its user is asked through any of them.
 */
export class OpenQuestions {
  readonly #calls = new LiveMap<OpenCall, true>();

  /** Registers a call that can ask its user. Returns a function to call when it has ended. */
  enter(tool: string | undefined, { onAsk: ask, clientRequests: requests }: AskedClient): () => void {
    if (ask === undefined && requests === undefined) return () => {};
    let end: () => void = () => {};
    const ended = new Promise<'ended'>((resolve) => {
      end = () => resolve('ended');
    });
    const call: OpenCall = { tool, ask, requests, ended, pending: 0 };
    this.#calls.set(call, true);
    return () => {
      this.#calls.delete(call);
      end();
    };
  }

  /**
   * How a question of the server is asked now; undefined if no open call can ask. If the call ends before the answer, the
   * question was of another one and is asked again there.
   */
  get client(): AskedClient {
    return { onAsk: this.#ask, clientRequests: this.#requests };
  }

  get #ask(): QuestionHandler {
    if (this.#next() === undefined) return undefined;
    return async (question) => {
      for (let call = this.#next(); call !== undefined; call = this.#next()) {
        call.pending++;
        try {
          const answer = await Promise.race([call.ask?.(this.#attributed(question)), call.ended]);
          if (answer !== 'ended' && !this.#wasWithdrawn(call, answer)) return answer ?? { action: 'cancel' };
        } finally {
          call.pending--;
        }
      }
      return { action: 'cancel' };
    };
  }

  /** The end of its call withdraws a question: the user did not answer it. */
  #wasWithdrawn(call: OpenCall, answer: JsonObject | undefined): boolean {
    return answer?.action === 'cancel' && !this.#calls.has(call);
  }

  /** Of the newest call whose client can answer. */
  get #requests(): ClientRequests | undefined {
    const newest = this.#newest()?.requests;
    if (newest === undefined) return undefined;
    const { capabilities } = newest;
    return { capabilities, send: (method, params) => this.#send(method, params) };
  }

  async #send(method: ClientRequestMethod, params: JsonObject): Promise<JsonObject> {
    for (let call = this.#newest(); call?.requests !== undefined; call = this.#newest()) {
      try {
        const answer = await Promise.race([call.requests.send(method, params), call.ended]);
        if (answer !== 'ended') return answer;
      } catch (error) {
        // The end of its call withdraws a request too.
        if (this.#calls.has(call)) throw error;
      }
    }
    throw new HostError('canceled', 'the call that this belongs to has ended');
  }

  /** The newest call whose client can answer more than questions. */
  #newest(): OpenCall | undefined {
    return this.#calls
      .keys()
      .reverse()
      .find((it) => it.requests !== undefined);
  }

  /** The newest call with the fewest questions: the others may have asked theirs already. */
  #next(): OpenCall | undefined {
    const calls = this.#calls
      .keys()
      .filter((it) => it.ask !== undefined)
      .reverse();
    return calls.sort((a, b) => a.pending - b.pending)[0];
  }

  #attributed({ _meta, ...question }: JsonObject): JsonObject {
    const tools = new Set(this.#calls.keys().map((it) => it.tool ?? ''));
    return tools.size === 1 ? question : { ...question, _meta: { [askersKey]: [...tools] } };
  }
}
