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
          if (answer !== 'ended') return answer ?? { action: 'cancel' };
        } finally {
          call.pending--;
        }
      }
      return { action: 'cancel' };
    };
  }

  /** The newest call whose client can answer. All calls of a connection are of the same client. */
  get #requests(): ClientRequests | undefined {
    const [call] = this.#calls
      .keys()
      .filter((it) => it.requests !== undefined)
      .reverse();
    if (call?.requests === undefined) return undefined;
    const { requests, ended } = call;
    return {
      capabilities: requests.capabilities,
      async send(method: ClientRequestMethod, params: JsonObject) {
        const answer = await Promise.race([requests.send(method, params), ended]);
        if (answer === 'ended') throw new HostError('canceled', 'the call that this belongs to has ended');
        return answer;
      },
    };
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
