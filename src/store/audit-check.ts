import { hash, type KeyObject } from 'node:crypto';
import type { AuditVerdict } from '../model/audit.js';
import type { JsonObject } from '../model/json.js';
import { digestOfLine, isSigned, noCheckpoint, readCheckpoint, type SignedCheckpoint } from './checkpoint.js';
import type { AuditTable } from './database.js';

/** What the first line stands on. */
export const chainStart = '0'.repeat(64);

/** The hash that seals a line. Written out by hand: it is the canonical JSON of the line without its hash. */
export function hashOf({ seq, at, kind, body, previous }: Omit<AuditTable, 'hash'>): string {
  const text = `{"at":${JSON.stringify(at)},"body":${JSON.stringify(body)},"kind":${JSON.stringify(kind)},"previous":${JSON.stringify(previous)},"seq":${seq}}`;
  return hash('sha256', text);
}

export interface AuditLogParts {
  /** In their order. */
  readonly lines: AsyncIterable<AuditTable> | Iterable<AuditTable>;
  /** As they are written, in their order. */
  readonly checkpoints: AsyncIterable<string> | Iterable<string>;
  /** Undefined when there is none, which is right only where nothing was signed. */
  readonly publicKey: KeyObject | undefined;
  /** A part of a record: where it begins. */
  readonly from?: { readonly seq: number; readonly previous: string };
}

/** The first thing that is wrong. */
class Wrong extends Error {
  readonly seq: number | undefined;
  constructor(message: string, seq?: number) {
    super(message);
    this.seq = seq;
  }
}

/**
 * Recomputes the chain and lays the checkpoints beside it. Finds a line that was changed, removed, put in or moved, lines cut
 * off at the end back to the last checkpoint, a chain that was written anew, and a checkpoint that was changed or removed.
 */
export async function checkAuditLog(parts: AuditLogParts): Promise<AuditVerdict> {
  const state = { entries: 0, checkpoints: 0, sealed: 0 };
  try {
    await walk(parts, state);
    return { ok: true, ...state };
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    return {
      ok: false,
      ...state,
      ...(error.seq === undefined ? {} : { firstBad: error.seq }),
      problem: error.message,
    };
  }
}

interface Progress {
  entries: number;
  checkpoints: number;
  sealed: number;
}

async function walk({ lines, checkpoints, publicKey, from }: AuditLogParts, state: Progress): Promise<void> {
  const seals = sealsOf(checkpoints, publicKey, from !== undefined);
  /** Digests of the checkpoints that the record speaks of, until they turn up. */
  const noted = new Map<number, { digest: string; seq: number }>();
  const seen = new Map<number, string>();
  let next = await seals.next();
  let seq = (from?.seq ?? 1) - 1;
  let previous = from?.previous ?? chainStart;
  for await (const line of lines) {
    assertFits(line, seq, previous);
    seq = line.seq;
    previous = line.hash;
    while (!next.done && next.value.seal.seq <= seq) {
      const { seal, digest } = next.value;
      if (seal.seq === seq && seal.hash !== line.hash)
        throw new Wrong(
          `line ${seq} is not the one that checkpoint ${seal.n} saw: the record was written anew`,
          seq,
        );
      seen.set(seal.n, digest);
      state.checkpoints++;
      state.sealed = seal.seq;
      next = await seals.next();
    }
    state.entries++;
    if (line.kind === 'checkpoint') note(line, noted);
    for (const [n, { digest, seq: at }] of noted) {
      if (!seen.has(n)) continue;
      if (seen.get(n) !== digest)
        throw new Wrong(`checkpoint ${n} is not the one that line ${at} speaks of`, at);
      noted.delete(n);
      for (const old of seen.keys()) if (old < n) seen.delete(old);
    }
  }
  if (!next.done) {
    const { seal } = next.value;
    throw new Wrong(
      `the record ends with line ${seq}, and checkpoint ${seal.n} saw line ${seal.seq}: newer lines were cut off`,
      seq + 1,
    );
  }
  const [lost] = from === undefined ? noted : [];
  if (lost !== undefined)
    throw new Wrong(`line ${lost[1].seq} speaks of checkpoint ${lost[0]}, which is gone`, lost[1].seq);
}

function assertFits(line: AuditTable, seq: number, previous: string): void {
  if (line.seq !== seq + 1) {
    const what = line.seq > seq + 1 ? `line ${seq + 1} is missing` : `line ${line.seq} is there twice`;
    throw new Wrong(what, seq + 1);
  }
  if (line.previous !== previous)
    throw new Wrong(
      `line ${line.seq} does not follow the one before it: a line was changed, removed, moved or put in there`,
      line.seq,
    );
  if (hashOf(line) !== line.hash)
    throw new Wrong(`line ${line.seq} was changed after it was written`, line.seq);
}

function note(line: AuditTable, noted: Map<number, { digest: string; seq: number }>): void {
  const { n, digest } = JSON.parse(line.body) as JsonObject;
  noted.set(Number(n), { digest: String(digest), seq: line.seq });
}

/** Checkpoints in their order, each signed and standing on the one before. */
async function* sealsOf(
  lines: AuditLogParts['checkpoints'],
  publicKey: KeyObject | undefined,
  partial: boolean,
): AsyncGenerator<{ seal: SignedCheckpoint; digest: string }> {
  let n = 0;
  let seq = 0;
  let before: string | undefined = partial ? undefined : noCheckpoint;
  for await (const line of lines) {
    const seal = readCheckpoint(line);
    const name = `checkpoint ${before === undefined ? '' : n + 1}`.trim();
    if (seal === undefined) throw new Wrong(`${name} was changed, or written only in part`);
    if (publicKey === undefined)
      throw new Wrong('the key of the checkpoints is gone: nothing can be said of them');
    if (!isSigned(seal, publicKey))
      throw new Wrong(`${name} is not signed with the key of this record, or was changed`);
    if (before !== undefined && (seal.n !== n + 1 || seal.before !== before))
      throw new Wrong(`${name} is missing, or they were put in another order`);
    if (seal.seq <= seq && n > 0) throw new Wrong(`${name} does not come after the one before it`);
    ({ n, seq } = seal);
    before = digestOfLine(line);
    yield { seal, digest: before };
  }
}
