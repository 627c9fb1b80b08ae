import type { KeyObject } from 'node:crypto';
import type { AuditVerdict } from '../model/audit.js';
import type { JsonObject } from '../model/json.js';
import { type AnchorToCheck, contradiction } from './audit-anchor.js';
import { chainStart, entryHash, entryLeaf } from './audit-hash.js';
import { parseRollback } from './audit-rollback.js';
import { isCheckpointOf, originOf, parseCheckpoint, type SignedCheckpoint } from './checkpoint.js';
import { emptyTree, type TreeEdge, treeRoot, withLeaf } from './merkle-tree.js';
import type { AuditTable } from './state-tables.js';

export interface AuditLogParts {
  /** Ordered by `seq`. */
  readonly entries: AsyncIterable<AuditTable> | Iterable<AuditTable>;
  /** Notes of the checkpoint file, in order. */
  readonly checkpoints: AsyncIterable<string> | Iterable<string>;
  /** Undefined if there is no key, which is valid only if there are no checkpoints. */
  readonly publicKey: KeyObject | undefined;
  /** The name of the log when it began. If absent, the first checkpoint says it. */
  readonly origin?: string;
  /** For a partial audit log: where it starts. `tree`: of all entries before that. */
  readonly from?: { readonly seq: number; readonly previous: string; readonly tree: TreeEdge };
  /** Checkpoints from elsewhere that the log must agree with. */
  readonly anchors?: readonly AnchorToCheck[];
  /** Called now and then with the number of entries that were checked. Other work gets its turn while it waits. */
  readonly onEntries?: ((entries: number) => Promise<void>) | undefined;
}

/** Entries between two reports. Checking so many takes a few milliseconds. */
const reportEvery = 500;

/** The first problem found. */
class AuditProblem extends Error {
  readonly seq: number | undefined;
  constructor(message: string, seq?: number) {
    super(message);
    this.seq = seq;
  }
}

/**
 * Recomputes the hash chain and the tree, and compares them with the checkpoints and anchors. Finds an entry that was
 * changed, removed, inserted or moved, entries missing at the end (back to the last checkpoint or anchor), a rewritten
 * chain, a changed or removed checkpoint, and a rollback that nobody acknowledged.
 */
export async function checkAuditLog(parts: AuditLogParts): Promise<AuditVerdict> {
  const check = new AuditCheck(parts);
  try {
    await check.run();
    return { ok: true, ...check.counts };
  } catch (error) {
    if (!(error instanceof AuditProblem)) throw error;
    return {
      ok: false,
      ...check.counts,
      ...(error.seq === undefined ? {} : { firstBad: error.seq }),
      problem: error.message,
    };
  }
}

class AuditCheck {
  readonly counts = { entries: 0, checkpoints: 0, sealed: 0, anchors: 0, acknowledged: 0 };
  readonly #parts: AuditLogParts;
  #seq: number;
  #previous: string;
  #tree: TreeEdge;
  /** The name that the next checkpoint must have. */
  #origin: string | undefined;
  readonly #origins = new Set<string>();
  /** Digests of checkpoints that no entry mentioned yet, by size. */
  readonly #unmentioned = new Map<number, string>();
  /** Checkpoints that an entry mentions and that are not there. */
  readonly #missing: { readonly seq: number; readonly size: number }[] = [];
  readonly #rollbacks = new Map<number, { readonly message: string; readonly isAboutCheckpoints: boolean }>();
  /** Checkpoints mentioned before this entry may be missing: that was found and acknowledged. */
  #excusedBefore = 0;
  /** Roots at the sizes of the anchors. */
  readonly #roots = new Map<number, string>();

  constructor(parts: AuditLogParts) {
    const { from, origin } = parts;
    this.#parts = parts;
    this.#seq = (from?.seq ?? 1) - 1;
    this.#previous = from?.previous ?? chainStart;
    this.#tree = from?.tree ?? emptyTree;
    if (origin !== undefined) this.#rename(origin);
  }

  async run(): Promise<void> {
    const anchorSizes = new Set(this.#parts.anchors?.map((it) => it.checkpoint.size));
    const checkpoints = this.#signedCheckpoints();
    let next = await checkpoints.next();
    for await (const entry of this.#parts.entries) {
      this.#addEntry(entry);
      if (anchorSizes.has(this.#seq)) this.#roots.set(this.#seq, this.#root());
      while (!next.done && next.value.size <= this.#seq) {
        this.#addCheckpoint(next.value);
        next = await checkpoints.next();
      }
      if (this.counts.entries % reportEvery === 0) await this.#parts.onEntries?.(this.counts.entries);
    }
    if (!next.done) {
      throw new AuditProblem(
        `the audit log ends with entry ${this.#seq}, but there is a checkpoint of ${next.value.size} entries: the newest entries were removed`,
        this.#seq + 1,
      );
    }
    this.#checkAnchors();
    this.#checkRollbacks();
  }

  #addEntry(entry: AuditTable): void {
    assertFollows(entry, this.#seq, this.#previous);
    this.#seq = entry.seq;
    this.#previous = entry.hash;
    this.#tree = withLeaf(this.#tree, entryLeaf(entry.hash));
    this.counts.entries++;
    if (entry.kind === 'checkpoint') this.#addMention(entry);
    if (entry.kind === 'rollback') this.#addRollback(entry);
  }

  #addCheckpoint({ origin, size, root, digest }: SignedCheckpoint): void {
    if (this.#origin === undefined) this.#rename(origin);
    if (origin !== this.#origin)
      throw new AuditProblem(`the checkpoint of ${size} entries is from another audit log`, size);
    if (size !== this.#seq || root !== this.#root())
      throw new AuditProblem(
        `the entries up to ${size} do not match the checkpoint of ${size} entries: the audit log was rewritten`,
        size,
      );
    this.#unmentioned.set(size, digest);
    this.counts.checkpoints++;
    this.counts.sealed = size;
  }

  /** A checkpoint is written before the entry that mentions it, so it was read already. */
  #addMention({ seq, body }: AuditTable): void {
    const mention = JSON.parse(body) as JsonObject;
    const size = Number(mention.size);
    // Before the part that is checked.
    if (size < (this.#parts.from?.seq ?? 1)) return;
    const digest = this.#unmentioned.get(size);
    if (digest === undefined) this.#missing.push({ seq, size });
    else if (digest !== mention.digest)
      throw new AuditProblem(
        `the checkpoint of ${size} entries is not the one that entry ${seq} mentions`,
        seq,
      );
    for (const known of this.#unmentioned.keys()) if (known <= size) this.#unmentioned.delete(known);
  }

  #addRollback({ seq, body }: AuditTable): void {
    const entry = parseRollback(body);
    if (entry === undefined) throw new AuditProblem(`entry ${seq} about a rollback cannot be read`, seq);
    if (entry.type === 'finding') {
      const { message, kind } = entry.finding;
      this.#rollbacks.set(seq, { message, isAboutCheckpoints: kind === 'checkpoints' });
      if (entry.log !== undefined) this.#rename(originOf(entry.log));
      return;
    }
    if (this.#rollbacks.get(entry.of)?.isAboutCheckpoints === true)
      this.#excusedBefore = Math.max(this.#excusedBefore, entry.of);
    if (this.#rollbacks.delete(entry.of)) this.counts.acknowledged++;
  }

  #checkAnchors(): void {
    for (const anchor of this.#parts.anchors ?? []) {
      const { checkpoint, place } = anchor;
      const first = this.#parts.from?.seq ?? 1;
      if (checkpoint.size < first)
        throw new AuditProblem(
          `the checkpoint of ${checkpoint.size} entries in ${place} cannot be compared: these entries start with ${first}`,
        );
      const found = contradiction(anchor, {
        // Without a checkpoint in the log, the anchor says whose name it is.
        origins: this.#origins.size === 0 ? new Set([checkpoint.origin]) : this.#origins,
        entries: this.#seq,
        publicKey: this.#parts.publicKey,
        rootAt: (size) => this.#roots.get(size),
      });
      if (found !== undefined)
        throw new AuditProblem(found.message, found.kind === 'shorter' ? this.#seq + 1 : checkpoint.size);
      this.counts.anchors++;
    }
  }

  #checkRollbacks(): void {
    const [open] = this.#rollbacks;
    if (open !== undefined)
      throw new AuditProblem(`${open[1].message} (entry ${open[0]}; not acknowledged yet)`, open[0]);
    const lost = this.#missing.find((it) => it.seq >= this.#excusedBefore);
    if (lost !== undefined)
      throw new AuditProblem(
        `entry ${lost.seq} mentions a checkpoint of ${lost.size} entries, which is missing`,
        lost.seq,
      );
  }

  /** Yields the checkpoints in order and checks that each is signed. */
  async *#signedCheckpoints(): AsyncGenerator<SignedCheckpoint> {
    const { checkpoints, publicKey } = this.#parts;
    let size = 0;
    for await (const note of checkpoints) {
      const checkpoint = parseCheckpoint(note);
      if (checkpoint === undefined)
        throw new AuditProblem(
          `the checkpoint after the one of ${size} entries was changed or is incomplete`,
        );
      if (publicKey === undefined)
        throw new AuditProblem('the public key is missing: the checkpoints cannot be verified');
      const name = `the checkpoint of ${checkpoint.size} entries`;
      if (!isCheckpointOf(checkpoint, publicKey))
        throw new AuditProblem(`${name} is not signed with the key of this audit log, or was changed`);
      if (checkpoint.size <= size)
        throw new AuditProblem(`${name} is in the wrong place: it comes after one of ${size} entries`);
      ({ size } = checkpoint);
      yield checkpoint;
    }
  }

  #rename(origin: string): void {
    this.#origin = origin;
    this.#origins.add(origin);
  }

  #root(): string {
    return treeRoot(this.#tree).toString('base64');
  }
}

function assertFollows(entry: AuditTable, seq: number, previous: string): void {
  if (entry.seq !== seq + 1) {
    const problem = entry.seq > seq + 1 ? `entry ${seq + 1} is missing` : `entry ${entry.seq} is there twice`;
    throw new AuditProblem(problem, seq + 1);
  }
  if (entry.previous !== previous)
    throw new AuditProblem(
      `entry ${entry.seq} does not follow the entry before it: an entry was changed, removed, moved or inserted there`,
      entry.seq,
    );
  if (entryHash(entry) !== entry.hash)
    throw new AuditProblem(`entry ${entry.seq} was changed after it was written`, entry.seq);
}
