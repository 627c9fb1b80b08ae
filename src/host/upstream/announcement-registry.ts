import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import type { AnnouncementRows } from '../../store/announcements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { Queue } from '../queue.js';
import { acceptedAfter, announcementText, parseAnnouncement } from './announcement-difference.js';
import type { ProgramAnnouncement } from './upstream-tools.js';

/** Identifies one program of one loaded package. */
export interface ProgramRef {
  /** Absolute path of the manifest. */
  readonly manifest: string;
  /** Digest of the package. */
  readonly digest: string;
  readonly package: string;
  readonly program: string;
}

interface Entry extends ProgramAnnouncement {
  readonly digest: string;
}

/**
 * What upstreams announced: tools, prompts, resources, hooks, instructions. The first announcement is part of what the
 * operator accepted by naming the package. A later one that differs waits for a review.
 */
export class AnnouncementRegistry {
  readonly #rows: AnnouncementRows;
  readonly #audit: AuditLog;
  readonly #queue: Queue;
  readonly #onChanged: () => void;
  readonly #acceptsChanges: boolean;
  /** By manifest path, then by program name. */
  readonly #known = new Map<string, Map<string, Entry>>();
  /** Grows with every change. */
  version = 0;

  /** `acceptsChanges`: on the host of an author, later announcements need no review. */
  constructor(
    rows: AnnouncementRows,
    audit: AuditLog,
    queue: Queue,
    onChanged: () => void,
    acceptsChanges: boolean,
  ) {
    this.#rows = rows;
    this.#audit = audit;
    this.#queue = queue;
    this.#onChanged = onChanged;
    this.#acceptsChanges = acceptsChanges;
  }

  /** Reads the stored announcements of a package, unless they were read before. */
  async load(manifest: string): Promise<void> {
    if (this.#known.has(manifest)) return;
    const rows = await this.#rows.list(manifest);
    if (this.#known.has(manifest)) return;
    const entries = rows.map(({ program, digest, agreed, waiting }) => {
      const entry = {
        digest,
        agreed: parseAnnouncement(agreed),
        waiting: waiting === null ? null : parseAnnouncement(waiting),
      };
      return [program, entry] as const;
    });
    this.#known.set(manifest, new Map(entries));
    this.version++;
  }

  /** Undefined if this version of the package has announced nothing yet. */
  get({ manifest, digest, program }: Omit<ProgramRef, 'package'>): ProgramAnnouncement | undefined {
    const entry = this.#known.get(manifest)?.get(program);
    return entry?.digest === digest ? entry : undefined;
  }

  /** The last announcement of the program, in whatever version of its package. */
  last({ manifest, program }: Omit<ProgramRef, 'package'>): ProgramAnnouncement | undefined {
    return this.#known.get(manifest)?.get(program);
  }

  /**
   * Compares a new announcement with the accepted one, and stores it. Returns what is stored then. `onReview` is called
   * before a change that needs review is stored.
   */
  record(
    ref: ProgramRef,
    announced: UpstreamAnnouncement,
    onReview: (waiting: ProgramAnnouncement) => Promise<void>,
  ): Promise<ProgramAnnouncement> {
    return this.#queue(async () => {
      await this.load(ref.manifest);
      const before = this.#known.get(ref.manifest)?.get(ref.program);
      if (before === undefined)
        return this.#put(ref, { digest: ref.digest, agreed: announced, waiting: null });
      const accepted = this.#acceptsChanges ? announced : acceptedAfter(before.agreed, announced);
      const after = {
        digest: ref.digest,
        agreed: accepted ?? before.agreed,
        waiting: accepted === null ? announced : null,
      };
      if (isSame(before, after)) return before;
      const body = reviewBody(ref, before.waiting !== null, after.waiting !== null);
      if (body !== null) await this.#audit.append({ kind: 'hold', body });
      if (after.waiting !== null) await onReview(after);
      return this.#put(ref, after);
    });
  }

  /** Accepts the waiting announcement, if it is the one that was shown. */
  accept(ref: ProgramRef, shown: UpstreamAnnouncement): Promise<void> {
    return this.#queue(async () => {
      const entry = this.#known.get(ref.manifest)?.get(ref.program);
      if (
        entry === undefined ||
        entry.waiting === null ||
        announcementText(entry.waiting) !== announcementText(shown)
      )
        throw new HostError(
          'integrity',
          `the announcement of ${ref.program} in ${ref.package} has changed again`,
          {
            hint: `review it again: toolwharf review ${ref.package}`,
          },
        );
      await this.#put(ref, { digest: entry.digest, agreed: entry.waiting, waiting: null });
    });
  }

  async #put({ manifest, program }: ProgramRef, entry: Entry): Promise<ProgramAnnouncement> {
    const { digest, agreed, waiting } = entry;
    await this.#rows.put({
      ...{ manifest, program, digest },
      // In its own order: models read the members of a schema in the order of its author.
      agreed: JSON.stringify(agreed),
      waiting: waiting && JSON.stringify(waiting),
    });
    const programs = this.#known.get(manifest) ?? new Map<string, Entry>();
    this.#known.set(manifest, programs.set(program, entry));
    this.version++;
    this.#onChanged();
    return entry;
  }
}

function isSame(one: Entry, other: Entry): boolean {
  const text = (it: UpstreamAnnouncement | null) => it && announcementText(it);
  return (
    one.digest === other.digest &&
    text(one.agreed) === text(other.agreed) &&
    text(one.waiting) === text(other.waiting)
  );
}

/** The audit entry for a review that begins, continues with another change, or ends by itself; null if there is none. */
function reviewBody(
  { package: id, program }: ProgramRef,
  before: boolean,
  after: boolean,
): JsonObject | null {
  if (after) return { package: id, program, needsReview: 'its announcement changed' };
  if (before) return { package: id, program, reviewEnded: 'it announces again what was accepted' };
  return null;
}
