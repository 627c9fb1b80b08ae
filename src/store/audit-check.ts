import type { KeyObject } from 'node:crypto';
import { sha256 } from '../files/sha256.js';
import type { AuditVerdict } from '../model/audit.js';
import type { JsonObject } from '../model/json.js';
import {
  checkpointDigest,
  hasValidSignature,
  noCheckpoint,
  parseCheckpoint,
  type SignedCheckpoint,
} from './checkpoint.js';
import type { AuditTable } from './database.js';

/** `previous` of the first entry. */
export const chainStart = '0'.repeat(64);

/** The hash of an entry: SHA-256 of its canonical JSON without the hash, built by hand because that is faster. */
export function entryHash({ seq, at, kind, body, previous }: Omit<AuditTable, 'hash'>): string {
  const text = `{"at":${JSON.stringify(at)},"body":${JSON.stringify(body)},"kind":${JSON.stringify(kind)},"previous":${JSON.stringify(previous)},"seq":${seq}}`;
  return sha256(text);
}

export interface AuditLogParts {
  /** Ordered by `seq`. */
  readonly entries: AsyncIterable<AuditTable> | Iterable<AuditTable>;
  /** Lines of the checkpoint file, in order. */
  readonly checkpoints: AsyncIterable<string> | Iterable<string>;
  /** Undefined if there is no key, which is valid only if there are no checkpoints. */
  readonly publicKey: KeyObject | undefined;
  /** For a partial audit log: where it starts. */
  readonly from?: { readonly seq: number; readonly previous: string };
}

/** The first problem found. */
class AuditProblem extends Error {
  readonly seq: number | undefined;
  constructor(message: string, seq?: number) {
    super(message);
    this.seq = seq;
  }
}

/**
 * Recomputes the hash chain and compares it with the checkpoints. Finds an entry that was changed, removed, inserted or
 * moved, entries missing at the end (back to the last checkpoint), a rewritten chain, and a changed or removed checkpoint.
 */
export async function checkAuditLog(parts: AuditLogParts): Promise<AuditVerdict> {
  const state = { entries: 0, checkpoints: 0, sealed: 0 };
  try {
    await walk(parts, state);
    return { ok: true, ...state };
  } catch (error) {
    if (!(error instanceof AuditProblem)) throw error;
    return {
      ok: false,
      ...state,
      ...(error.seq === undefined ? {} : { firstBad: error.seq }),
      problem: error.message,
    };
  }
}

interface CheckState {
  entries: number;
  checkpoints: number;
  sealed: number;
}

async function walk(
  { entries, checkpoints, publicKey, from }: AuditLogParts,
  state: CheckState,
): Promise<void> {
  const verified = verifiedCheckpoints(checkpoints, publicKey, from !== undefined);
  /** Checkpoints that the audit log mentions and that have not been read yet. */
  const mentioned = new Map<number, { digest: string; seq: number }>();
  const seen = new Map<number, string>();
  let next = await verified.next();
  let seq = (from?.seq ?? 1) - 1;
  let previous = from?.previous ?? chainStart;
  for await (const entry of entries) {
    assertFollows(entry, seq, previous);
    seq = entry.seq;
    previous = entry.hash;
    while (!next.done && next.value.checkpoint.seq <= seq) {
      const { checkpoint, digest } = next.value;
      if (checkpoint.seq === seq && checkpoint.hash !== entry.hash)
        throw new AuditProblem(
          `entry ${seq} does not match checkpoint ${checkpoint.n}: the audit log was rewritten`,
          seq,
        );
      seen.set(checkpoint.n, digest);
      state.checkpoints++;
      state.sealed = checkpoint.seq;
      next = await verified.next();
    }
    state.entries++;
    if (entry.kind === 'checkpoint') addMention(entry, mentioned);
    for (const [n, { digest, seq: at }] of mentioned) {
      if (!seen.has(n)) continue;
      if (seen.get(n) !== digest)
        throw new AuditProblem(`checkpoint ${n} does not match the one in entry ${at}`, at);
      mentioned.delete(n);
      for (const old of seen.keys()) if (old < n) seen.delete(old);
    }
  }
  if (!next.done) {
    const { checkpoint } = next.value;
    throw new AuditProblem(
      `the audit log ends with entry ${seq}, but checkpoint ${checkpoint.n} is for entry ${checkpoint.seq}: the newest entries were removed`,
      seq + 1,
    );
  }
  const [lost] = from === undefined ? mentioned : [];
  if (lost !== undefined)
    throw new AuditProblem(
      `entry ${lost[1].seq} mentions checkpoint ${lost[0]}, which is missing`,
      lost[1].seq,
    );
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

function addMention(entry: AuditTable, mentioned: Map<number, { digest: string; seq: number }>): void {
  const { n, digest } = JSON.parse(entry.body) as JsonObject;
  mentioned.set(Number(n), { digest: String(digest), seq: entry.seq });
}

/** Yields the checkpoints in order and checks that each is signed and refers to the one before. */
async function* verifiedCheckpoints(
  lines: AuditLogParts['checkpoints'],
  publicKey: KeyObject | undefined,
  partial: boolean,
): AsyncGenerator<{ checkpoint: SignedCheckpoint; digest: string }> {
  let n = 0;
  let seq = 0;
  let before: string | undefined = partial ? undefined : noCheckpoint;
  for await (const line of lines) {
    const checkpoint = parseCheckpoint(line);
    const name = `checkpoint ${before === undefined ? '' : n + 1}`.trim();
    if (checkpoint === undefined) throw new AuditProblem(`${name} was changed or is incomplete`);
    if (publicKey === undefined)
      throw new AuditProblem('the public key is missing: the checkpoints cannot be verified');
    if (!hasValidSignature(checkpoint, publicKey))
      throw new AuditProblem(`${name} is not signed with the key of this audit log, or was changed`);
    if (before !== undefined && (checkpoint.n !== n + 1 || checkpoint.before !== before))
      throw new AuditProblem(`${name} is missing, or the checkpoints are in the wrong order`);
    if (checkpoint.seq <= seq && n > 0)
      throw new AuditProblem(`${name} does not come after the checkpoint before it`);
    ({ n, seq } = checkpoint);
    before = checkpointDigest(line);
    yield { checkpoint, digest: before };
  }
}
