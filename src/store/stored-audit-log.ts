import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditVerdict } from '../model/audit.js';
import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import { readAnchor } from './anchor-reading.js';
import { type AnchorPlace, type AnchorToCheck, anchorToCheck, parseAnchor } from './audit-anchor.js';
import { checkAuditLog } from './audit-check.js';
import { entryLeaf } from './audit-hash.js';
import { proveEntry, proveGrowth } from './audit-proof.js';
import { logNameAt } from './audit-rollback.js';
import { originOf, parseCheckpoint, type SignedCheckpoint } from './checkpoint.js';
import { readOwnPublicKey, readTrustedPublicKey } from './checkpoint-key.js';
import { type CheckpointPaths, readCheckpoints } from './checkpoints.js';
import { emptyTree, serializeEdge, withLeaf } from './merkle-tree.js';
import { verifierKeyText } from './signed-note.js';
import {
  anchoredPlaces,
  entriesBetween,
  entriesContaining,
  hashesAfter,
  hasSealedArguments,
  inSnapshot,
  newestSeq,
  readAuditTree,
  readLogNames,
  seqRange,
} from './sqlite/audit-reading.js';
import { endOfCall, newestEntries, type StoredAuditFilter } from './sqlite/audit-search.js';
import type { SqliteConnection } from './sqlite/sqlite.js';
import { databaseFile } from './sqlite/sqlite-database.js';
import { openReadable } from './sqlite/stored-state.js';
import type { AuditTable } from './state-tables.js';
import type { VerifyOptions } from './verify-options.js';

const pageSize = 500;

/** Reads the audit log of a state directory without a host. It does not disturb a running host. */
export class StoredAuditLog {
  readonly #connection: SqliteConnection;
  readonly #paths: CheckpointPaths;
  readonly #copy: string | undefined;
  readonly #places: readonly AnchorPlace[];

  private constructor(
    connection: SqliteConnection,
    paths: CheckpointPaths,
    copy: string | undefined,
    places: readonly AnchorPlace[],
  ) {
    this.#connection = connection;
    this.#paths = paths;
    this.#copy = copy;
    this.#places = places;
  }

  /**
   * `follow`: opens the database like a host, to see later entries. Without it no file is changed. `places`: where the
   * anchors are that `verify` compares with.
   */
  static open(
    state: string,
    paths: CheckpointPaths,
    { follow = false, places = [] }: { follow?: boolean | undefined; places?: readonly AnchorPlace[] } = {},
  ): StoredAuditLog {
    const path = join(state, databaseFile);
    if (!existsSync(path)) {
      throw new HostError('not_found', `there is no audit log in ${state}`, {
        hint: 'use the right state directory with --state',
      });
    }
    try {
      return new StoredAuditLog(openReadable(path, !follow), paths, undefined, places);
    } catch (error) {
      // Copying a database that this process has open would release its locks.
      if (follow) throw unopenReadable(state, error);
      // SQLite needs to write to the folder to read a WAL database, and must recover the log of a killed host first.
      // Where it cannot write, read a copy.
      const copy = mkdtempSync(join(tmpdir(), 'toolwharf-audit-'));
      try {
        for (const suffix of ['', '-wal']) {
          if (existsSync(`${path}${suffix}`))
            copyFileSync(`${path}${suffix}`, join(copy, `${databaseFile}${suffix}`));
        }
        return new StoredAuditLog(openReadable(join(copy, databaseFile), false), paths, copy, places);
      } catch (error) {
        rmSync(copy, { recursive: true, force: true });
        throw unopenReadable(state, error);
      }
    }
  }

  /** Entries after `after`, up to and including `through`, in order. Reads them in pages. */
  *entries(after = 0, through = Number.MAX_SAFE_INTEGER): Generator<AuditTable> {
    let seq = after;
    for (;;) {
      const page = entriesBetween(this.#connection, seq, through, pageSize);
      yield* page;
      seq = page.at(-1)?.seq ?? seq;
      if (page.length < pageSize) return;
    }
  }

  /** The entries that fit, newest first. */
  newest(filter: StoredAuditFilter): Generator<AuditTable> {
    return newestEntries(this.#connection, filter);
  }

  /** The outcome or recovery of a call, after its intent. */
  endOfCall(call: string, intent: number): AuditTable | undefined {
    return endOfCall(this.#connection, call, intent);
  }

  /** `seq` of the newest entry; 0 if the audit log is empty. */
  lastSeq(): number {
    return newestSeq(this.#connection);
  }

  /** `seq` of the first and last entry in a time range. Undefined if there is none. */
  seqRange(
    since: string | undefined,
    until: string | undefined,
  ): { first: number; last: number } | undefined {
    return seqRange(this.#connection, since ?? '', until ?? '~');
  }

  /** The entries of one call and of its approval, in order. */
  entriesOfCall(call: string): AuditTable[] {
    const own = this.#entriesWith('callId', call);
    const approvals = own.flatMap(({ body }) => {
      const { approval } = JSON.parse(body) as JsonObject;
      return typeof approval === 'string' ? [approval] : [];
    });
    const decided = [...new Set(approvals)].flatMap((it) => this.#entriesWith('approval', it));
    const all = new Map([...own, ...decided].map((it) => [it.seq, it]));
    return [...all.values()].sort((a, b) => a.seq - b.seq);
  }

  /** Whether the sealed arguments of the call are stored. */
  hasKeptArguments(call: string): boolean {
    return hasSealedArguments(this.#connection, call);
  }

  /** Entries whose body has this id in `member`. Searches as text first: parsing every body would take much longer. */
  #entriesWith(member: string, id: string): AuditTable[] {
    const found = entriesContaining(this.#connection, JSON.stringify(id));
    return found.filter(({ body }) => (JSON.parse(body) as JsonObject)[member] === id);
  }

  checkpoints(): AsyncGenerator<string> {
    return readCheckpoints(this.#paths);
  }

  publicKey(): string | undefined {
    return readOwnPublicKey(this.#paths)?.export({ type: 'spki', format: 'pem' }) as string | undefined;
  }

  /** The newest checkpoint. Undefined if there is none. */
  async checkpoint(): Promise<SignedCheckpoint | undefined> {
    let note: string | undefined;
    for await (const it of this.checkpoints()) note = it;
    return note === undefined ? undefined : parseCheckpoint(note);
  }

  /** The key that others verify checkpoints with, as in c2sp.org/signed-note. Undefined if there is none yet. */
  verifierKey(): string | undefined {
    const row = readAuditTree(this.#connection);
    const publicKey = readOwnPublicKey(this.#paths);
    if (row === undefined || publicKey === undefined) return undefined;
    const name = originOf(logNameAt(readLogNames(this.#connection, row.log), Number.MAX_SAFE_INTEGER));
    return verifierKeyText({ name, publicKey });
  }

  /** Leaves of the tree of the first `size` entries. */
  leaves(size: number): Buffer[] {
    const leaves: Buffer[] = [];
    for (const { seq, hash } of hashesAfter(this.#connection, 0)) {
      if (seq > size) break;
      leaves.push(entryLeaf(hash));
    }
    return leaves;
  }

  /** Right edge of the tree of all entries before `seq`, in base64, to verify an export that starts there. */
  treeBefore(seq: number): string {
    return serializeEdge(this.leaves(seq - 1).reduce(withLeaf, emptyTree)).toString('base64');
  }

  proveEntry(seq: number): Promise<string> {
    return proveEntry(this, seq);
  }

  proveGrowth(from: number): Promise<string> {
    return proveGrowth(this, from);
  }

  async verify(options: VerifyOptions = {}): Promise<AuditVerdict> {
    const { publicKey: trusted } = options;
    const publicKey = trusted === undefined ? readOwnPublicKey(this.#paths) : readTrustedPublicKey(trusted);
    // Anchors first, then checkpoints: all entries that they cover are in the database when it is read.
    const { anchors, warnings, problem } = await this.#anchors(options.anchor);
    const checkpoints = this.checkpoints();
    const first = await checkpoints.next();
    const all = async function* () {
      if (first.done) return;
      yield first.value;
      yield* checkpoints;
    };
    const verdict = await inSnapshot(this.#connection, () => {
      const log = readAuditTree(this.#connection)?.log;
      const origin = log === undefined ? {} : { origin: originOf(log) };
      const total = this.lastSeq();
      const { onEntries } = options;
      return checkAuditLog({
        ...{ entries: this.entries(), checkpoints: all(), publicKey, anchors, ...origin },
        ...(onEntries === undefined ? {} : { onEntries: (entries: number) => onEntries(entries, total) }),
      });
    });
    const failed = verdict.ok && problem !== undefined ? { ok: false, problem } : {};
    return { ...verdict, ...failed, ...(warnings.length === 0 ? {} : { warnings }) };
  }

  /** Reads all anchors of the log. `path`: a further one that the user named. */
  async #anchors(path: string | undefined): Promise<{
    readonly anchors: readonly AnchorToCheck[];
    readonly warnings: readonly string[];
    readonly problem: string | undefined;
  }> {
    const known = anchoredPlaces(this.#connection);
    const readings = await Promise.all(this.#places.map((it) => readAnchor(it, known.has(it.name))));
    return {
      anchors: [
        ...readings.flatMap((it) => (it.type === 'anchor' ? [it.check] : [])),
        ...(path === undefined ? [] : [readAnchorAt(path)]),
      ],
      warnings: readings.flatMap((it) => (it.type === 'warning' ? [it.warning] : [])),
      problem: readings.flatMap((it) => (it.type === 'finding' ? [it.finding.message] : []))[0],
    };
  }

  close(): void {
    this.#connection.close();
    if (this.#copy !== undefined) rmSync(this.#copy, { recursive: true, force: true });
  }
}

/** A file with an anchor, or with a signed checkpoint as "audit checkpoint" prints it. */
export function readAnchorAt(path: string): AnchorToCheck {
  let text = '';
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new HostError('not_found', `${path} cannot be read`, {
      cause,
      hint: 'check the path after --anchor',
    });
  }
  const anchor = parseAnchor(text);
  const checkpoint = parseCheckpoint(text);
  const found = anchor === undefined ? undefined : anchorToCheck(path, anchor);
  if (found !== undefined) return found;
  if (checkpoint !== undefined) return { place: path, checkpoint, publicKey: undefined };
  throw new HostError('integrity', `${path} is not a signed checkpoint, or it was changed`, {
    hint: 'use a copy of what "toolwharf audit checkpoint" printed earlier',
  });
}

function unopenReadable(state: string, cause: unknown): HostError {
  return new HostError(
    'state_unusable',
    `the audit log in ${state} cannot be read: the database is damaged`,
    {
      cause,
      hint: 'restore it from a backup; the checkpoints show how many entries it had',
    },
  );
}
