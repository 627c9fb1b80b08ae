import { HostError } from '../model/host-error.js';
import { canonicalJson, type Json, type JsonObject } from '../model/json.js';
import { unstoppable } from '../model/signal.js';
import { entryText } from '../policy/announced-entry.js';
import type { Upstream, UpstreamAnnouncement } from '../run/upstream/upstream.js';
import type { Announcements } from '../store/announcements.js';
import type { AuditLog } from '../store/audit.js';
import type { Queue } from './queue.js';
import type { ProgramAnnouncement } from './upstream-tools.js';

/** One program of one package, as it was found on this machine. */
export interface ProgramPlace {
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

/** How long a program may take to say what it can do now. */
const askMs = 10_000;

/**
 * What programs said of themselves. The first words of a program belong to what the operator agreed to by naming its
 * package; any later ones that differ wait until somebody looked at them.
 */
export class AnnouncementBook {
  readonly #rows: Announcements;
  readonly #audit: AuditLog;
  readonly #inTurn: Queue;
  readonly #changed: () => void;
  readonly #known = new Map<string, Map<string, Entry>>();
  /** Another number means that something in it is different. */
  version = 0;

  constructor(rows: Announcements, audit: AuditLog, inTurn: Queue, changed: () => void) {
    this.#rows = rows;
    this.#audit = audit;
    this.#inTurn = inTurn;
    this.#changed = changed;
  }

  /** Reads what is kept for a package; once is enough. */
  async load(manifest: string): Promise<void> {
    if (this.#known.has(manifest)) return;
    const rows = await this.#rows.of(manifest);
    if (this.#known.has(manifest)) return;
    const entries = rows.map(({ program, digest, agreed, waiting }) => {
      const entry = { digest, agreed: read(agreed), waiting: waiting === null ? null : read(waiting) };
      return [program, entry] as const;
    });
    this.#known.set(manifest, new Map(entries));
  }

  /** What is known of a program of exactly this package. */
  known({ manifest, digest, program }: Omit<ProgramPlace, 'package'>): ProgramAnnouncement | undefined {
    const entry = this.#known.get(manifest)?.get(program);
    return entry?.digest === digest ? entry : undefined;
  }

  /** A program came up and said this. */
  heard(place: ProgramPlace, said: UpstreamAnnouncement): Promise<void> {
    return this.#inTurn(async () => {
      await this.load(place.manifest);
      const before = this.#known.get(place.manifest)?.get(place.program);
      if (before === undefined)
        return this.#put(place, { digest: place.digest, agreed: said, waiting: null });
      const waiting = isNews(before.agreed, said) ? said : null;
      // Where nothing is to be looked at, what is kept follows: a size, a version, a resource that is gone.
      const agreed = waiting === null ? said : before.agreed;
      const same =
        before.digest === place.digest &&
        text(agreed) === text(before.agreed) &&
        (waiting === null ? before.waiting === null : text(waiting) === text(before.waiting));
      if (same) return;
      if (waiting !== null) {
        const body = { package: place.package, program: place.program, held: 'what it announces changed' };
        await this.#audit.append({ kind: 'hold', body });
      }
      await this.#put(place, { digest: place.digest, agreed, waiting });
    });
  }

  /** What a program says after a change is compared like at any start. Rejects for one that cannot be asked while it is up. */
  async ask(
    place: ProgramPlace,
    up: Upstream | undefined,
    told: (said: UpstreamAnnouncement) => Promise<UpstreamAnnouncement>,
  ): Promise<void> {
    if (up?.announce === undefined) throw new Error('it can only be asked at its start');
    const said = await up.announce({ timeoutMs: askMs, signal: unstoppable });
    await this.heard(place, await told(said));
  }

  /** Agrees to what waits, if it is what was shown. */
  accept(place: ProgramPlace, shown: UpstreamAnnouncement): Promise<void> {
    return this.#inTurn(async () => {
      const entry = this.#known.get(place.manifest)?.get(place.program);
      if (entry === undefined || entry.waiting === null || text(entry.waiting) !== text(shown))
        throw new HostError('integrity', `what ${place.program} of ${place.package} says has changed again`, {
          hint: `look again: toolwharf review ${place.package}`,
        });
      await this.#put(place, { digest: entry.digest, agreed: entry.waiting, waiting: null });
    });
  }

  async #put({ manifest, program }: ProgramPlace, entry: Entry): Promise<void> {
    const { digest, agreed, waiting } = entry;
    const row = { manifest, program, digest, agreed: text(agreed), waiting: waiting && text(waiting) };
    await this.#rows.put(row);
    const programs = this.#known.get(manifest) ?? new Map<string, Entry>();
    this.#known.set(manifest, programs.set(program, entry));
    this.version++;
    this.#changed();
  }
}

/** Whether there is something to look at: in what a model or a person reads of it, or in what it can do. */
function isNews(agreed: UpstreamAnnouncement, said: UpstreamAnnouncement): boolean {
  if (essence(agreed) !== essence(said)) return true;
  return (['resources', 'templates'] as const).some((kind) => {
    const known = new Set((agreed[kind] ?? []).map(entryText));
    return (said[kind] ?? []).some((it) => !known.has(entryText(it)));
  });
}

/** A new version number alone is nothing to look at. */
function essence({ tools, hooks, prompts = [], instructions = '' }: UpstreamAnnouncement): string {
  const byName = (items: readonly object[]) => items.map((it) => text(it as Json & object)).sort();
  return canonicalJson([byName(tools), [...hooks].sort(), byName(prompts), instructions] as unknown as Json);
}

function text(value: object | null): string {
  return canonicalJson(value as unknown as Json);
}

function read(kept: string): UpstreamAnnouncement {
  return JSON.parse(kept) as JsonObject as unknown as UpstreamAnnouncement;
}
