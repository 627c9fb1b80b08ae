import { randomBytes } from 'node:crypto';

export interface KeptResult {
  readonly text: string;
  readonly mimeType: string;
}

/** Large results that a client fetches in its own time. Bounded in time and size; the oldest go first. */
export interface ResultStore {
  /** The URI to read it by. */
  keep(holder: string, result: KeptResult): string;
  /** Undefined for what is unknown, gone, or somebody else's. */
  read(holder: string, uri: string): KeptResult | undefined;
}

export interface ResultStoreOptions {
  readonly now: () => number;
  readonly lifetimeMs?: number;
  readonly totalBytes?: number;
}

export const resultUri = 'toolwharf://result/';
const usualLifetimeMs = 10 * 60_000;
const usualTotalBytes = 64 * 1024 * 1024;

interface Entry extends KeptResult {
  readonly holder: string;
  readonly bytes: number;
  readonly goneAt: number;
}

export function createResultStore(options: ResultStoreOptions): ResultStore {
  const { now, lifetimeMs = usualLifetimeMs, totalBytes = usualTotalBytes } = options;
  // A map keeps the order of insertion, and all live equally long: the first is the oldest.
  const entries = new Map<string, Entry>();
  let total = 0;
  const drop = (uri: string, { bytes }: Entry) => {
    entries.delete(uri);
    total -= bytes;
  };
  const tidy = (room: number) => {
    for (const [uri, entry] of entries) {
      if (entry.goneAt > now() && total + room <= totalBytes) break;
      drop(uri, entry);
    }
  };
  return {
    keep(holder, { text, mimeType }) {
      // Strings take up to two bytes a character in memory.
      const bytes = text.length * 2;
      tidy(bytes);
      const uri = `${resultUri}${randomBytes(16).toString('base64url')}`;
      if (bytes > totalBytes) return uri;
      entries.set(uri, { holder, text, mimeType, bytes, goneAt: now() + lifetimeMs });
      total += bytes;
      return uri;
    },
    read(holder, uri) {
      tidy(0);
      const entry = entries.get(uri);
      return entry === undefined || entry.holder !== holder ? undefined : entry;
    },
  };
}
