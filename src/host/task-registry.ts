import { isEnded, type StoredTask, type TaskChange } from '../model/stored-task.js';
import type { TaskRows } from '../store/tasks.js';
import { createQueue } from './queue.js';
import type { TaskCall, Tasks } from './tasks.js';

/** Tasks of one principal: unfinished ones, and all. Beyond the second the oldest finished ones are removed. */
const perPrincipal = { open: 32, all: 64 };
const total = 4096;
/** Characters of all results of one principal. Beyond it the oldest finished tasks are removed. */
const resultLength = 32 * 1024 * 1024;

const outcomeUnknown = 'the host ended while the call was running; its outcome is unknown';

/** `now`: milliseconds since 1970. */
export function openTasks(rows: TaskRows, now: () => number): Tasks {
  const running = new Map<string, TaskCall>();
  const listeners = new Set<(id: string) => void>();
  const queue = createQueue(1);
  const notify = (id: string) => {
    for (const listener of [...listeners]) listener(id);
  };
  const change = async (id: string, changed: TaskChange) => {
    const isChanged = await rows.change(id, changed);
    if (isChanged) notify(id);
    return isChanged;
  };
  /** A state directory has one host at a time, so a working task without a call here was left by an earlier host. */
  const checked = async (task: StoredTask): Promise<StoredTask> => {
    if (task.state !== 'working' || running.has(task.id)) return task;
    const outcome = JSON.stringify({ code: -32603, message: outcomeUnknown });
    await change(task.id, { state: 'failed', message: outcomeUnknown, outcome });
    return (await rows.get(task.id)) ?? task;
  };
  return {
    // One at a time, so that a flood of calls cannot pass the limit.
    create: (task) =>
      queue(async () => {
        await rows.removeExpired();
        const own = await rows.of(task.principal);
        if (own.filter((it) => !isEnded(it)).length >= perPrincipal.open) return undefined;
        await rows.remove(excess(own).map((it) => it.id));
        if ((await rows.count()) >= total) return undefined;
        const createdAt = now();
        const created = { ...task, createdAt, updatedAt: createdAt, outcome: null };
        await rows.insert(created);
        return created;
      }),
    async get(id, principal) {
      const task = await rows.get(id);
      return task === undefined || task.principal !== principal ? undefined : checked(task);
    },
    list: async (principal) => Promise.all((await rows.of(principal)).map(checked)),
    change,
    runningCall: (id) => running.get(id),
    startCall(id, call) {
      running.set(id, call);
      return {
        changed: () => notify(id),
        end: () => {
          if (running.get(id) === call) running.delete(id);
        },
      };
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The finished tasks that must go, so that one more fits. `tasks`: newest first. */
function excess(tasks: readonly StoredTask[]): StoredTask[] {
  let length = 0;
  let count = tasks.filter((it) => !isEnded(it)).length;
  return tasks.filter(isEnded).filter(({ outcome }) => {
    length += outcome?.length ?? 0;
    count++;
    return count >= perPrincipal.all || length > resultLength;
  });
}
