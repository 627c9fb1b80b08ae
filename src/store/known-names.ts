import { isObject } from '../model/json.js';
import { documentLimits, tryParseBounded } from '../model/json-bounds.js';
import type { Database } from './database.js';

/** The audit log may be long; names that occur only in older entries count as unknown. */
const newestEntries = 200_000;

/** Names that the state knows from agreements, announcements, tokens, held calls and the audit log. */
export class KnownNames {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Ids of packages that were ever accepted here. */
  async packages(): Promise<string[]> {
    const rows = await this.#database.selectFrom('agreement').select('package').distinct().execute();
    return rows.map((it) => it.package);
  }

  /** Names of the tools of a package, without its id: from its manifest and from what its programs announced. */
  async tools(packageId: string): Promise<string[]> {
    const agreements = await this.#database
      .selectFrom('agreement')
      .select(['manifest', 'request'])
      .where('package', '=', packageId)
      .execute();
    const manifests = agreements.map((it) => it.manifest);
    const announcements =
      manifests.length === 0
        ? []
        : await this.#database
            .selectFrom('announcement')
            .select(['agreed', 'waiting'])
            .where('manifest', 'in', manifests)
            .execute();
    return [
      ...agreements.map((it) => it.request),
      ...announcements.flatMap((it) => [it.agreed, ...(it.waiting === null ? [] : [it.waiting])]),
    ].flatMap(toolNamesIn);
  }

  /** Callers with a held call or an entry in the audit log. */
  async principals(): Promise<string[]> {
    const held = await this.#database.selectFrom('approval').select('principal').distinct().execute();
    return [...held.map((it) => it.principal), ...(await this.#database.audit.principals(newestEntries))];
  }

  /** Principals of tokens, also of revoked ones. */
  async tokenPrincipals(): Promise<string[]> {
    const rows = await this.#database.selectFrom('token_principal').select('principal').execute();
    return rows.map((it) => it.principal);
  }
}

/** The names in the `tools` of a stored document. */
function toolNamesIn(stored: string): string[] {
  const value = tryParseBounded(stored, documentLimits);
  if (!isObject(value) || !Array.isArray(value.tools)) return [];
  return value.tools.flatMap((it) => (isObject(it) && typeof it.name === 'string' ? [it.name] : []));
}
