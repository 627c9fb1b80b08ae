import type { Json, JsonPath } from '../../model/json.js';
import { decodedViews } from '../scan/decoded-view.js';
import { CodeTable } from './code-table.js';
import { foldedAscii, foldedCodes, squeeze } from './folded-text.js';
import { type IndexedLeaf, leafAt, matchIn, offsetIn, type SourceMatch } from './indexed-leaf.js';
import { base, hashOf, isBreak, pieceAt, pieceOf } from './piece-hash.js';
import { eachText } from './result-texts.js';
import { SeenAmounts } from './seen-amounts.js';
import type { TaintLabel, TaintOrigin } from './taint-label.js';

/** Characters of a shared piece. One of four offsets is kept, so that any 12 shared characters contain a kept piece. */
const shingle = 9;
const step = 4;
/** base to the power of `shingle`. */
let leaving = 1;
for (let count = 0; count < shingle; count++) leaving = Math.imul(leaving, base);

/** What is known about where a value was seen. */
export const seen = { thirdParty: 1, private: 2, other: 4, any: 7 } as const;

const bytesPerLeaf = 120;
const unknownMatch: SourceMatch = { source: undefined, quote: undefined };

/** The values that a session was shown, bounded in memory. It never forgets: when it is full, every value may have been seen. */
export class ValueIndex {
  readonly #maxBytes: number;
  #codes = new Uint16Array(2048);
  #length = 0;
  #textBytes = 0;
  readonly #tokens = new CodeTable(512);
  readonly #shingles = new CodeTable(512);
  readonly #leaves: IndexedLeaf[] = [];
  readonly #amounts = new SeenAmounts();
  /** By end of a value of at most 64 characters: where the first piece was seen; -1: not reachable. */
  readonly #reached = new Int32Array(65);
  #isComplete: boolean;
  /** The packages of all results, with the flags of all of theirs. */
  readonly #packages = new Map<string, number>();

  constructor({ maxBytes = 32 * 1024 * 1024, isComplete = true } = {}) {
    this.#maxBytes = maxBytes;
    this.#isComplete = isComplete;
  }

  /** False after an overflow, and after a restart without the index. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Bytes in use, tables and texts included. */
  get bytes(): number {
    return (
      this.#codes.byteLength +
      this.#tokens.bytes +
      this.#shingles.bytes +
      this.#textBytes +
      this.#leaves.length * bytesPerLeaf +
      this.#amounts.size * bytesPerLeaf
    );
  }

  /** Adds all keys and scalars of a result. */
  add(
    origin: TaintOrigin,
    value: Json,
    { label, isThirdParty }: { label: TaintLabel; isThirdParty: boolean },
  ): void {
    const flags =
      (isThirdParty ? seen.thirdParty : seen.other) | (label.secrecy === 'public' ? 0 : seen.private);
    this.#packages.set(origin.package, (this.#packages.get(origin.package) ?? 0) | flags);
    eachText(value, [], (text, path) => this.#addText(origin, text, path, flags));
  }

  /** Packages that showed private data; undefined if not all of them are known any more. */
  get privatePackages(): readonly string[] | undefined {
    if (!this.#isComplete) return undefined;
    return [...this.#packages].flatMap(([id, flags]) => ((flags & seen.private) === 0 ? [] : [id]));
  }

  /** What is said about a value that was not found. */
  get #unknown(): SourceMatch | undefined {
    return this.#isComplete ? undefined : unknownMatch;
  }

  /** Whether all results came from one package, as far back as the session goes. */
  isOnlyFrom(packageId: string): boolean {
    return this.#isComplete && this.#packages.size === 1 && this.#packages.has(packageId);
  }

  #addText(origin: TaintOrigin, text: string, path: JsonPath, flags: number): void {
    if (text.length < 2 || !this.#isComplete) return;
    for (const view of decodedViews(text)) {
      if (!this.#isComplete || !this.#reserve(view.text.length)) {
        this.#isComplete = false;
        return;
      }
      this.#leaves.push({ start: this.#length, text: view.text, path, origin, flags });
      this.#textBytes += view.text.length * 2;
      this.#addCodes(view.text, flags);
    }
  }

  /** Makes room for a text. False: it would need more than the index may use. */
  #reserve(length: number): boolean {
    // A character beyond ASCII can become several; tokens have two characters or more.
    const codes = length * 4 + 1;
    let capacity = this.#codes.length;
    while (this.#length + codes > capacity) capacity *= 2;
    const bytes =
      capacity * 2 +
      this.#tokens.bytesWith(length) +
      this.#shingles.bytesWith(length) +
      this.#textBytes +
      length * 2 +
      (this.#leaves.length + 1 + this.#amounts.size) * bytesPerLeaf;
    if (bytes > this.#maxBytes) return false;
    if (capacity > this.#codes.length) {
      const grown = new Uint16Array(capacity);
      grown.set(this.#codes.subarray(0, this.#length));
      this.#codes = grown;
    }
    return true;
  }

  /** Tokens of three kinds: words, names (with dots, hyphens and underscores), and runs without white space. */
  #addCodes(text: string, flags: number): void {
    const codes = this.#codes;
    const tokens = this.#tokens;
    const shingles = this.#shingles;
    const start = this.#length;
    let at = start;
    let nextShingle = start + shingle;
    let word = start;
    let name = start;
    let run = start;
    let wordHash = 0;
    let nameHash = 0;
    let runHash = 0;
    let window = 0;
    const size = text.length;
    for (let index = 0; index <= size; index++) {
      const unit = index === size ? 32 : text.charCodeAt(index);
      let more: readonly number[] | undefined;
      let code = 0;
      if (unit < 128) {
        code = foldedAscii(unit);
        if (code === 0) {
          // A name that is one word, and a run that is one name, are the same piece: it is added once.
          const isOneWord = name === word;
          const isOneName = run === name;
          if (at - word >= 2) tokens.add(codes, wordHash, word, at - word, flags);
          word = at;
          wordHash = 0;
          // . - _ stay in a name.
          if (unit === 46 || unit === 45 || unit === 95) continue;
          if (!isOneWord && at - name >= 2) tokens.add(codes, nameHash, name, at - name, flags);
          name = at;
          nameHash = 0;
          if (!isBreak(unit)) continue;
          if (!isOneName && at - run >= 2) tokens.add(codes, runHash, run, at - run, flags);
          run = at;
          runHash = 0;
          continue;
        }
      } else {
        const point = text.codePointAt(index) as number;
        if (point > 0xffff) index++;
        more = foldedCodes(point);
        if (more.length === 0) continue;
        code = more[0] as number;
      }
      for (let part = 0; ; ) {
        codes[at] = code;
        wordHash = (Math.imul(wordHash, base) + code) >>> 0;
        nameHash = (Math.imul(nameHash, base) + code) >>> 0;
        runHash = (Math.imul(runHash, base) + code) >>> 0;
        window = Math.imul(window, base) + code;
        if (at - start >= shingle) window -= Math.imul(codes[at - shingle] as number, leaving);
        at++;
        if (at === nextShingle) {
          shingles.add(codes, window >>> 0, at - shingle, shingle, flags);
          nextShingle += step;
        }
        part++;
        if (more === undefined || part >= more.length) break;
        code = more[part] as number;
      }
    }
    // A text that is one value is a token as a whole.
    if (at - start >= 2 && at - start <= 64)
      this.#tokens.add(codes, hashOf(codes, start, at - start), start, at - start, flags);
    codes[at] = 0;
    this.#length = at + 1;
  }

  /** Whether a value was seen, as a whole, in part or disguised. `flags`: in which results. */
  find(value: string, flags: number = seen.any): SourceMatch | undefined {
    for (const view of decodedViews(value)) {
      const found = this.#findText(view.text, flags);
      if (found !== undefined) return found;
    }
    return this.#unknown;
  }

  /** Whether exactly this value occurs as a word, a name or a text of its own; not as a part of one. */
  findToken(value: string, flags: number = seen.any): SourceMatch | undefined {
    const at = this.#tokenAt(pieceOf(squeeze(value)), flags);
    return at === -1 ? this.#unknown : this.#matchAt(at);
  }

  /** The same for a squeezed value, read in either direction. */
  findReadable(squeezed: string, flags: number): SourceMatch | undefined {
    const piece = pieceOf(squeezed);
    let at = this.#tokenAt(piece, flags);
    if (at === -1) at = this.#tokenAt(piece.reverse(), flags);
    return at === -1 ? this.#unknown : this.#matchAt(at);
  }

  /** All texts that were shown, with what they become when encodings are undone. */
  get texts(): readonly IndexedLeaf[] {
    return this.#leaves;
  }

  #findText(text: string, flags: number): SourceMatch | undefined {
    const piece = pieceOf(squeeze(text));
    const { length } = piece;
    const isNumber = /^\d/.test(text.trim());
    if (length < (isNumber ? 2 : 3)) return undefined;
    if (length <= 256) {
      const at = this.#tokenAt(piece, flags);
      if (at !== -1) return this.#matchAt(at);
    }
    let window = 0;
    for (let at = 0; at < length; at++) {
      window = Math.imul(window, base) + (piece[at] as number);
      if (at >= shingle) window -= Math.imul(piece[at - shingle] as number, leaving);
      if (at < shingle - 1) continue;
      const found = this.#shingles.find(this.#codes, window >>> 0, piece, at - shingle + 1, shingle, flags);
      if (found !== -1) return this.#matchAt(found);
    }
    return length <= 64 && /[\d@.]/.test(text) ? this.#assembled(piece, flags) : undefined;
  }

  #tokenAt(piece: Uint16Array, flags: number): number {
    return this.#tokens.find(this.#codes, hashOf(piece, 0, piece.length), piece, 0, piece.length, flags);
  }

  /** Whether a value of letters consists of such pieces too. Common words often do. */
  findAssembled(value: string): SourceMatch | undefined {
    const piece = pieceOf(squeeze(value));
    return piece.length <= 64 ? this.#assembled(piece, seen.any) : undefined;
  }

  /** A value that consists of pieces of three characters or more, each of them seen. */
  #assembled(piece: Uint16Array, flags: number): SourceMatch | undefined {
    const { length } = piece;
    const reached = this.#reached.fill(-1, 0, length + 1);
    for (let start = 0; start <= length - 3; start++) {
      if (start > 0 && reached[start] === -1) continue;
      let hash = 0;
      for (let end = start; end < length; end++) {
        hash = (Math.imul(hash, base) + (piece[end] as number)) >>> 0;
        if (end - start < 2 || reached[end + 1] !== -1 || (start === 0 && end === length - 1)) continue;
        const found = this.#tokens.find(this.#codes, hash, piece, start, end - start + 1, flags);
        if (found !== -1) reached[end + 1] = start === 0 ? found : (reached[start] as number);
      }
    }
    const first = reached[length] as number;
    return first === -1 ? undefined : this.#matchAt(first);
  }

  /** Whether a number, in any spelling or in words, was seen in a text of others. */
  findAmount(decimal: string): SourceMatch | undefined {
    return this.#amounts.find(decimal, this.#leaves, seen.thirdParty) ?? this.#unknown;
  }

  /** Whether the letters and digits of a text were seen in a row, whatever is between them. */
  contains(text: string): boolean {
    return !this.#isComplete || pieceAt(this.#codes, this.#length, pieceOf(squeeze(text)), 0) !== -1;
  }

  /** Where the letters and digits of a squeezed value stand in a row, from an offset on. Undefined: nowhere. */
  nextRun(squeezed: string, from: number): { readonly at: number; readonly leaf: IndexedLeaf } | undefined {
    const at = pieceAt(this.#codes, this.#length, pieceOf(squeezed), from);
    return at === -1 ? undefined : { at, leaf: leafAt(this.#leaves, at) };
  }

  #matchAt(offset: number): SourceMatch {
    const leaf = leafAt(this.#leaves, offset);
    return matchIn(leaf, offsetIn(leaf.text, offset - leaf.start));
  }
}
