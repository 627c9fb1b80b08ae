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
  const rows = await database.audit.operationsOn(packageId, count);
  return rows.map(({ seq, at, kind, body }) => ({ seq, at, kind, body: JSON.parse(body) as JsonObject }));
}
