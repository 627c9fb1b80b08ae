import type { ParseCacheStatements } from '../parse-cache-statements.js';
import type { PostgresPool } from './postgres-pool.js';

export class PostgresParseCache implements ParseCacheStatements {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async get(subject: string, build: string): Promise<string | undefined> {
    const sql = 'select made from parse_cache where subject = $1 and build = $2';
    const [row] = await this.#pool.run<{ made: string }>(sql, [subject, build]);
    return row?.made;
  }

  async keep(
    all: ReadonlyMap<string, string>,
    { build, at, maxRows }: { readonly build: string; readonly at: number; readonly maxRows: number },
  ): Promise<void> {
    await this.#pool.transaction(async (client) => {
      await client.query('delete from parse_cache where build <> $1', [build]);
      await client.query(
        `insert into parse_cache (subject, build, made, at)
         select subject, $2, made, $3 from unnest($1::text[], $4::text[]) parsed (subject, made)
         on conflict (subject) do update set build = excluded.build, made = excluded.made, at = excluded.at`,
        [[...all.keys()], build, at, [...all.values()]],
      );
      await client.query(
        'delete from parse_cache where subject in (select subject from parse_cache order by at desc, subject desc offset $1)',
        [maxRows],
      );
    });
  }
}
