import { isDeepStrictEqual } from 'node:util';
import type { DiscoveredManifest } from '../../bundle/discover.js';
import { digestOf } from '../../bundle/folder.js';
import { sha256 } from '../../files/sha256.js';
import { maxBytes } from '../../formats/document/document.js';
import { inspect } from '../../formats/inspect.js';
import type { Bundle, BundleEntry } from '../../model/bundle.js';
import type { ParseOptions, ParseResult } from '../../model/format.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, deepFreeze, type Json } from '../../model/json.js';

/** A parse result with everything that the format parser read to get it. */
interface CacheEntry {
  /** The inputs besides files, as canonical JSON: parse options, name of the manifest, name of the folder. */
  readonly inputs: string;
  /** Every path that the parser read, with a fingerprint of the content. */
  readonly reads: readonly (readonly [path: string, fingerprint: string])[];
  /** Hash of the list of all files; null if the parser did not ask for the list. */
  readonly files: string | null;
  /** Total size of the files that were read. */
  readonly bytes: number;
  readonly result: ParseResult;
}

/** Storage for cache entries that outlives the host. */
export interface ParseCacheStore {
  get(subject: string): Promise<string | undefined>;
  keep(all: ReadonlyMap<string, string>): Promise<void>;
}

/** Delay before new entries are stored, so that storing does not slow down the start. */
const storeDelayMs = 2000;
/** Limits for the entries in memory. Above them the cache is emptied, so repeated edits cannot fill the memory. */
const maxEntries = 5000;
const maxTotalBytes = 64 * 1024 * 1024;
/** Larger packages are not cached. */
const maxPackageBytes = 2 * 1024 * 1024;
/** Longer entries are not stored, in characters. A typical entry has some thousand. */
const maxStoredLength = 256 * 1024;

/**
 * Caches parse results of unchanged packages. The result of a format parser depends only on its options and on what
 * it reads from the bundle, so the same reads give the same result. The files are still read every time; the cache
 * saves loading and running the parser, which costs more than everything else.
 */
export class ParseCache {
  readonly #store: ParseCacheStore | null;
  readonly #entries = new Map<string, CacheEntry>();
  /** Sum of `bytes` of all entries. */
  #bytes = 0;
  /** Subjects of entries that are not stored yet. */
  readonly #unstored = new Set<string>();
  readonly #onBug: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  /**
   * `store`: null keeps entries in memory only. Entries are stored in the background; an entry that is lost is parsed
   * again.
   */
  constructor(store: ParseCacheStore | null, onBug: (error: unknown) => void) {
    this.#store = store;
    this.#onBug = onBug;
  }

  async parse({ path, format, bundle }: DiscoveredManifest, options: ParseOptions): Promise<ParseResult> {
    const subject = `${format.name}\n${path}\n${bundle.display(bundle.manifest)}`;
    const inputs = canonicalJson([options as unknown as Json, bundle.manifest, bundle.folder]);
    const cached = this.#entries.get(subject) ?? (await this.#readStored(subject));
    if (cached !== undefined && cached.inputs === inputs && isUnchanged(cached, bundle)) {
      this.#keep(subject, cached);
      return cached.result;
    }
    const { recorder, recorded } = recordReads(bundle);
    const result = inspect(await format.load(), recorder, options);
    const reads = recorded();
    if (reads === undefined || reads.bytes > maxPackageBytes) return result;
    this.#keep(subject, { inputs, ...reads, result });
    this.#unstored.add(subject);
    if (this.#store !== null) this.#timer ??= setTimeout(() => this.#storeNew(), storeDelayMs).unref();
    return result;
  }

  async close(): Promise<void> {
    await this.#storeNew();
  }

  #keep(subject: string, entry: CacheEntry): void {
    const before = this.#entries.get(subject)?.bytes ?? 0;
    if (before === 0 && (this.#entries.size >= maxEntries || this.#bytes + entry.bytes > maxTotalBytes)) {
      this.#entries.clear();
      this.#bytes = 0;
    }
    this.#bytes += entry.bytes - before;
    this.#entries.set(subject, entry);
  }

  async #storeNew(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const texts = new Map<string, string>();
    for (const subject of this.#unstored) {
      const text = serialize(this.#entries.get(subject));
      if (text !== undefined) texts.set(subject, text);
    }
    this.#unstored.clear();
    // Without them the next start parses the files again, so a full disk does no harm.
    if (texts.size > 0)
      await this.#store?.keep(texts).catch((error: unknown) => {
        if (!(error instanceof HostError)) this.#onBug(error);
      });
  }

  async #readStored(subject: string): Promise<CacheEntry | undefined> {
    const text = await this.#store?.get(subject);
    try {
      return text === undefined ? undefined : deepFreeze(JSON.parse(text) as CacheEntry);
    } catch {
      // A damaged row counts as missing.
      return undefined;
    }
  }
}

/** Undefined if the entry is too long, or if JSON cannot represent it exactly. */
function serialize(entry: CacheEntry | undefined): string | undefined {
  if (entry === undefined) return undefined;
  const text = JSON.stringify(entry);
  if (text.length > maxStoredLength) return undefined;
  return isDeepStrictEqual(JSON.parse(text), entry) ? text : undefined;
}

/** A bundle that records what is read from it. `recorded` is undefined if the same read gave two different results. */
function recordReads(bundle: Bundle): {
  readonly recorder: Bundle;
  readonly recorded: () => Pick<CacheEntry, 'reads' | 'files' | 'bytes'> | undefined;
} {
  const reads = new Map<string, string>();
  let files: string | null = null;
  let bytes = 0;
  let isConsistent = true;
  const read = (path: string): BundleEntry => {
    const entry = bundle.read(path);
    const fingerprint = fingerprintOf(entry);
    if ((reads.get(path) ?? fingerprint) !== fingerprint) isConsistent = false;
    // Larger files are not parsed, so the result contains nothing from them.
    if (entry.kind === 'file' && !reads.has(path) && entry.bytes.length <= maxBytes)
      bytes += entry.bytes.length;
    reads.set(path, fingerprint);
    return entry;
  };
  const recorder: Bundle = {
    manifest: bundle.manifest,
    folder: bundle.folder,
    display: (path) => bundle.display(path),
    read,
    digest: (path) => digestOf(read(path)),
    files() {
      const all = bundle.files();
      const listHash = hashOfList(all);
      if ((files ?? listHash) !== listHash) isConsistent = false;
      files = listHash;
      return all;
    },
  };
  return { recorder, recorded: () => (isConsistent ? { reads: [...reads], files, bytes } : undefined) };
}

function isUnchanged({ reads, files }: CacheEntry, bundle: Bundle): boolean {
  return (
    (files === null || files === hashOfList(bundle.files())) &&
    reads.every(([path, fingerprint]) => fingerprintOf(bundle.read(path)) === fingerprint)
  );
}

function fingerprintOf(entry: BundleEntry): string {
  switch (entry.kind) {
    case 'file':
      return sha256(entry.bytes);
    case 'rejected':
      return `rejected ${entry.reason} ${entry.detail}`;
    default:
      return entry.kind;
  }
}

function hashOfList(files: readonly string[]): string {
  return sha256(JSON.stringify(files));
}
