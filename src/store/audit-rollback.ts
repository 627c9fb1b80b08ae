// Entries of the kind `rollback`: what the host found that shows a rollback of the audit log, and who acknowledged it.
import { isObject, type Json, type JsonObject } from '../model/json.js';
import { documentLimits, tryParseBounded } from '../model/json-bounds.js';

/**
 * `shorter`: an anchor has more entries. `different`: an anchor has other entries, or another key signed it. `replaced`: an
 * anchor is for another audit log of the same folder. `checkpoints`: checkpoints that the log mentions are missing.
 * `anchor`: an anchor that was written is missing or damaged.
 */
export type RollbackKind = 'shorter' | 'different' | 'replaced' | 'checkpoints' | 'anchor';

/** What was found. */
export interface RollbackFinding {
  readonly kind: RollbackKind;
  /** A sentence that says what was found, and where. */
  readonly message: string;
  /** Where the evidence is: a file, or the name of a keychain. */
  readonly place: string;
  /** The signed note of the anchor, as evidence. */
  readonly note?: string;
}

/** A finding as stored in the audit log. */
export interface StoredRollback extends RollbackFinding {
  readonly seq: number;
  readonly at: string;
  readonly isAcknowledged: boolean;
}

/** `log`: a new random name, if the log must not continue under the name that signed the lost entries. */
export function rollbackBody({ kind, message, place, note }: RollbackFinding, log?: string): JsonObject {
  return {
    finding: kind,
    message,
    place,
    ...(note === undefined ? {} : { note }),
    ...(log === undefined ? {} : { log }),
  };
}

/** What an entry of the kind `rollback` says. */
export type RollbackEntry =
  | { readonly type: 'finding'; readonly finding: RollbackFinding; readonly log?: string }
  | { readonly type: 'acknowledgement'; readonly of: number };

/** Undefined if the body is damaged. */
export function parseRollback(body: string): RollbackEntry | undefined {
  const value = tryParseBounded(body, documentLimits);
  if (!isObject(value)) return undefined;
  const { finding, message, place, note, log, acknowledges } = value;
  if (typeof acknowledges === 'number') return { type: 'acknowledgement', of: acknowledges };
  if (![finding, message, place].every(isText)) return undefined;
  return {
    type: 'finding',
    finding: {
      kind: finding as RollbackKind,
      message: message as string,
      place: place as string,
      ...(isText(note) ? { note } : {}),
    },
    ...(isText(log) ? { log } : {}),
  };
}

/** Columns of an entry of the kind `rollback`. */
export interface RollbackRow {
  readonly seq: number;
  readonly at: string;
  readonly body: string;
}

/** A name of the log, with the entry that it begins with. */
export interface LogName {
  readonly since: number;
  readonly log: string;
}

/** All findings, oldest first. */
export function findingsOf(rows: readonly RollbackRow[]): StoredRollback[] {
  const found = new Map<number, StoredRollback>();
  for (const { seq, at, entry } of entriesOf(rows)) {
    if (entry.type === 'finding') found.set(seq, { ...entry.finding, seq, at, isAcknowledged: false });
    else {
      const known = found.get(entry.of);
      if (known !== undefined) found.set(entry.of, { ...known, isAcknowledged: true });
    }
  }
  return [...found.values()];
}

/** All names of the log, in order. `first`: the one that it began with. */
export function logNamesOf(rows: readonly RollbackRow[], first: string): LogName[] {
  const renamed = entriesOf(rows).flatMap(({ seq, entry }) =>
    entry.type === 'finding' && entry.log !== undefined ? [{ since: seq, log: entry.log }] : [],
  );
  return [{ since: 0, log: first }, ...renamed];
}

/** The random name of the log for a checkpoint of `size` entries. */
export function logNameAt(names: readonly LogName[], size: number): string {
  return (names.findLast((it) => it.since <= size) as LogName).log;
}

function entriesOf(
  rows: readonly RollbackRow[],
): { readonly seq: number; readonly at: string; readonly entry: RollbackEntry }[] {
  return rows.flatMap(({ seq, at, body }) => {
    const entry = parseRollback(body);
    return entry === undefined ? [] : [{ seq, at, entry }];
  });
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}
