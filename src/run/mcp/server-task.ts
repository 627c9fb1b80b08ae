import { Cancellation } from '../../model/cancel-signal.js';
import { callCanceled, HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { AskedClient, Progress } from '../run.js';
import type { Deadline } from '../upstream/upstream.js';
import type { NegotiatedRevision } from './handshake.js';
import type { McpConnection } from './mcp-connection.js';

/** Milliseconds between two looks at a task: the server's wish within these bounds. */
const interval = { least: 50, most: 5000, usual: 500 };
/** Time to tell a server that its task is not needed anymore. */
const cancelMs = 5000;
/** Characters of a status message that are passed on as progress. */
const maxStatus = 500;

/** How a call of one server is followed. */
export interface TaskFollower extends Deadline {
  readonly connection: McpConnection;
  /** For messages. */
  readonly name: string;
  readonly limit?: number | undefined;
  readonly client: AskedClient;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** Whether a tool of a server of the 2025 era runs only as a task. */
export function requiresTask(
  { revision, capabilities }: NegotiatedRevision,
  execution: JsonObject | undefined,
): boolean {
  if (revision !== '2025-11-25' || execution?.taskSupport !== 'required') return false;
  const { tasks } = capabilities;
  const requests = isObject(tasks) ? tasks.requests : undefined;
  return isObject(requests) && isObject(requests.tools) && isObject(requests.tools.call);
}

/** Waits for a task of a 2026 server and answers its input requests. The task is canceled if nobody waits anymore. */
export async function followTask2026(created: JsonObject, follower: TaskFollower): Promise<JsonObject> {
  const taskId = idIn(created.taskId, follower);
  return withCancel(taskId, follower, async (request, pause) => {
    const report = statusReporter(follower);
    const answered = new Set<string>();
    let failure: unknown;
    let task = created;
    for (;;) {
      report(task);
      switch (task.status) {
        case 'completed':
          return isObject(task.result) ? task.result : {};
        case 'failed':
          throw failed(task.error, follower.name);
        case 'cancelled':
          throw new HostError('upstream_failed', `${follower.name}: its server canceled the task`);
        case 'input_required': {
          const asked = isObject(task.inputRequests) ? task.inputRequests : {};
          for (const [key, question] of Object.entries(asked)) {
            if (answered.has(key)) continue;
            answered.add(key);
            // All questions are open at the same time; each answer is sent when it is there.
            follower.connection
              .answerInputRequests({ inputRequests: { [key]: question } }, follower.client, follower.name)
              .then(({ inputResponses }) => request('tasks/update', { inputResponses: inputResponses ?? {} }))
              .catch((error: unknown) => {
                failure = error;
              });
          }
        }
      }
      await pause(task.pollIntervalMs);
      if (failure !== undefined) throw failure;
      task = await request('tasks/get', {});
    }
  });
}

/** Waits for a task of a 2025 server. Its questions arrive as requests while `tasks/result` is open. */
export async function followTask2025(created: JsonObject, follower: TaskFollower): Promise<JsonObject> {
  const seed = isObject(created.task) ? created.task : {};
  return withCancel(idIn(seed.taskId, follower), follower, async (request, pause) => {
    const report = statusReporter(follower);
    const done = new Cancellation();
    const result = request('tasks/result', {}).finally(() => done.abort());
    const watch = async () => {
      for (let task = seed; !done.aborted; task = await request('tasks/get', {})) {
        report(task);
        await pause(task.pollInterval, done);
      }
    };
    // The status is only for people; the result counts.
    if (follower.onProgress !== undefined) watch().catch(() => {});
    return result;
  });
}

type SendRequest = (method: string, params: JsonObject) => Promise<JsonObject>;
type Pause = (wish: Json | undefined, until?: Cancellation) => Promise<void>;

async function withCancel(
  taskId: string,
  { connection, name, limit, client, timeoutMs, signal }: TaskFollower,
  work: (request: SendRequest, pause: Pause) => Promise<JsonObject>,
): Promise<JsonObject> {
  const started = performance.now();
  const left = () => Math.max(1, Math.round(timeoutMs - (performance.now() - started)));
  // Looking at a task is short: a question that was asked through it would be asked again when it ends.
  const request: SendRequest = (method, params) =>
    connection.request(
      {
        ...{ method, params: { taskId, ...params }, subject: taskId, name, signal, timeoutMs: left() },
        ...(limit === undefined ? {} : { limit }),
      },
      method === 'tasks/result' ? client : {},
    );
  const pause: Pause = (wish, until) => {
    const wanted = typeof wish === 'number' ? wish : interval.usual;
    const milliseconds = Math.min(interval.most, Math.max(interval.least, wanted));
    if (signal.aborted) throw callCanceled();
    if (left() <= 1) throw new HostError('timeout', `${name} did not finish within ${timeoutMs / 1000} s`);
    return sleep(Math.min(milliseconds, left()), [signal, ...(until === undefined ? [] : [until])]);
  };
  try {
    return await work(request, pause);
  } catch (error) {
    const isUnwanted = signal.aborted || (error instanceof HostError && error.code === 'timeout');
    if (isUnwanted) {
      const never = new Cancellation();
      const canceling = { method: 'tasks/cancel', params: { taskId }, subject: taskId, name };
      connection.request({ ...canceling, timeoutMs: cancelMs, signal: never }, {}).catch(() => {});
    }
    throw error;
  }
}

function sleep(
  milliseconds: number,
  signals: readonly Pick<Cancellation, 'addEventListener' | 'removeEventListener'>[],
) {
  return new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const it of signals) it.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    for (const it of signals) it.addEventListener('abort', end);
  });
}

/** Passes each new status message on as progress. */
function statusReporter({ onProgress }: TaskFollower): (task: JsonObject) => void {
  let last: Json | undefined;
  let progress = 0;
  return ({ statusMessage }) => {
    if (typeof statusMessage !== 'string' || statusMessage === '' || statusMessage === last) return;
    last = statusMessage;
    progress++;
    onProgress?.({ progress, message: statusMessage.slice(0, maxStatus) });
  };
}

function failed(error: Json | undefined, name: string): HostError {
  const message = isObject(error) && typeof error.message === 'string' ? error.message : 'no reason given';
  return new HostError(
    'upstream_failed',
    `${name}: its server answered with an error: ${message.slice(0, 4000)}`,
  );
}

function idIn(taskId: Json | undefined, { name }: TaskFollower): string {
  if (typeof taskId === 'string' && taskId !== '' && taskId.length <= 1000) return taskId;
  throw new HostError('upstream_failed', `${name}: its server made a task without an id`);
}
