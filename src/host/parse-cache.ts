import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Discovered } from '../bundle/discover.js';
import { maxBytes } from '../formats/document/document.js';
import { inspect } from '../formats/inspect.js';
import type { Bundle, BundleEntry } from '../model/bundle.js';
import type { ParseOptions, ParseResult } from '../model/format.js';
import { canonicalJson, deepFreeze, type Json } from '../model/json.js';

/** What a front end was shown of a package, and what it made of it. */
interface Understanding {
  /** What it was told besides files. */
  readonly told: string;
  /** Every path it asked for, with what was there. */
  readonly looks: readonly (readonly [path: string, there: string])[];
  /** Stands for the list of all files; null where it did not ask. */
  readonly files: string | null;
  /** Of the texts among them. */
  readonly bytes: number;
  readonly result: ParseResult;
}

/** Where understandings outlive the host, as text. */
export interface ParseCacheStore {
  get(subject: string): Promise<string | undefined>;
  keep(all: ReadonlyMap<string, string>): Promise<void>;
}

/** Until what is new is put on the shelf: after the rush of a start. */
const rushMs = 2000;
/** Kept in memory; packages that are gone make room in the end. Whoever writes manifests anew again and again fills nothing. */
const mostKept = 5000;
const mostBytes = 64 * 1024 * 1024;
/** Of what was shown and has a part in what was understood, for one package. */
const largestKept = 2 * 1024 * 1024;
/** Of one understanding as text. Usual ones have some thousand characters. */
const longestText = 256 * 1024;

/**
 * Reads manifests, each once for as long as it stays the same. A front end is a function of what it is shown and of nothing
 * else, so that what it made of the same files is what it would make of them again. They are looked at each time; only the
 * front end is spared, which costs more to load than all the rest of reading a package.
 */
export class ParseCache {
  readonly #shelf: ParseCacheStore | null;
  readonly #known = new Map<string, Understanding>();
  /** Shown for what is kept. */
  #bytes = 0;
  readonly #fresh = new Set<string>();
  readonly #onBug: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;

  /** Nobody waits for the shelf: what does not come to lie there is made again. */
  constructor(shelf: ParseCacheStore | null, onBug: (error: unknown) => void) {
    this.#shelf = shelf;
    this.#onBug = onBug;
  }

  async of({ path, format, bundle }: Discovered, options: ParseOptions): Promise<ParseResult> {
    const subject = `${format.name}\n${path}\n${bundle.display(bundle.manifest)}`;
    const told = canonicalJson([options as unknown as Json, bundle.manifest, bundle.folder]);
    const known = this.#known.get(subject) ?? (await this.#shelved(subject));
    if (known !== undefined && known.told === told && isUnchanged(known, bundle)) {
      this.#keep(subject, known);
      return known.result;
    }
    const { watched, seen } = watch(bundle);
    const result = inspect(await format.load(), watched, options);
    const looks = seen();
    if (looks === undefined || looks.bytes > largestKept) return result;
    this.#keep(subject, { told, ...looks, result });
    this.#fresh.add(subject);
    if (this.#shelf !== null) this.#timer ??= setTimeout(() => this.#shelve(), rushMs).unref();
    return result;
  }

  async close(): Promise<void> {
    await this.#shelve();
  }

  #keep(subject: string, understood: Understanding): void {
    const before = this.#known.get(subject)?.bytes ?? 0;
    if (before === 0 && (this.#known.size >= mostKept || this.#bytes + understood.bytes > mostBytes)) {
      this.#known.clear();
      this.#bytes = 0;
    }
    this.#bytes += understood.bytes - before;
    this.#known.set(subject, understood);
  }

  async #shelve(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const fresh = new Map<string, string>();
    for (const subject of this.#fresh) {
      const text = textOf(this.#known.get(subject));
      if (text !== undefined) fresh.set(subject, text);
    }
    this.#fresh.clear();
    if (fresh.size > 0) await this.#shelf?.keep(fresh).catch(this.#onBug);
  }

  async #shelved(subject: string): Promise<Understanding | undefined> {
    const text = await this.#shelf?.get(subject);
    try {
      return text === undefined ? undefined : deepFreeze(JSON.parse(text) as Understanding);
    } catch {
      // A row that was cut is none.
      return undefined;
    }
  }
}

/** Text from which the very same comes back; undefined where there is none. */
function textOf(known: Understanding | undefined): string | undefined {
  if (known === undefined) return undefined;
  const text = JSON.stringify(known);
  if (text.length > longestText) return undefined;
  return isDeepStrictEqual(JSON.parse(text), known) ? text : undefined;
}

/** The bundle, with somebody who writes down what it is asked; `seen` is undefined if it answered one thing in two ways. */
function watch(bundle: Bundle): {
  readonly watched: Bundle;
  readonly seen: () => Pick<Understanding, 'looks' | 'files' | 'bytes'> | undefined;
} {
  const looks = new Map<string, string>();
  let files: string | null = null;
  let bytes = 0;
  let isSteady = true;
  const watched: Bundle = {
    manifest: bundle.manifest,
    folder: bundle.folder,
    display: (path) => bundle.display(path),
    read(path) {
      const entry = bundle.read(path);
      const there = whatIs(entry);
      if ((looks.get(path) ?? there) !== there) isSteady = false;
      // Larger files are no manifests, and nothing of them is in what was understood.
      if (entry.kind === 'file' && !looks.has(path) && entry.bytes.length <= maxBytes)
        bytes += entry.bytes.length;
      looks.set(path, there);
      return entry;
    },
    files() {
      const all = bundle.files();
      const list = listOf(all);
      if ((files ?? list) !== list) isSteady = false;
      files = list;
      return all;
    },
  };
  return { watched, seen: () => (isSteady ? { looks: [...looks], files, bytes } : undefined) };
}

function isUnchanged({ looks, files }: Understanding, bundle: Bundle): boolean {
  return (
    (files === null || files === listOf(bundle.files())) &&
    looks.every(([path, there]) => whatIs(bundle.read(path)) === there)
  );
}

function whatIs(entry: BundleEntry): string {
  switch (entry.kind) {
    case 'file':
      return hash('sha256', entry.bytes);
    case 'refused':
      return `refused ${entry.reason} ${entry.detail}`;
    default:
      return entry.kind;
  }
}

function listOf(files: readonly string[]): string {
  return hash('sha256', JSON.stringify(files));
}
