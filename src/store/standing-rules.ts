import type { StandingRule, StandingRuleInput } from '../model/standing-rule.js';
import type { Database } from './database.js';
import { type DefinitionFilter, ofDefinition } from './definition-filter.js';
import type { StandingRuleTable } from './state-tables.js';

/** Standing rules: matching calls run without asking a person. Ended rules stay listed with their reason. */
export class StandingRules {
  readonly #database: Database;
  readonly #now: () => number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async add(
    id: string,
    rule: StandingRuleInput,
    { by, verified }: { readonly by: string; readonly verified: boolean },
  ): Promise<StandingRule> {
    const row: StandingRuleTable = {
      id,
      tool: rule.tool,
      definition: rule.definition,
      principal: rule.principal,
      conditions: JSON.stringify(rule.conditions),
      destructive: rule.destructive ? 1 : 0,
      created_at: this.#now(),
      expires_at: rule.expiresAt,
      created_by: by,
      verified: verified ? 1 : 0,
      ended_at: null,
      ended: null,
      used: 0,
    };
    await this.#database.insertInto('standing_rule').values(row).execute();
    return this.#fromRow(row);
  }

  async list(): Promise<StandingRule[]> {
    const rows = await this.#database
      .selectFrom('standing_rule')
      .selectAll()
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return rows.map((it) => this.#fromRow(it));
  }

  /** Active rules for exactly this tool definition. Null: for the whole package, named as `package/*`. */
  async inForce(tool: string, definition: string | null, principal: string): Promise<StandingRule[]> {
    const rows = await this.#database
      .selectFrom('standing_rule')
      .selectAll()
      .where('tool', '=', tool)
      .where('definition', definition === null ? 'is' : '=', definition)
      .where('ended_at', 'is', null)
      .where((it) => it.or([it('principal', 'is', null), it('principal', '=', principal)]))
      .where((it) => it.or([it('expires_at', 'is', null), it('expires_at', '>', this.#now())]))
      .orderBy('created_at')
      .execute();
    return rows.map((it) => this.#fromRow(it));
  }

  /** Counts a use. Returns false if the rule has ended in the meantime. */
  async use(id: string): Promise<boolean> {
    const result = await this.#database
      .updateTable('standing_rule')
      .set((it) => ({ used: it('used', '+', 1) }))
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .where((it) => it.or([it('expires_at', 'is', null), it('expires_at', '>', this.#now())]))
      .executeTakeFirst();
    return result.numUpdatedRows === 1n;
  }

  /** Ends one rule, all rules of a definition, or those for what a set changes about a tool. Returns their ids. */
  async end(
    { id, definition, view }: DefinitionFilter & { readonly id?: string },
    reason: string,
  ): Promise<string[]> {
    let change = this.#database
      .updateTable('standing_rule')
      .set({ ended_at: this.#now(), ended: reason })
      .where('ended_at', 'is', null);
    if (id !== undefined) change = change.where('id', '=', id);
    if (definition !== undefined || view !== undefined)
      change = change.where((it) => ofDefinition(it, { definition, view }));
    return (await change.returning('id').execute()).map((it) => it.id);
  }

  #fromRow(row: StandingRuleTable): StandingRule {
    const past = row.expires_at !== null && row.expires_at <= this.#now();
    return {
      id: row.id,
      tool: row.tool,
      definition: row.definition,
      principal: row.principal,
      conditions: JSON.parse(row.conditions),
      destructive: row.destructive === 1,
      expiresAt: row.expires_at,
      createdAt: row.created_at,
      createdBy: row.created_by,
      verified: row.verified === 1,
      state: row.ended_at !== null ? 'ended' : past ? 'expired' : 'active',
      endReason: row.ended,
      used: row.used,
    };
  }
}
