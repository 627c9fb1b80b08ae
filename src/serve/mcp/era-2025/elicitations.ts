import type { ClientRequestMethod, Confirmation } from '../../../host/host.js';
import { Cancellation, type CancelSignal } from '../../../model/cancel-signal.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import { withoutQuestionKey } from '../../../model/question-key.js';
import { approvalQuestion, decisionIn } from '../approval-question.js';
import { noClientAnswer } from '../client-requests.js';
import { notification, type RequestId, type RpcResponse } from '../json-rpc.js';
import { type DecisionSource, pageQuestion, waitForDecision } from '../page-question.js';
import { createPlaces, type FreePlace } from '../places.js';
import type { HoldResponse } from '../tool-call.js';

/** Open questions per client. For further held calls the model gets the held-call result instead; servers wait. */
const maxOpen = 8;
const owner = 'client';
/** Time to answer a tool's question. The timeout of the call may end it sooner. */
const toolQuestionMs = 10 * 60_000;

export interface ElicitationsOptions {
  readonly now: () => number;
  /** A random id, so that an answer to a question of an earlier session, or of another host, never fits a new question. */
  readonly newId: () => string;
  readonly approvals: DecisionSource;
  /** How long a held call waits for the decision after the user was sent to its page. */
  readonly pageWaitMs: number;
  /** `about`: the request of the client that the message belongs to. */
  readonly send: (message: JsonObject, about?: RequestId) => void;
}

interface Open {
  /** Id of the held call. Undefined for a tool's own question. */
  readonly approval: string | undefined;
  readonly settle: (answer: Json | undefined) => void;
}

interface QuestionContext {
  readonly about: RequestId;
  readonly signal: CancelSignal;
  /** Milliseconds until the question is withdrawn. */
  readonly timeoutMs: number;
  readonly approval?: string;
  /** Default: `elicitation/create`. */
  readonly method?: string;
}

/** Questions to a 2025 client: to its user (`elicitation/create`), and requests of servers. The call waits for the answer. */
export class Elicitations {
  readonly #options: ElicitationsOptions;
  readonly #open = new Map<RequestId, Open>();
  readonly #places = createPlaces({ perOwner: maxOpen, total: maxOpen });

  constructor(options: ElicitationsOptions) {
    this.#options = options;
  }

  /** Asks the user to approve a held call. Ends with the answer, with the request, or when the held call expires. */
  async askApproval(
    confirmation: Confirmation,
    about: RequestId,
    signal: CancelSignal,
  ): Promise<HoldResponse> {
    const { now, approvals } = this.#options;
    const approval = confirmation.token;
    const free = this.#placeFor(approval, signal);
    if (free === undefined) return { kind: 'not-asked' };
    const timeoutMs = Math.max(0, Date.parse(confirmation.expiresAt) - now());
    const context = { about, signal, timeoutMs, approval };
    const answer = await approvals
      .get(approval)
      .then((held) => this.#ask(approvalQuestion(held), context))
      .finally(free);
    const decision = decisionIn(answer);
    return decision === undefined ? { kind: 'not-asked' } : { kind: 'decided', decision };
  }

  /**
   * Asks the user to open the page of a held call, and waits a while for the decision, which may also be made elsewhere.
   * The client's answer decides nothing.
   */
  async askToOpenPage(
    confirmation: Confirmation,
    about: RequestId,
    signal: CancelSignal,
  ): Promise<HoldResponse> {
    const { now, approvals, pageWaitMs, send } = this.#options;
    const { token: approval, url } = confirmation;
    const free = url === undefined ? undefined : this.#placeFor(approval, signal);
    if (url === undefined || free === undefined) return { kind: 'not-asked' };
    const timeoutMs = Math.max(0, Date.parse(confirmation.expiresAt) - now());
    const ended = new Cancellation();
    const withdrawn = new Cancellation();
    signal.addEventListener('abort', ended.abort.bind(ended));
    ended.addEventListener('abort', () => withdrawn.abort());
    // A decision that cannot be read is not one; the call then reads it itself and fails.
    const decision = waitForDecision(approvals, approval, { timeoutMs, signal: ended }).catch(() => false);
    decision.then((isDecided) => isDecided && withdrawn.abort());
    const question = { ...pageQuestion(confirmation, url), elicitationId: approval };
    const context = { about, signal: withdrawn, timeoutMs, approval };
    const answer = await this.#ask(question, context).finally(free);
    if (!isObject(answer) || answer.action !== 'accept') {
      const isDecided = withdrawn.aborted && !ended.aborted;
      ended.abort();
      return { kind: isDecided ? 'elsewhere' : 'not-asked' };
    }
    const isDecidedInTime = await Promise.race([decision, after(pageWaitMs)]);
    const done = notification('notifications/elicitation/complete', { elicitationId: approval });
    if (isDecidedInTime) send(done, about);
    // Later, the message belongs to no request.
    else decision.then((isDecided) => isDecided && send(done));
    return { kind: 'elsewhere' };
  }

  /** Passes on a tool's question. If too many are open, it waits for its turn. */
  async askForTool(params: JsonObject, about: RequestId, signal: CancelSignal): Promise<JsonObject> {
    const answer = await this.#askInTurn('elicitation/create', params, about, signal);
    return isObject(answer) ? answer : { action: 'cancel' };
  }

  /** Passes on another request of a server. */
  async askClient(
    method: ClientRequestMethod,
    params: JsonObject,
    about: RequestId,
    signal: CancelSignal,
  ): Promise<JsonObject> {
    const answer = await this.#askInTurn(method, params, about, signal);
    if (!isObject(answer)) throw noClientAnswer(method);
    return answer;
  }

  async #askInTurn(
    method: string,
    params: JsonObject,
    about: RequestId,
    signal: CancelSignal,
  ): Promise<Json | undefined> {
    const free = await this.#places.take(owner, signal);
    if (free === undefined) return undefined;
    return this.#ask(params, { about, signal, timeoutMs: toolQuestionMs, method }).finally(free);
  }

  /** A place for the question about a held call. Undefined: there is none now, or the user is asked about it already. */
  #placeFor(approval: string, signal: CancelSignal): FreePlace | undefined {
    const isAsked = [...this.#open.values()].some((it) => it.approval === approval);
    return isAsked || signal.aborted ? undefined : this.#places.takeNow(owner);
  }

  async #ask(
    params: JsonObject,
    { about, signal, timeoutMs, approval, method = 'elicitation/create' }: QuestionContext,
  ): Promise<Json | undefined> {
    const { send, newId } = this.#options;
    const id = `toolwharf-${newId()}`;
    const answer = await new Promise<Json | undefined>((settle) => {
      const withdraw = (reason: string) => {
        send(notification('notifications/cancelled', { requestId: id, reason }), about);
        settle(undefined);
      };
      const timer = setTimeout(() => withdraw('there was no answer in time'), timeoutMs);
      timer.unref();
      const onAbort = () => withdraw('the answer is no longer needed');
      signal.addEventListener('abort', onAbort, { once: true });
      this.#open.set(id, {
        approval,
        settle: (result) => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          settle(result);
        },
      });
      // A server of 2026 gives its page no id, which this era needs.
      const named = params.mode === 'url' && params.elicitationId === undefined ? { elicitationId: id } : {};
      send({ jsonrpc: '2.0', id, method, params: { ...withoutQuestionKey(params), ...named } }, about);
    });
    this.#open.delete(id);
    return answer;
  }

  /** Answers to unknown or closed questions are ignored. */
  receive({ id, result }: RpcResponse): void {
    if (id !== null) this.#open.get(id)?.settle(result);
  }
}

/** False after some time, without keeping the process alive. */
function after(milliseconds: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), milliseconds).unref());
}
