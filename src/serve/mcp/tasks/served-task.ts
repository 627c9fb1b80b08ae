import type { Progress, RunningTask, TaskCall } from '../../../host/host.js';
import { Cancellation, type CancelSignal } from '../../../model/cancel-signal.js';
import { callCanceled } from '../../../model/host-error.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import { withoutQuestionKey } from '../../../model/question-key.js';
import { approvalQuestion, decisionIn } from '../approval-question.js';
import { isAnswer, type QuestionMethod } from '../keyed-questions.js';
import { pageQuestion, waitForDecision } from '../page-question.js';
import { createPlaces } from '../places.js';
import type { McpServerOptions } from '../server-options.js';
import type { HeldCall, HoldResponse } from '../tool-call.js';
import { errorResult } from '../tool-mapping.js';

/** How the user of the client is asked about a held call. Null: not at all. */
export type ApprovalWay = 'form' | 'page' | null;

export interface ServedTaskOptions extends Pick<McpServerOptions, 'tasks' | 'approvals' | 'now' | 'newId'> {
  readonly id: string;
  readonly cancellation: Cancellation;
  /** Whether the call is held already. */
  readonly isHeld: boolean;
  readonly errorOf: (error: unknown) => { readonly code: number; readonly message: string };
}

/** Open questions of one task. Others wait for their turn. */
const maxQuestions = 8;
/** How long a finished task is kept. */
export const keptMs = 3_600_000;
/** Characters of a result as JSON. */
const maxResult = 8 * 1024 * 1024;

interface OpenQuestion {
  readonly request: { readonly method: QuestionMethod; readonly params: JsonObject };
  readonly settle: (answer: JsonObject | undefined) => void;
}

/** A task whose call runs in this process: its questions, its progress and its end. */
export class ServedTask implements TaskCall {
  readonly #options: ServedTaskOptions;
  readonly #questions = new Map<string, OpenQuestion>();
  readonly #places = createPlaces({ perOwner: maxQuestions, total: maxQuestions });
  /** Aborted when nobody needs an answer anymore. */
  readonly #ended = new Cancellation();
  readonly #running: RunningTask;
  #isHeld: boolean;
  #isLeft = false;
  message = '';
  updatedAt: number;

  constructor(options: ServedTaskOptions) {
    this.#options = options;
    this.#isHeld = options.isHeld;
    this.updatedAt = options.now();
    this.#running = options.tasks.startCall(options.id, this);
  }

  get id(): string {
    return this.#options.id;
  }

  get signal(): CancelSignal {
    return this.#options.cancellation;
  }

  get inputRequests(): JsonObject {
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]));
  }

  /** Only answers to open questions count. A question is answered once. */
  answer(responses: JsonObject): void {
    for (const [key, response] of Object.entries(responses)) {
      const question = this.#questions.get(key);
      if (question === undefined || !isObject(response) || !isAnswer(question.request.method, response))
        continue;
      this.#questions.delete(key);
      question.settle(response);
    }
    this.#changed();
  }

  dismiss(key: string): void {
    const question = this.#questions.get(key);
    this.#questions.delete(key);
    question?.settle(undefined);
    this.#changed();
  }

  /** Ends the call and with it the tool's process. */
  cancel(): void {
    this.#options.cancellation.abort();
    this.#dropQuestions();
  }

  /** The client is gone. A held call stays held; another one ends. */
  async leave(): Promise<void> {
    this.#isLeft = true;
    const { tasks, now } = this.#options;
    const message = 'the client disconnected';
    // Stored at once, because the host may close now.
    const stored = this.#isHeld
      ? undefined
      : tasks.change(this.id, { state: 'cancelled', message, expiresAt: now() + keptMs });
    this.cancel();
    await stored;
  }

  report({ message }: Progress): void {
    if (message === undefined || message === this.message) return;
    this.message = message;
    this.#changed();
  }

  /** Passes a question of the tool on to the client. Undefined: there is no answer. */
  async ask(method: QuestionMethod, params: JsonObject): Promise<JsonObject | undefined> {
    if (this.signal.aborted) return undefined;
    const free = await this.#places.take(this.id, this.#ended);
    if (free === undefined) return undefined;
    const answer = await this.#ask(`question-${this.#options.newId()}`, method, params);
    free();
    return answer;
  }

  /** Waits for the decision on a held call: at this client, if it may decide, or elsewhere. */
  async decision({ confirmation, isInnerCall }: HeldCall, way: ApprovalWay): Promise<HoldResponse> {
    const { approvals, now, tasks } = this.#options;
    const { token: approval, expiresAt, url } = confirmation;
    const question =
      way === 'page'
        ? pageQuestion(confirmation, url ?? '')
        : approvalQuestion(await approvals.get(approval));
    const key = `approval-${approval}`;
    const asked = way === null ? undefined : this.#ask(key, 'elicitation/create', question).then(decisionIn);
    // A call that made the held call itself cannot go on after a restart of the host.
    this.#isHeld = !isInnerCall;
    if (!isInnerCall)
      await tasks.change(this.id, {
        ...{ state: 'held', approval, message: heldMessage(confirmation) },
        expiresAt: Date.parse(expiresAt) + keptMs,
      });
    this.message = heldMessage(confirmation);
    this.#changed();
    const timeoutMs = Math.max(0, Date.parse(expiresAt) - now());
    const elsewhere = waitForDecision(approvals, approval, { timeoutMs, signal: this.signal }).then(
      () => undefined,
    );
    // The answer to the question for the page decides nothing.
    const decision =
      way === 'form' && asked !== undefined ? await Promise.race([asked, elsewhere]) : await elsewhere;
    if (this.signal.aborted) throw callCanceled();
    this.#questions.delete(key);
    this.message = '';
    this.#isHeld = false;
    if (!isInnerCall) await tasks.change(this.id, { state: 'working', approval: null, message: '' });
    return decision === undefined ? { kind: 'elsewhere' } : { kind: 'decided', decision };
  }

  /** Stores how the call ended. `result`: what the client would have got without a task. */
  async finish(result: Promise<JsonObject>): Promise<void> {
    const { tasks, now, errorOf } = this.#options;
    const end = await result.then(endOf, (error: unknown) => {
      const { code, message } = errorOf(error);
      return failedTask(code, message);
    });
    this.#dropQuestions();
    const canceled = { state: 'cancelled', outcome: null, message: 'the task was canceled' } as const;
    try {
      if (this.#isLeft) return;
      await tasks.change(this.id, {
        ...(this.signal.aborted ? canceled : end),
        ...{ approval: null, expiresAt: now() + keptMs },
      });
    } finally {
      this.#running.end();
    }
  }

  #ask(key: string, method: QuestionMethod, params: JsonObject): Promise<JsonObject | undefined> {
    return new Promise((settle) => {
      this.#questions.set(key, { request: { method, params: withoutQuestionKey(params) }, settle });
      this.#changed();
    });
  }

  #dropQuestions(): void {
    this.#ended.abort();
    for (const { settle } of this.#questions.values()) settle(undefined);
    this.#questions.clear();
  }

  #changed(): void {
    this.updatedAt = this.#options.now();
    this.#running.changed();
  }
}

export function heldMessage({ tool, token, url, expiresAt }: HeldCall['confirmation']): string {
  const place = url === undefined ? '' : `, on the page ${url},`;
  return `The call of ${tool} is held until ${expiresAt}. A person decides${place} or with: toolwharf approvals approve ${token}`;
}

/** A failure of the tool is a result too. Only a fault of the protocol makes the task fail. */
function endOf(result: JsonObject) {
  const meta = isObject(result._meta) ? result._meta : {};
  if (meta['toolwharf/code'] === 'upstream_failed') return failedTask(-32603, textIn(result));
  const outcome = JSON.stringify(result);
  const text = `The result has ${outcome.length} characters. A task keeps at most ${maxResult}.`;
  const kept =
    outcome.length <= maxResult
      ? outcome
      : JSON.stringify({
          resultType: 'complete',
          ...errorResult(text, { 'toolwharf/code': 'tool_bad_output' }),
        });
  return { state: 'completed', outcome: kept, message: '' } as const;
}

function failedTask(code: number, message: string) {
  return { state: 'failed', outcome: JSON.stringify({ code, message }), message } as const;
}

function textIn({ content }: JsonObject): string {
  const [part] = Array.isArray(content) ? content : [];
  return isObject(part) && typeof part.text === 'string' ? part.text : 'the server of the tool failed';
}
