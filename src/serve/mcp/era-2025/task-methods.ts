import type { ClientRequests } from '../../../host/host.js';
import { Cancellation, type CancelSignal } from '../../../model/cancel-signal.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import { isEnded, type StoredTask } from '../../../model/stored-task.js';
import { methodNotFound } from '../../../wire/rpc-code.js';
import { askedTooOften } from '../approval-question.js';
import { noClientAnswer } from '../client-requests.js';
import type { Dispatch } from '../dispatch.js';
import { invalidParams, RpcError } from '../json-rpc.js';
import type { QuestionMethod } from '../keyed-questions.js';
import type { ApprovalWay, ServedTask } from '../tasks/served-task.js';
import { resultOf, type TaskService } from '../tasks/task-service.js';
import { outcomeOf, taskOf2025 } from '../tasks/task-view.js';
import { type HeldCall, readCallParams } from '../tool-call.js';

/** What `initialize` says about tasks. */
export const offeredTasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** Whether a request may have to do with tasks. */
export function isAboutTasks(method: string, { task }: JsonObject): boolean {
  return method.startsWith('tasks/') || (method === 'tools/call' && isObject(task));
}

const relatedTask = 'io.modelcontextprotocol/related-task';

export interface TaskCaller {
  readonly mayAsk: boolean;
  /** What else the client can answer; undefined: nothing. */
  readonly requestsOf: (send: ClientRequests['send']) => ClientRequests | undefined;
  readonly wayOf: (hold: HeldCall) => ApprovalWay;
}

export interface ResultWaiter {
  readonly signal: CancelSignal;
  /** Sends a question to the client, on the stream of this request. Rejects if it gives no answer. */
  readonly ask: (method: QuestionMethod, question: JsonObject) => Promise<JsonObject>;
}

/** The experimental tasks of revision 2025-11-25. The client decides which call is a task. */
export class TaskMethods2025 {
  readonly #dispatch: Dispatch;
  readonly #tasks: TaskService;
  readonly #sessionName: string | undefined;

  constructor(dispatch: Dispatch, tasks: TaskService, sessionName: string | undefined) {
    this.#dispatch = dispatch;
    this.#tasks = tasks;
    this.#sessionName = sessionName;
  }

  /** `tools/call` with `task`: answers with the task, and makes the call. */
  async call(params: JsonObject, { mayAsk, requestsOf, wayOf }: TaskCaller): Promise<JsonObject> {
    const { name } = readCallParams(params);
    const execution = (await this.#dispatch.executionOf(name)) ?? {};
    if (execution.taskSupport !== 'optional' && execution.taskSupport !== 'required')
      throw new RpcError(methodNotFound, `the tool ${JSON.stringify(name)} does not run as a task`);
    const cancellation = new Cancellation();
    const started = await this.#tasks.start({ tool: name, sessionName: this.#sessionName, cancellation });
    if (started === undefined)
      throw new RpcError(-32603, 'too many unfinished tasks; wait until some have ended');
    const { task, stored } = started;
    const call = this.#dispatch.answer({
      ...{ method: 'tools/call', params, shape: 'objects', signal: cancellation },
      sessionName: this.#sessionName,
      onProgress: (progress) => task.report(progress),
      onAsk: mayAsk ? (question) => this.#askUser(task, question) : undefined,
      clientRequests: requestsOf(async (method, request) => {
        const answer = await task.ask(method, request);
        if (answer === undefined) throw noClientAnswer(method);
        return answer;
      }),
      onHeld: (hold) => task.decision(hold, wayOf(hold)),
    });
    this.#tasks.follow(task, call.then(resultOf));
    return { task: this.#view(stored) };
  }

  async #askUser(task: ServedTask, question: JsonObject): Promise<JsonObject> {
    if (!this.#dispatch.questionLimit.take()) throw askedTooOften();
    return (await task.ask('elicitation/create', question)) ?? { action: 'cancel' };
  }

  /** Undefined for a method that is not about tasks. */
  async answer(method: string, params: JsonObject, waiter: ResultWaiter): Promise<JsonObject | undefined> {
    switch (method) {
      case 'tasks/list':
        return { tasks: await Promise.all((await this.#tasks.list()).map((it) => this.#shown(it))) };
      case 'tasks/get':
        return this.#shown(await this.#find(params));
      case 'tasks/cancel': {
        const task = await this.#find(params);
        if (isEnded(task)) throw new RpcError(invalidParams, `the task has ended: it is ${task.state}`);
        await this.#tasks.cancel(task);
        return this.#shown(await this.#find(params));
      }
      case 'tasks/result':
        return this.#result(await this.#find(params), params, waiter);
      default:
        return undefined;
    }
  }

  /** Waits for the end. Questions of the task are asked on the stream of this request. */
  async #result(found: StoredTask, params: JsonObject, waiter: ResultWaiter): Promise<JsonObject> {
    const { tasks } = this.#dispatch.options;
    const meta = { [relatedTask]: { taskId: found.id } };
    const asked = new Set<string>();
    let wake = () => {};
    const stop = tasks.onChange((id) => id === found.id && wake());
    const onAbort = () => wake();
    waiter.signal.addEventListener('abort', onAbort);
    try {
      for (;;) {
        const changed = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const task = await this.#find(params);
        if (isEnded(task)) {
          await this.#tasks.shown(task, { result: outcomeOf(task) }, this.#sessionName);
          return withMeta(endOf(task), meta);
        }
        if (waiter.signal.aborted) return {};
        const call = tasks.runningCall(task.id);
        const inputRequests = call?.inputRequests ?? {};
        await this.#tasks.shown(task, { inputRequests }, this.#sessionName);
        for (const [key, request] of Object.entries(inputRequests)) {
          if (asked.has(key) || !isObject(request) || !isObject(request.params)) continue;
          asked.add(key);
          const method = request.method as QuestionMethod;
          // If this request ended meanwhile, the next one for the result asks again.
          waiter.ask(method, withMeta(request.params, meta)).then(
            (answer) => waiter.signal.aborted || call?.answer({ [key]: answer }),
            // A question to the user stays open for a client that can show it.
            () => waiter.signal.aborted || method === 'elicitation/create' || call?.dismiss(key),
          );
        }
        await changed;
      }
    } finally {
      stop();
      waiter.signal.removeEventListener('abort', onAbort);
    }
  }

  #find({ taskId }: JsonObject): Promise<StoredTask> {
    return this.#tasks.find(taskId, 'objects', this.#sessionName);
  }

  #shown(task: StoredTask): Promise<JsonObject> {
    return this.#tasks.shown(task, this.#view(task), this.#sessionName);
  }

  #view(task: StoredTask): JsonObject {
    return taskOf2025(task, this.#dispatch.options.tasks.runningCall(task.id));
  }
}

function endOf(task: StoredTask): JsonObject {
  const { state, message } = task;
  const value = outcomeOf(task);
  if (state === 'completed') return value;
  if (state === 'cancelled') throw new RpcError(-32603, message);
  const { code, message: text } = value;
  throw new RpcError(typeof code === 'number' ? code : -32603, typeof text === 'string' ? text : message);
}

function withMeta(result: JsonObject, meta: JsonObject): JsonObject {
  return { ...result, _meta: { ...(isObject(result._meta) ? result._meta : {}), ...meta } };
}
