// An anchor is the newest checkpoint of an audit log, kept outside its state directory. A log that was rolled back,
// rewritten or replaced contradicts it.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { isObject, type Json } from '../model/json.js';
import { documentLimits, tryParseBounded } from '../model/json-bounds.js';
import type { RollbackFinding } from './audit-rollback.js';
import { isCheckpointOf, parseCheckpoint, type SignedCheckpoint } from './checkpoint.js';
import { parseVerifierKey, verifierKeyText } from './signed-note.js';

/** An anchor as a place keeps it. */
export interface AuditAnchor {
  /** The state directory of the log. */
  readonly state: string;
  readonly verifierKey: string;
  readonly note: string;
  /** Anchors that the log contradicted later, oldest first. They stay as evidence. */
  readonly contradicted: readonly { readonly verifierKey: string; readonly note: string }[];
}

/** A place outside the state directory that keeps the anchor of one log. */
export interface AnchorPlace {
  /** For people, and to know the place again: a path, or the name of a keychain or webhook. */
  readonly name: string;
  /** The least time between two writes. */
  readonly intervalMs: number;
  /** Not every system has such a place. If it cannot be used, that matters only after it was used once. */
  readonly isOptional: boolean;
  /** Undefined if there is no anchor; throws if that cannot be said. Null if nobody can read it from here. */
  readonly read: (() => Promise<string | undefined>) | null;
  write(anchor: AuditAnchor): Promise<void>;
}

/** An anchor to compare with. `publicKey`: the key that must have signed it; undefined for the key of the log. */
export interface AnchorToCheck {
  readonly place: string;
  readonly checkpoint: SignedCheckpoint;
  readonly publicKey: KeyObject | undefined;
}

/** What a comparison needs to know about the log. */
export interface ComparedLog {
  /** All names that the log ever had. */
  readonly origins: ReadonlySet<string>;
  readonly entries: number;
  readonly publicKey: KeyObject | undefined;
  /** The root of the tree of the first entries, in base64. Undefined if it cannot be computed. */
  readonly rootAt: (size: number) => string | undefined;
}

const schema = 'toolwharf/audit-anchor@1';
/** Contradicted anchors that are kept. */
export const maxContradicted = 16;

export function serializeAnchor(anchor: AuditAnchor): string {
  return `${JSON.stringify({ schema, ...anchor }, null, 2)}\n`;
}

/** Undefined if the text is damaged. */
export function parseAnchor(text: string): AuditAnchor | undefined {
  const value = tryParseBounded(text, documentLimits);
  if (!isObject(value) || value.schema !== schema || !isSigned(value)) return undefined;
  const { state, verifierKey, note, contradicted } = value;
  if (typeof state !== 'string' || !Array.isArray(contradicted) || !contradicted.every(isSigned))
    return undefined;
  return { state, verifierKey, note, contradicted: contradicted as unknown as AuditAnchor['contradicted'] };
}

/** Undefined if the anchor is damaged: its own key did not sign its note. */
export function anchorToCheck(place: string, { note, verifierKey }: AuditAnchor): AnchorToCheck | undefined {
  const checkpoint = parseCheckpoint(note);
  const publicKey = parseVerifierKey(verifierKey)?.publicKey;
  if (checkpoint === undefined || publicKey === undefined) return undefined;
  return isCheckpointOf(checkpoint, publicKey) ? { place, checkpoint, publicKey } : undefined;
}

export function anchorOf(
  state: string,
  { origin, note }: SignedCheckpoint,
  key: KeyObject,
  contradicted: AuditAnchor['contradicted'],
): AuditAnchor {
  const verifierKey = verifierKeyText({ name: origin, publicKey: createPublicKey(key) });
  return { state, verifierKey, note, contradicted: contradicted.slice(-maxContradicted) };
}

/** How the log contradicts an anchor; undefined if it agrees. */
export function contradiction(
  { place, checkpoint, publicKey }: AnchorToCheck,
  log: ComparedLog,
): RollbackFinding | undefined {
  const { origin, size, root, note } = checkpoint;
  const found = (kind: RollbackFinding['kind'], message: string): RollbackFinding => ({
    kind,
    message,
    place,
    note,
  });
  if (!log.origins.has(origin))
    return found(
      'replaced',
      `the audit log was replaced: ${place} has a checkpoint of another audit log, with ${size} entries`,
    );
  const ownKey = log.publicKey;
  const isOwn =
    ownKey !== undefined && (publicKey?.equals(ownKey) ?? true) && isCheckpointOf(checkpoint, ownKey);
  if (!isOwn)
    return found(
      'different',
      `the audit log was rewritten: another key than its own signed the checkpoint of ${size} entries in ${place}`,
    );
  if (size > log.entries)
    return found(
      'shorter',
      `the audit log was rolled back: it ends with entry ${log.entries}, but ${place} has a checkpoint of ${size} entries; the entries after ${log.entries} were removed, or an older copy of the state directory was restored`,
    );
  if (log.rootAt(size) !== root)
    return found(
      'different',
      `the audit log was rewritten: its entries up to ${size} are not those of the checkpoint in ${place}`,
    );
  return undefined;
}

function isSigned(value: Json): value is { verifierKey: string; note: string } & { [name: string]: Json } {
  return isObject(value) && typeof value.verifierKey === 'string' && typeof value.note === 'string';
}
