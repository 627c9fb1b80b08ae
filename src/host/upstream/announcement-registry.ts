import { neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../../model/json.js';
import { entryText } from '../../policy/review/announced-entry.js';
import type { Upstream, UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import type { AnnouncementRows } from '../../store/announcements.js';
import type { AuditLog } from '../../store/audit-log.js';
import type { Queue } from '../queue.js';
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

/** How long a running program may take to announce its tools again. */
const announceTimeoutMs = 10_000;

/**
 * What upstreams announced: tools, prompts, resources, hooks, instructions. The first announcement is part of what the
 * operator accepted by naming the package. A later one that differs waits for a review.
 */
export class AnnouncementRegistry {
  readonly #rows: AnnouncementRows;
  readonly #audit: AuditLog;
  readonly #queue: Queue;
  readonly #onChanged: () => void;
  /** By manifest path, then by program name. */
  readonly #known = new Map<string, Map<string, Entry>>();
  /** Grows with every change. */
  version = 0;

  constructor(rows: AnnouncementRows, audit: AuditLog, queue: Queue, onChanged: () => void) {
    this.#rows = rows;
    this.#audit = audit;
    this.#queue = queue;
    this.#onChanged = onChanged;
  }

  /** Reads the stored announcements of a package, unless they were read before. */
  async load(manifest: string): Promise<void> {
    if (this.#known.has(manifest)) return;
    const rows = await this.#rows.list(manifest);
    if (this.#known.has(manifest)) return;
    const entries = rows.map(({ program, digest, agreed, waiting }) => {
      const entry = { digest, agreed: read(agreed), waiting: waiting === null ? null : read(waiting) };
      return [program, entry] as const;
    });
    this.#known.set(manifest, new Map(entries));
  }

  /** Undefined if this version of the package has announced nothing yet. */
  get({ manifest, digest, program }: Omit<ProgramRef, 'package'>): ProgramAnnouncement | undefined {
    const entry = this.#known.get(manifest)?.get(program);
    return entry?.digest === digest ? entry : undefined;
  }

  /** Compares a new announcement with the accepted one, and stores it. */
  record(ref: ProgramRef, announced: UpstreamAnnouncement): Promise<void> {
    return this.#queue(async () => {
      await this.load(ref.manifest);
      const before = this.#known.get(ref.manifest)?.get(ref.program);
      if (before === undefined)
        return this.#put(ref, { digest: ref.digest, agreed: announced, waiting: null });
      const waiting = requiresReview(before.agreed, announced) ? announced : null;
      // A change that needs no review is accepted: a size, a version, a removed resource.
      const agreed = waiting === null ? announced : before.agreed;
      const same =
        before.digest === ref.digest &&
        text(agreed) === text(before.agreed) &&
        (waiting === null ? before.waiting === null : text(waiting) === text(before.waiting));
      if (same) return;
      if (waiting !== null) {
        const body = { package: ref.package, program: ref.program, needsReview: 'its announcement changed' };
        await this.#audit.append({ kind: 'hold', body });
      }
      await this.#put(ref, { digest: ref.digest, agreed, waiting });
    });
  }

  /** Asks a running program for its announcement again. Rejects if the program only announces when it starts. */
  async refresh(
    ref: ProgramRef,
    upstream: Upstream | undefined,
    clean: (announced: UpstreamAnnouncement) => Promise<UpstreamAnnouncement>,
  ): Promise<void> {
    if (upstream?.announce === undefined)
      throw new Error('the program announces its tools only when it starts');
    const announced = await upstream.announce({ timeoutMs: announceTimeoutMs, signal: neverCanceled });
    await this.record(ref, await clean(announced));
  }

  /** Accepts the waiting announcement, if it is the one that was shown. */
  accept(ref: ProgramRef, shown: UpstreamAnnouncement): Promise<void> {
    return this.#queue(async () => {
      const entry = this.#known.get(ref.manifest)?.get(ref.program);
      if (entry === undefined || entry.waiting === null || text(entry.waiting) !== text(shown))
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

  async #put({ manifest, program }: ProgramRef, entry: Entry): Promise<void> {
    const { digest, agreed, waiting } = entry;
    const row = { manifest, program, digest, agreed: text(agreed), waiting: waiting && text(waiting) };
    await this.#rows.put(row);
    const programs = this.#known.get(manifest) ?? new Map<string, Entry>();
    this.#known.set(manifest, programs.set(program, entry));
    this.version++;
    this.#onChanged();
  }
}

/** Whether the text for models and people changed, or what the program offers. Removed resources need no review. */
function requiresReview(agreed: UpstreamAnnouncement, announced: UpstreamAnnouncement): boolean {
  if (reviewedParts(agreed) !== reviewedParts(announced)) return true;
  return (['resources', 'templates'] as const).some((kind) => {
    const known = new Set((agreed[kind] ?? []).map(entryText));
    return (announced[kind] ?? []).some((it) => !known.has(entryText(it)));
  });
}

/** Without the version: a new version number alone needs no review. */
function reviewedParts({ tools, hooks, prompts = [], instructions = '' }: UpstreamAnnouncement): string {
  const byName = (items: readonly object[]) => items.map((it) => text(it as Json & object)).sort();
  return canonicalJson([byName(tools), [...hooks].sort(), byName(prompts), instructions] as unknown as Json);
}

function text(value: object | null): string {
  return canonicalJson(value as unknown as Json);
}

function read(json: string): UpstreamAnnouncement {
  return JSON.parse(json) as JsonObject as unknown as UpstreamAnnouncement;
}
