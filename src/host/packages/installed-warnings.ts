import type { Database } from '../../store/database.js';
import { InstallationRows } from '../../store/installations.js';
import { ReleaseWarningRows, type StoredReleaseWarning } from '../../store/release-warnings.js';
import { releasesOf } from './release-watch.js';

/** What registries said against the releases that are served now. */
export async function warningsOfInstalled(database: Database): Promise<readonly StoredReleaseWarning[]> {
  const rows = new InstallationRows(database, Date.now);
  const served = await rows.list();
  const current = (await rows.generations()).filter((it) =>
    served.some(({ package: id, current: number }) => it.package === id && it.number === number),
  );
  const hashes = new Set(current.flatMap(releasesOf).map((it) => it.sha256));
  return (await new ReleaseWarningRows(database).list()).filter((it) => hashes.has(it.sha256));
}
