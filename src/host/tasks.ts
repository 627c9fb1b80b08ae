import type { JsonObject } from '../model/json.js';
import type { StoredTask, TaskChange } from '../model/stored-task.js';

/** Tasks of MCP clients: durable, and bound to the principal that made them. */
export interface Tasks {
  /** On disk when it resolves. Undefined: the principal has too many unfinished tasks. */
  create(task: NewTask): Promise<StoredTask | undefined>;
  /** Undefined if there is none, or if it belongs to another principal. */
  get(id: string, principal: string): Promise<StoredTask | undefined>;
  /** Newest first. */
  list(principal: string): Promise<readonly StoredTask[]>;
  /** False if the task has ended already: then nothing changes. */
  change(id: string, change: TaskChange): Promise<boolean>;
  /** The call of a task in this process. */
  runningCall(id: string): TaskCall | undefined;
  /** The call of the task runs in this process until `end`. */
  startCall(id: string, call: TaskCall): RunningTask;
  /** Called with the id of each changed task. Returns a function that stops the listener. */
  onChange(listener: (id: string) => void): () => void;
}

/** A task that is created. */
export type NewTask = Pick<
  StoredTask,
  'id' | 'principal' | 'tool' | 'state' | 'message' | 'approval' | 'expiresAt'
>;

/** The running call of a task. */
export interface TaskCall {
  /** For people; empty if there is nothing new. */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
  /** Open questions to the client, by key: `method` and `params`. */
  readonly inputRequests: JsonObject;
  /** Gives the call answers to its questions, by key. Other keys are ignored. */
  answer(responses: JsonObject): void;
  /** The client gives no answer to a question. */
  dismiss(key: string): void;
  cancel(): void;
}

export interface RunningTask {
  /** Tells the listeners that the call asks something or has new progress. */
  changed(): void;
  end(): void;
}
