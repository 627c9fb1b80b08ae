import { randomBytes } from 'node:crypto';

export interface StoredResult {
  readonly text: string;
  readonly mimeType: string;
}

/** Stores large results for clients to read later. Limited in time and size; the oldest results are dropped first. */
export interface ResultStore {
  /** Returns the URI to read the result. */
  keep(holder: string, result: StoredResult): string;
  /** Undefined if the URI is unknown, expired, or belongs to another holder. */
  read(holder: string, uri: string): StoredResult | undefined;
}

export interface ResultStoreOptions {
  readonly now: () => number;
  readonly lifetimeMs?: number;
  readonly totalBytes?: number;
}

export const resultUriPrefix = 'toolwharf://result/';
const defaultLifetimeMs = 10 * 60_000;
const defaultTotalBytes = 64 * 1024 * 1024;

interface Entry extends StoredResult {
  readonly holder: string;
  readonly bytes: number;
  readonly expiresAt: number;
}

export function createResultStore(options: ResultStoreOptions): ResultStore {
  const { now, lifetimeMs = defaultLifetimeMs, totalBytes = defaultTotalBytes } = options;
  // A map keeps insertion order and all entries have the same lifetime, so the first entry is the oldest.
  const entries = new Map<string, Entry>();
  let total = 0;
  const drop = (uri: string, { bytes }: Entry) => {
    entries.delete(uri);
    total -= bytes;
  };
  const makeRoom = (bytes: number) => {
    for (const [uri, entry] of entries) {
      if (entry.expiresAt > now() && total + bytes <= totalBytes) break;
      drop(uri, entry);
    }
  };
  return {
    keep(holder, { text, mimeType }) {
      // A string uses up to two bytes per character in memory.
      const bytes = text.length * 2;
      makeRoom(bytes);
      const uri = `${resultUriPrefix}${randomBytes(16).toString('base64url')}`;
      if (bytes > totalBytes) return uri;
      entries.set(uri, { holder, text, mimeType, bytes, expiresAt: now() + lifetimeMs });
      total += bytes;
      return uri;
    },
    read(holder, uri) {
      makeRoom(0);
      const entry = entries.get(uri);
      return entry === undefined || entry.holder !== holder ? undefined : entry;
    },
  };
}
