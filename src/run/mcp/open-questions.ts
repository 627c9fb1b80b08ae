import type { JsonObject } from '../../model/json.js';
import { askersKey } from '../../model/question-askers.js';
import type { QuestionHandler } from './server-requests.js';

/** A call that is open at the server, and how its user is asked. */
interface OpenCall {
  /** The tool; undefined for a prompt or resource. */
  readonly tool: string | undefined;
  readonly ask: NonNullable<QuestionHandler>;
  /** Resolves when the call has ended. */
  readonly ended: Promise<'ended'>;
  pending: number;
}

/**
 * The open calls of one connection. A server of the 2025 era does not say which call a question belongs to. All calls of a
 * connection are of the same client, so its user is asked through any of them.
 */
export class OpenQuestions {
  readonly #calls = new Set<OpenCall>();

  /** Registers a call that can ask its user. Returns a function to call when it has ended. */
  enter(tool: string | undefined, ask: QuestionHandler): () => void {
    if (ask === undefined) return () => {};
    let end: () => void = () => {};
    const ended = new Promise<'ended'>((resolve) => {
      end = () => resolve('ended');
    });
    const call: OpenCall = { tool, ask, ended, pending: 0 };
    this.#calls.add(call);
    return () => {
      this.#calls.delete(call);
      end();
    };
  }

  /**
   * How a question of the server is asked now; undefined if no open call can ask. If the call ends before the answer, the
   * question was of another one and is asked again there.
   */
  get ask(): QuestionHandler {
    if (this.#calls.size === 0) return undefined;
    return async (question) => {
      for (let call = this.#next(); call !== undefined; call = this.#next()) {
        call.pending++;
        try {
          const answer = await Promise.race([call.ask(this.#attributed(question)), call.ended]);
          if (answer !== 'ended') return answer;
        } finally {
          call.pending--;
        }
      }
      return { action: 'cancel' };
    };
  }

  /** The newest call with the fewest questions: the others may have asked theirs already. */
  #next(): OpenCall | undefined {
    const calls = [...this.#calls].reverse();
    return calls.sort((a, b) => a.pending - b.pending)[0];
  }

  #attributed({ _meta, ...question }: JsonObject): JsonObject {
    const tools = new Set([...this.#calls].map((it) => it.tool ?? ''));
    return tools.size === 1 ? question : { ...question, _meta: { [askersKey]: [...tools] } };
  }
}
