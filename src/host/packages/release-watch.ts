import { join } from 'node:path';
import type { LockedSource } from '../../model/source.js';
import type { NamedRelease } from '../../registry/client/release-statements.js';
import type { StoredStatements } from '../../registry/client/stored-statements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { ReleaseWarningRows, StoredReleaseWarning } from '../../store/release-warnings.js';
import type { Invalidate } from '../operator/approval-operations.js';
import type { SessionPolicy } from '../session-policy.js';
import type { InstallationIndex, InstalledPlace } from './installation-index.js';
import { type ReleaseConcern, unknownConcern, unreadConcern, warningConcern } from './release-concern.js';

export interface ReleaseWatchOptions {
  /** The state directory. */
  readonly state: string;
  readonly rows: ReleaseWarningRows;
  readonly index: Pick<InstallationIndex, 'all' | 'version'>;
  readonly audit: AuditLog;
  readonly invalidate: Invalidate;
  readonly notifyChanged: () => void;
  readonly now: () => number;
  readonly onBug: (error: unknown) => void;
  /** Between two looks at what the clients stored. Default: one minute. */
  readonly everyMs?: number | undefined;
}

interface Seen {
  /** Of the installations when it was looked. */
  readonly installations: number;
  readonly warnings: readonly StoredReleaseWarning[];
  /** By registry. */
  readonly unread: ReadonlyMap<string, string>;
  /** SHA-256 of the releases that a registry on this machine knows. */
  readonly known: ReadonlySet<string>;
}

/**
 * Watches what registries say about installed releases. It reads only what the clients on this machine stored, so that no call
 * waits for the network. What it cannot read counts as a warning.
 */
export class ReleaseWatch {
  readonly #options: ReleaseWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #seen: Seen | undefined;
  #looking: Promise<Seen> | undefined;
  #isClosed = false;
  /** By SHA-256. */
  readonly #watched = new Map<string, NamedRelease>();

  constructor(options: ReleaseWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#lookLater(), options.everyMs ?? 60_000);
    this.#timer.unref();
  }

  /** What speaks against the installed release of a package, most serious first. Throws if the state cannot be read. */
  async concerns(place: InstalledPlace): Promise<readonly ReleaseConcern[]> {
    const releases = releasesOf(place);
    if (releases.length === 0) return [];
    // Also of a generation that is only tried and not served yet.
    const isNew = releases.some((it) => !this.#watched.has(it.sha256));
    for (const it of releases) this.#watched.set(it.sha256, it);
    const isFresh = !isNew && this.#seen?.installations === this.#options.index.version;
    const seen = isFresh && this.#seen !== undefined ? this.#seen : await this.#lookAgain();
    const found = releases.flatMap((it) => concernsOf(it, seen));
    return found.sort((a, b) => Number(b.isGrave) - Number(a.isGrave));
  }

  /** A client asked a registry. `expired`: what it used only because the operator accepts expired files. */
  async registryRead(expired: readonly string[]): Promise<void> {
    if (expired.length > 0) {
      const body = { operation: 'expired registry used', files: [...expired], by: 'host' };
      await this.#options.audit.append({ kind: 'operator', body });
    }
    await this.look();
  }

  /** Reads what the clients stored, and keeps what is new. */
  look(): Promise<Seen> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** A look that is under way may have begun before the release was known. */
  async #lookAgain(): Promise<Seen> {
    await this.#looking?.catch(() => {});
    return this.look();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking?.catch(() => {});
  }

  async #look(): Promise<Seen> {
    const { state, rows, index } = this.#options;
    const installations = index.version;
    const places = await index.all();
    for (const it of places.flatMap(releasesOf)) this.#watched.set(it.sha256, it);
    const releases = [...this.#watched.values()];
    if (releases.length === 0) {
      const nothing = { installations, warnings: [], unread: new Map(), known: new Set<string>() };
      this.#seen = nothing;
      return nothing;
    }
    const { storedStatements } = await import('../../registry/client/stored-statements.js');
    const statements = storedStatements(join(state, 'registries'), releases);
    const before = await rows.list();
    const fresh = await this.#store(statements, releases, before);
    const seen: Seen = {
      installations,
      warnings: await rows.list(),
      unread: new Map(statements.flatMap((it) => ('problem' in it ? [[it.registry, it.problem]] : []))),
      known: new Set(statements.flatMap((it) => ('said' in it ? [...it.said.keys()] : []))),
    };
    this.#seen = seen;
    await this.#tell(fresh, places);
    return seen;
  }

  /** The new warnings. */
  async #store(
    statements: readonly StoredStatements[],
    releases: readonly NamedRelease[],
    before: readonly StoredReleaseWarning[],
  ): Promise<StoredReleaseWarning[]> {
    const { rows, now } = this.#options;
    const fresh: StoredReleaseWarning[] = [];
    for (const it of statements) {
      // What cannot be read takes nothing back.
      if ('problem' in it) continue;
      for (const release of releases) {
        const said = it.said.get(release.sha256);
        if (said === undefined) continue;
        for (const kind of ['quarantine', 'withdrawn'] as const) {
          const reason = kind === 'quarantine' ? said.quarantined : said.yanked;
          const known = before.find((row) => row.kind === kind && isAbout(row, release, it.registry));
          if (reason === known?.reason) continue;
          if (reason === undefined && known !== undefined) await rows.remove(known);
          if (reason === undefined) continue;
          const { name, version, sha256 } = release;
          const warning = { name, version, sha256, registry: it.registry, kind, reason, seenAt: now() };
          await rows.put(warning);
          fresh.push(warning);
        }
      }
    }
    return fresh;
  }

  async #tell(fresh: readonly StoredReleaseWarning[], places: readonly InstalledPlace[]): Promise<void> {
    if (fresh.length === 0) return;
    const { audit, invalidate, notifyChanged } = this.#options;
    for (const { seenAt: _, ...warning } of fresh) {
      await audit.append({
        kind: 'operator',
        body: { operation: 'release warning', ...warning, by: 'host' },
      });
      if (warning.kind === 'withdrawn') continue;
      const affected = places.filter((it) => releasesOf(it).some(({ sha256 }) => sha256 === warning.sha256));
      // A person who approved a call did not know it.
      for (const { package: id } of affected)
        await invalidate({ package: id }, 'the registry put the release under quarantine');
    }
    notifyChanged();
  }

  #lookLater(): void {
    if (this.#isClosed || this.#seen === undefined) return;
    // A failure is not hidden: the next question looks again.
    this.look().catch((error) => {
      this.#seen = undefined;
      this.#options.onBug(error);
    });
  }
}

function isAbout(row: StoredReleaseWarning, { name, version, sha256 }: NamedRelease, registry: string) {
  return row.registry === registry && row.name === name && row.version === version && row.sha256 === sha256;
}

function concernsOf(release: NamedRelease, { warnings, unread, known }: Seen): ReleaseConcern[] {
  const own = warnings.filter((it) => it.sha256 === release.sha256).map(warningConcern);
  if (unread.size > 0) return [...own, ...[...unread].map(([name, problem]) => unreadConcern(name, problem))];
  return known.has(release.sha256) ? own : [...own, unknownConcern(release)];
}

/** The releases of registries that a package consists of. */
export function releasesOf({ locked, lock }: Pick<InstalledPlace, 'locked' | 'lock'>): NamedRelease[] {
  const sources: readonly (LockedSource | undefined)[] = [locked, lock.code];
  return sources.flatMap((it) => (it?.kind === 'registry' ? [it] : []));
}

/** Why each call of a package needs a person. Empty: nothing is serious, or the operator wants no questions. */
export async function holdingConcerns(
  installed: InstalledPlace | undefined,
  { onQuarantine = 'hold' }: SessionPolicy,
  watch: Pick<ReleaseWatch, 'concerns'>,
): Promise<readonly string[]> {
  if (installed === undefined || onQuarantine !== 'hold') return [];
  return (await watch.concerns(installed)).filter((it) => it.isGrave).map((it) => it.text);
}
