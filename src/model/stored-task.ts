/** The state of a task. `held`: a person has to approve the call before it runs. */
export type TaskState = 'working' | 'held' | 'completed' | 'failed' | 'cancelled';

/** One call that an MCP client follows as a task. */
export interface StoredTask {
  /** 128 random bits as text. */
  readonly id: string;
  /** Only this principal can see it. */
  readonly principal: string;
  /** As the client named it. */
  readonly tool: string;
  readonly state: TaskState;
  /** For people; empty if there is nothing to say. */
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** It may be removed after this time. */
  readonly expiresAt: number;
  /** Id of the held call that it waits for. Null: none. */
  readonly approval: string | null;
  /** JSON: the result of a completed task, the JSON-RPC error of a failed one. Null: neither. */
  readonly outcome: string | null;
}

export function isEnded({ state }: Pick<StoredTask, 'state'>): boolean {
  return state !== 'working' && state !== 'held';
}

/** What a step changes. A task that has ended never changes again. */
export type TaskChange = Partial<
  Pick<StoredTask, 'state' | 'message' | 'expiresAt' | 'approval' | 'outcome'>
>;
