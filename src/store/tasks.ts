import type { StoredTask, TaskChange, TaskState } from '../model/stored-task.js';
import type { Database } from './database.js';
import type { McpTaskTable } from './task-tables.js';

const open = ['working', 'held'] as const;

export class TaskRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async insert(task: StoredTask): Promise<void> {
    const { createdAt: created_at, updatedAt: updated_at, expiresAt: expires_at, ...rest } = task;
    await this.#database
      .insertInto('mcp_task')
      .values({ ...rest, created_at, updated_at, expires_at })
      .execute();
  }

  async get(id: string): Promise<StoredTask | undefined> {
    const row = await this.#database
      .selectFrom('mcp_task')
      .selectAll()
      .where('id', '=', id)
      .where('expires_at', '>', this.#now())
      .executeTakeFirst();
    return row && fromRow(row);
  }

  /** Newest first. */
  async of(principal: string): Promise<StoredTask[]> {
    const rows = await this.#database
      .selectFrom('mcp_task')
      .selectAll()
      .where('principal', '=', principal)
      .where('expires_at', '>', this.#now())
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute();
    return rows.map(fromRow);
  }

  /** False if the task has ended or does not exist. */
  async change(id: string, { expiresAt, ...change }: TaskChange): Promise<boolean> {
    const columns = { ...change, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) };
    const result = await this.#database
      .updateTable('mcp_task')
      .set({ ...columns, updated_at: this.#now() })
      .where('id', '=', id)
      .where('state', 'in', [...open])
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  }

  async count(): Promise<number> {
    const { count } = await this.#database
      .selectFrom('mcp_task')
      .select((it) => it.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0)
      await this.#database
        .deleteFrom('mcp_task')
        .where('id', 'in', [...ids])
        .execute();
  }

  async removeExpired(): Promise<void> {
    await this.#database.deleteFrom('mcp_task').where('expires_at', '<=', this.#now()).execute();
  }
}

function fromRow(row: McpTaskTable): StoredTask {
  const { created_at: createdAt, updated_at: updatedAt, expires_at: expiresAt, state, ...rest } = row;
  return { ...rest, state: state as TaskState, createdAt, updatedAt, expiresAt };
}
