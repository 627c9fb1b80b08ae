import { sql } from 'kysely';
import type { JsonObject } from '../model/json.js';
import type { Database } from './database.js';

export interface PackageEntry {
  readonly seq: number;
  readonly at: string;
  readonly kind: string;
  readonly body: JsonObject;
}

/** What operators did with a package: the last entries of the audit log, newest first. */
export async function packageEntries(
  database: Database,
  packageId: string,
  count: number,
): Promise<readonly PackageEntry[]> {
  // Bodies are canonical JSON, so a member can be found as text.
  const member = `"package":${JSON.stringify(packageId)}`;
  const rows = await database
    .selectFrom('audit')
    .select(['seq', 'at', 'kind', 'body'])
    .where('kind', '=', 'operator')
    .where(sql<number>`instr(body, ${member})`, '>', 0)
    .orderBy('seq', 'desc')
    .limit(count)
    .execute();
  return rows.map(({ body, ...row }) => ({ ...row, body: JSON.parse(body) as JsonObject }));
}
