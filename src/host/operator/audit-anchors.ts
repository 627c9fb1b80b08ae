import type { KeyObject } from 'node:crypto';
import { readAnchor } from '../../store/anchor-reading.js';
import type { AnchorRows } from '../../store/anchor-rows.js';
import { type AnchorPlace, type AuditAnchor, anchorOf, contradiction } from '../../store/audit-anchor.js';
import type { OpenedAuditLog } from '../../store/audit-opening.js';
import type { RollbackFinding } from '../../store/audit-rollback.js';
import type { SignedCheckpoint } from '../../store/checkpoint.js';
import { AnchorWriter } from './anchor-writer.js';

export interface AuditAnchorsOptions {
  readonly state: string;
  readonly places: readonly AnchorPlace[];
  readonly rows: AnchorRows;
  /** The key that signs checkpoints. */
  readonly key: KeyObject;
  /** The log as it was found. */
  readonly compared: OpenedAuditLog['compared'];
  /** Called with an anchor that contradicts the log, or that is missing. */
  readonly onFinding: (finding: RollbackFinding) => Promise<void>;
  /** Called when a place cannot be used, and when it can be used again (`problem` is undefined). */
  readonly onStatus: (place: string, problem: string | undefined) => void;
  readonly retryDelaysMs?: readonly number[] | undefined;
}

/** Compares the log with its anchors once, and then keeps the anchors up to date. */
export class AuditAnchors {
  readonly #options: AuditAnchorsOptions;
  /** Places that were compared, with the anchors that they keep as evidence. */
  readonly #ready = new Map<AnchorWriter, AuditAnchor['contradicted']>();
  readonly #background: Promise<void>[] = [];
  #newest: SignedCheckpoint | undefined;
  #isClosed = false;
  /** Places that have a checkpoint of all entries. */
  #current = 0;

  private constructor(options: AuditAnchorsOptions) {
    this.#options = options;
  }

  /** Compares with all places before it returns, except optional ones: a keychain may take its time. */
  static async open(options: AuditAnchorsOptions): Promise<AuditAnchors> {
    const opened = new AuditAnchors(options);
    const known = await options.rows.places();
    for (const place of options.places) {
      const work = opened.#compare(place, known.has(place.name));
      if (place.isOptional) opened.#background.push(work.catch(() => {}));
      else await work;
    }
    return opened;
  }

  /** Whether all places have a checkpoint of all entries that were found. */
  get isCurrent(): boolean {
    return this.#current === this.#options.places.length;
  }

  /** The newest checkpoint is on disk. */
  update(checkpoint: SignedCheckpoint): void {
    this.#newest = checkpoint;
    for (const writer of this.#ready.keys()) this.#offer(writer, checkpoint);
  }

  /** Writes the newest checkpoint to all places, but does not wait long for one that does not answer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#ready.keys()].map((it) => it.close()));
  }

  async #compare(place: AnchorPlace, isKnown: boolean): Promise<void> {
    const { compared, onFinding, onStatus } = this.#options;
    const reading = await readAnchor(place, isKnown);
    if (this.#isClosed) return;
    let contradicted: AuditAnchor['contradicted'] = [];
    if (reading.type === 'warning') onStatus(place.name, reading.warning);
    if (reading.type === 'finding') await onFinding(reading.finding);
    if (reading.type === 'anchor') {
      const { anchor, check } = reading;
      const { size } = check.checkpoint;
      const root = size <= compared.entries ? await compared.rootAt(size) : undefined;
      const finding = contradiction(check, { ...compared, rootAt: () => root });
      const { note, verifierKey } = anchor;
      contradicted = [...anchor.contradicted, ...(finding === undefined ? [] : [{ verifierKey, note }])];
      if (finding !== undefined) await onFinding(finding);
      else if (size === compared.entries) this.#current += 1;
    }
    // An anchor that cannot be read now is not overwritten: it may be the only evidence.
    if (reading.type !== 'warning') this.#start(place, isKnown, contradicted);
  }

  #start(place: AnchorPlace, isKnown: boolean, contradicted: AuditAnchor['contradicted']): void {
    const { rows, onStatus, retryDelaysMs } = this.#options;
    let hasFailed = false;
    const writer = new AnchorWriter(place, {
      ...(retryDelaysMs === undefined ? {} : { retryDelaysMs }),
      onWritten: () => {
        if (place.read !== null && !isKnown) rows.add(place.name).catch(() => {});
        if (hasFailed) this.#report(() => onStatus(place.name, undefined));
        hasFailed = false;
      },
      onFailed: (reason) => {
        // A system without this place.
        if (place.isOptional && !isKnown && !hasFailed) this.#ready.delete(writer);
        else this.#report(() => onStatus(place.name, reason));
        hasFailed = true;
      },
    });
    this.#ready.set(writer, contradicted);
    if (this.#newest !== undefined) this.#offer(writer, this.#newest);
  }

  #offer(writer: AnchorWriter, checkpoint: SignedCheckpoint): void {
    const { state, key } = this.#options;
    writer.offer(anchorOf(state, checkpoint, key, this.#ready.get(writer) ?? []));
  }

  /** The log takes no entries any more while it is being closed. */
  #report(report: () => void): void {
    if (!this.#isClosed) report();
  }
}
