import { isObject, type JsonObject } from '../../model/json.js';
import { documentLimits, tryParseBounded } from '../../model/json-bounds.js';
import { canonicalText } from '../metadata/canonical-text.js';

/** What the transparency log says about a registry, in the order in which it happened. */
export type LogEntry =
  | {
      readonly kind: 'publish';
      readonly name: string;
      readonly version: string;
      readonly sha256: string;
      readonly length: number;
      /** SHA-256 of the statements about the release; undefined: none. */
      readonly statements?: string;
      readonly time: string;
    }
  | {
      readonly kind: 'yank' | 'quarantine' | 'release';
      readonly name: string;
      readonly version: string;
      readonly reason: string;
      readonly time: string;
    }
  | {
      readonly kind: 'keys';
      /** A namespace, or a role such as `root`. */
      readonly of: string;
      readonly keys: readonly string[];
      readonly threshold: number;
      readonly time: string;
    };

const kinds: readonly string[] = [
  'publish',
  'yank',
  'quarantine',
  'release',
  'keys',
] satisfies LogEntry['kind'][];

export function writeLogEntry(entry: LogEntry): Buffer {
  return Buffer.from(canonicalText(entry as unknown as JsonObject));
}

/** Undefined if the bytes are not an entry. */
export function readLogEntry(bytes: Uint8Array): LogEntry | undefined {
  const value = tryParseBounded(Buffer.from(bytes).toString('utf8'), documentLimits);
  if (!isObject(value) || !kinds.includes(String(value.kind)) || typeof value.time !== 'string')
    return undefined;
  return value as unknown as LogEntry;
}
