import type { HostError } from '../../model/host-error.js';
import { isPassingFailure } from '../../run/not-started.js';
import type { FailedStartRows } from '../../store/failed-starts.js';
import type { ProgramRef } from './announcement-registry.js';

interface Entry {
  readonly digest: string;
  readonly reason: string;
}

const maxReason = 500;

/**
 * Why programs could not be started when they were last used. A session that only looks starts none, so this is how it
 * knows that one cannot answer. A successful start removes the entry.
 */
export class FailedStarts {
  readonly #rows: FailedStartRows;
  /** By manifest path, then by program name. */
  readonly #known = new Map<string, Map<string, Entry>>();

  constructor(rows: FailedStartRows) {
    this.#rows = rows;
  }

  /** Reads the stored failures of a package, unless they were read before. */
  async load(manifest: string): Promise<void> {
    if (this.#known.has(manifest)) return;
    const rows = await this.#rows.list(manifest);
    if (this.#known.has(manifest)) return;
    this.#known.set(manifest, new Map(rows.map(({ program, ...entry }) => [program, entry])));
  }

  /** Undefined if this version of the program started, or was never tried. */
  reasonOf({ manifest, program, digest }: Omit<ProgramRef, 'package'>): string | undefined {
    const entry = this.#known.get(manifest)?.get(program);
    return entry?.digest === digest ? entry.reason : undefined;
  }

  async started({ manifest, program }: ProgramRef): Promise<void> {
    await this.load(manifest);
    if (this.#known.get(manifest)?.delete(program) === true) await this.#rows.remove(manifest, program);
  }

  async failed({ manifest, program, digest }: ProgramRef, error: HostError): Promise<void> {
    if (isPassingFailure(error)) return;
    const { message, hint } = error;
    const reason = (hint === undefined ? message : `${message}; ${hint}`).slice(0, maxReason);
    await this.load(manifest);
    const entries = this.#known.get(manifest);
    const before = entries?.get(program);
    if (before?.digest === digest && before.reason === reason) return;
    entries?.set(program, { digest, reason });
    await this.#rows.put({ manifest, program, digest, reason });
  }
}
