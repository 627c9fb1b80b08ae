import { sha256 } from '../../../files/sha256.js';
import { Cancellation } from '../../../model/cancel-signal.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import type { StoredTask } from '../../../model/stored-task.js';
import { isEnded } from '../../../model/stored-task.js';
import type { ResultShape } from '../content-parts.js';
import type { Dispatch } from '../dispatch.js';
import { invalidParams, RpcError } from '../json-rpc.js';
import type { HeldCall } from '../tool-call.js';
import { heldMessage, keptMs, ServedTask } from './served-task.js';

/** How long an unfinished task is kept. Calls end much sooner, by their own timeout. */
const unfinishedMs = 24 * 3_600_000;

/** Tasks of other sessions whose last text is remembered. */
const maxNoted = 1000;

/** The longest time of a timer. */
const maxTimer = 2 ** 31 - 1;

export interface TaskStart {
  readonly tool: string;
  /** The session whose call it is. Undefined: that of the host session. */
  readonly sessionName: string | undefined;
  readonly cancellation: Cancellation;
  /** The call is held already. */
  readonly hold?: HeldCall | undefined;
}

/** Tasks of one caller, for both eras. */
export class TaskService {
  readonly #dispatch: Dispatch;
  readonly #own = new Set<ServedTask>();
  /** By session and task: the digest of what was noted last. */
  readonly #noted = new Map<string, string>();

  constructor(dispatch: Dispatch) {
    this.#dispatch = dispatch;
  }

  /** On disk when it resolves. Undefined: there are too many; the client then waits for the answer. */
  async start({
    tool,
    sessionName,
    cancellation,
    hold,
  }: TaskStart): Promise<{ task: ServedTask; stored: StoredTask } | undefined> {
    const { tasks, newId, principal, now } = this.#dispatch.options;
    const isHeld = hold?.isInnerCall === false;
    const stored = await tasks.create({
      ...{
        id: `${newId()}.${this.#markOf(sessionName)}`,
        principal,
        tool,
        state: isHeld ? 'held' : 'working',
      },
      message: hold === undefined ? '' : heldMessage(hold.confirmation),
      approval: isHeld ? hold.confirmation.token : null,
      expiresAt: isHeld ? Date.parse(hold.confirmation.expiresAt) + keptMs : now() + unfinishedMs,
    });
    return stored && { task: this.#serve(stored.id, cancellation, isHeld), stored };
  }

  /** Stores the end of the call when it comes. */
  follow(task: ServedTask, result: Promise<JsonObject>): void {
    task
      .finish(result)
      .catch((error: unknown) => this.#failed(error))
      .finally(() => this.#own.delete(task));
  }

  /** The task of this principal. A task of another one looks like one that does not exist. */
  async find(
    taskId: Json | undefined,
    shape: ResultShape,
    sessionName: string | undefined,
  ): Promise<StoredTask> {
    const { tasks, principal } = this.#dispatch.options;
    const task = typeof taskId === 'string' ? await tasks.get(taskId, principal) : undefined;
    if (task === undefined) throw new RpcError(invalidParams, 'the task is not known or has expired');
    if (task.state === 'held') this.#goOn(task, shape, sessionName);
    return task;
  }

  /**
   * What a session is shown of a task. What another session's task says is noted first: otherwise a session could read through
   * another one what its own calls do not show.
   */
  async shown<T extends JsonObject>(
    { id, tool }: Pick<StoredTask, 'id' | 'tool'>,
    view: T,
    sessionName: string | undefined,
  ): Promise<T> {
    if (id.endsWith(`.${this.#markOf(sessionName)}`)) return view;
    const { statusMessage, inputRequests, result, error } = view;
    const content = [statusMessage, inputRequests, result, error].filter((it) => it !== undefined);
    const key = `${this.#markOf(sessionName)} ${id}`;
    const digest = sha256(JSON.stringify(content));
    if (content.length === 0 || this.#noted.get(key) === digest) return view;
    await this.#dispatch.note(sessionName, tool, content);
    // A client asks again and again: the same text is noted once.
    this.#noted.set(key, digest);
    if (this.#noted.size > maxNoted) this.#noted.delete(this.#noted.keys().next().value as string);
    return view;
  }

  async list(): Promise<readonly StoredTask[]> {
    return this.#dispatch.options.tasks.list(this.#dispatch.options.principal);
  }

  /** Nothing happens to a task that has ended. */
  async cancel(task: StoredTask): Promise<void> {
    const { tasks, now } = this.#dispatch.options;
    const change = { state: 'cancelled', message: 'the task was canceled', approval: null } as const;
    if (!isEnded(task)) await tasks.change(task.id, { ...change, expiresAt: now() + keptMs });
    tasks.runningCall(task.id)?.cancel();
  }

  answer(task: StoredTask, responses: Json | undefined): void {
    if (!isObject(responses))
      throw new RpcError(invalidParams, 'tasks/update needs "inputResponses": an object');
    this.#dispatch.options.tasks.runningCall(task.id)?.answer(responses);
  }

  /** The client is gone: its calls end. Held calls stay held, and go on when the client asks for them again. */
  close(): void {
    for (const task of this.#own) task.leave().catch((error: unknown) => this.#failed(error));
  }

  /** A task that was held when its host or its connection ended. */
  #goOn(
    { id, tool, approval, expiresAt }: StoredTask,
    shape: ResultShape,
    sessionName: string | undefined,
  ): void {
    const { options } = this.#dispatch;
    if (approval === null || options.tasks.runningCall(id) !== undefined) return;
    const cancellation = new Cancellation();
    const waitMs = Math.min(maxTimer, Math.max(1, expiresAt - keptMs - options.now()));
    const task = this.#serve(id, cancellation, true);
    const call = this.#dispatch.answer({
      ...{ method: 'tools/call', params: { name: tool, arguments: {} }, shape, signal: cancellation },
      sessionName,
      resumed: { approval, isInnerCall: false, decision: 'elsewhere', waitMs },
      onHeld: async () => ({ kind: 'not-asked' }),
      onProgress: (progress) => task.report(progress),
    });
    this.follow(task, call.then(resultOf));
  }

  /** A host that is closing stores nothing more. The next one reports that the outcome is unknown. */
  #failed(error: unknown): void {
    if (!(error instanceof HostError) || error.code !== 'closed') this.#dispatch.options.onBug(error);
  }

  /** Stands for a session in the ids of its tasks, so that a later host knows it too. */
  #markOf(sessionName: string | undefined): string {
    return sha256(this.#dispatch.holderOf(sessionName)).slice(0, 16);
  }

  #serve(id: string, cancellation: Cancellation, isHeld: boolean): ServedTask {
    const { tasks, approvals, now, newId } = this.#dispatch.options;
    const task = new ServedTask({
      ...{ tasks, approvals, now, newId, id, cancellation, isHeld },
      errorOf: (error) => this.#dispatch.errorOf(error),
    });
    this.#own.add(task);
    return task;
  }
}

export function resultOf(answer: Awaited<ReturnType<Dispatch['answer']>>): JsonObject {
  if (answer.kind !== 'result') throw new Error('a call has a result');
  return answer.result;
}
