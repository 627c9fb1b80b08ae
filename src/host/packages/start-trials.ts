import { HostError } from '../../model/host-error.js';
import type { GenerationTrial } from '../../model/installation.js';
import { asNotStarted } from '../../run/not-started.js';
import type { InstallationRows } from '../../store/installations.js';
import type { InstallationIndex, InstalledPlace } from './installation-index.js';

/** A generation that replaced another one and never started. */
export interface FailedGeneration {
  readonly package: string;
  readonly generation: number;
  readonly trial: GenerationTrial;
}

/** `text`: what was done, or why not, as a sentence. */
export interface GoneBack {
  readonly isDone: boolean;
  readonly text: string;
}

/** Serves an earlier generation again. Undefined: there is nothing to go back to. */
export type GoBack = (failed: FailedGeneration) => Promise<GoneBack | undefined>;

/** Failed starts after which the host goes back. */
const maxFailedStarts = 3;
/** After this time a failed start has other reasons than the update. Milliseconds. */
const trialMs = 7 * 24 * 3_600_000;
const maxReason = 300;

/** Errors of programs that cannot be started here. A missing sandbox says nothing about the update. */
const startErrors: ReadonlySet<string> = new Set(['runtime_missing']);

/**
 * Watches the first starts of a generation that replaced another one. The first successful start ends the trial. If the
 * first starts fail, the host goes back to the generation before. The counts are stored, so a restart forgets nothing.
 */
export class StartTrials {
  readonly #rows: InstallationRows;
  readonly #index: InstallationIndex;
  readonly #now: () => number;
  /** Trials that ended since their sessions read them. */
  readonly #ended = new Set<string>();
  #goBack: GoBack = async () => undefined;

  constructor(rows: InstallationRows, index: InstallationIndex, now: () => number) {
    this.#rows = rows;
    this.#index = index;
    this.#now = now;
  }

  /** Called once. */
  attach(goBack: GoBack): void {
    this.#goBack = goBack;
  }

  /** A program of the package started and answered. */
  async started(place: InstalledPlace | undefined): Promise<void> {
    const onTrial = await this.#onTrial(place);
    if (onTrial === undefined) return;
    this.#ended.add(keyOf(onTrial));
    await this.#rows.endTrial(onTrial.package, onTrial.generation);
  }

  /** Counts a failed start. Returns the error to report: it says so if the host went back. Other errors do not count. */
  async failed(place: InstalledPlace | undefined, error: unknown): Promise<unknown> {
    if (!(error instanceof HostError) || !(error.notStarted || startErrors.has(error.code))) return error;
    const onTrial = await this.#onTrial(place);
    if (onTrial === undefined) return error;
    const { package: id, generation } = onTrial;
    const reason = error.message.slice(0, maxReason);
    const trial = await this.#rows.countFailedStart(id, generation, reason);
    if (trial === undefined || trial.failures < maxFailedStarts) return error;
    const done = await this.#goBack({ package: id, generation, trial });
    if (done === undefined) return error;
    if (done.isDone) this.#ended.add(keyOf(onTrial));
    const { code, message, toolError } = error;
    const hint = done.isDone ? `${done.text}; the call had no effect, so repeat it` : done.text;
    return new HostError(code, message, {
      ...{ hint, cause: error, notStarted: true },
      ...(toolError === undefined ? {} : { toolError }),
    });
  }

  /** The same for an error of the start itself. */
  async notStarted(place: InstalledPlace | undefined, error: unknown): Promise<unknown> {
    return this.failed(place, asNotStarted(error));
  }

  /**
   * The generation on trial that a program belongs to. Found by its digest: a connection may have been opened before the
   * switch, when the generation had no number yet.
   */
  async #onTrial(place: InstalledPlace | undefined): Promise<InstalledPlace | undefined> {
    if (place === undefined) return undefined;
    const current = await this.#index.current(place.package);
    if (current?.digest !== place.digest || current.trial?.state !== 'open') return undefined;
    const isOver = this.#now() - current.trial.at > trialMs || this.#ended.has(keyOf(current));
    return isOver ? undefined : current;
  }
}

/** With the time of the trial: a package that is installed again counts its generations from 1. */
function keyOf({ package: id, generation, trial }: InstalledPlace): string {
  return `${id} ${generation} ${trial?.at}`;
}
