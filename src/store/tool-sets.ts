import type { SetBinding, SetSubjectKind } from '../model/tool-set.js';
import type { Database } from './database.js';
import type { SetBindingTable, ToolSetTable } from './set-tables.js';

/** Sets and who uses them. */
export class ToolSetRows {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  /** By name. */
  list(): Promise<ToolSetTable[]> {
    return this.#database.selectFrom('tool_set').selectAll().orderBy('name').execute();
  }

  async put(name: string, content: string, by: string): Promise<void> {
    const columns = { content, saved_at: this.#now(), saved_by: by };
    await this.#database
      .insertInto('tool_set')
      .values({ name, ...columns })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(columns))
      .execute();
  }

  async remove(name: string): Promise<void> {
    await this.#database.deleteFrom('tool_set').where('name', '=', name).execute();
  }

  async bindings(): Promise<SetBinding[]> {
    const rows = await this.#database
      .selectFrom('set_binding')
      .selectAll()
      .orderBy('kind')
      .orderBy('subject')
      .execute();
    return rows.map(bindingOf);
  }

  /** Replaces the binding of the same subject. */
  async bind({ kind, name, subject, set }: SetBinding, by: string): Promise<void> {
    const columns = { label: name, set_name: set, bound_at: this.#now(), bound_by: by };
    await this.#database
      .insertInto('set_binding')
      .values({ kind, subject, ...columns })
      .onConflict((conflict) => conflict.columns(['kind', 'subject']).doUpdateSet(columns))
      .execute();
  }

  async unbind({ kind, subject }: Pick<SetBinding, 'kind' | 'subject'>): Promise<void> {
    await this.#database
      .deleteFrom('set_binding')
      .where('kind', '=', kind)
      .where('subject', '=', subject)
      .execute();
  }
}

function bindingOf({ kind, subject, label, set_name }: SetBindingTable): SetBinding {
  return { kind: kind as SetSubjectKind, name: label, subject, set: set_name };
}
