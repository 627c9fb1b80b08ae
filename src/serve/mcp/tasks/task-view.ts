import type { TaskCall } from '../../../host/host.js';
import type { JsonObject } from '../../../model/json.js';
import type { StoredTask } from '../../../model/stored-task.js';

/** Milliseconds. Waiting for a person takes longer than waiting for a program. */
const pollIntervals = { working: 500, input_required: 1000 };

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

function statusOf({ state }: StoredTask, call: TaskCall | undefined): Status {
  if (state === 'held') return 'input_required';
  if (state !== 'working' || call === undefined) return state;
  return Object.keys(call.inputRequests).length > 0 ? 'input_required' : 'working';
}

function commonOf(task: StoredTask, call: TaskCall | undefined) {
  const isOpen = task.state === 'working' || task.state === 'held';
  const message = (isOpen ? call?.message : undefined) || task.message;
  return {
    taskId: task.id,
    status: statusOf(task, call),
    ...(message === '' ? {} : { statusMessage: message }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(Math.max(task.updatedAt, isOpen ? (call?.updatedAt ?? 0) : 0)).toISOString(),
  };
}

/** The result of a completed task, or the error of a failed one. */
export function outcomeOf({ outcome }: StoredTask): JsonObject {
  return outcome === null ? {} : (JSON.parse(outcome) as JsonObject);
}

/** A task as in the extension of the 2026 era, without what its status adds. */
export function taskOf2026(task: StoredTask, call: TaskCall | undefined) {
  const common = commonOf(task, call);
  const pollIntervalMs =
    common.status === 'input_required' ? pollIntervals.input_required : pollIntervals.working;
  return { ...common, ttlMs: task.expiresAt - task.createdAt, pollIntervalMs };
}

/** With its questions, its result or its error. */
export function detailedTask2026(task: StoredTask, call: TaskCall | undefined): JsonObject {
  const common = taskOf2026(task, call);
  const outcome = outcomeOf(task);
  switch (common.status) {
    case 'input_required':
      return { ...common, inputRequests: call?.inputRequests ?? {} };
    case 'completed':
      return { ...common, result: outcome };
    case 'failed':
      return { ...common, error: outcome };
    default:
      return common;
  }
}

/** A task as in revision 2025-11-25. */
export function taskOf2025(task: StoredTask, call: TaskCall | undefined): JsonObject {
  const { ttlMs: ttl, pollIntervalMs: pollInterval, ...common } = taskOf2026(task, call);
  return { ...common, ttl, pollInterval };
}
