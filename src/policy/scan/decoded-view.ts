import type { TextSpan } from '../guardrails/text-span.js';
import { encodedRuns, hasEncodedRun, isAscii, mayHaveHexDump } from './encoded-runs.js';
import { fromHex, readableBase64, readableText } from './encoding.js';

/** A text with an encoding undone. */
export interface DecodedView {
  readonly text: string;
  /** Maps the view back to the original text; null where the view is that text. Computed on demand: few views match. */
  readonly offsets: (() => OffsetMap) | null;
}

/** By character of a view: where it starts and ends in the original text. */
export interface OffsetMap {
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Translates a match in a view to the original text. */
export function toOriginal<T extends TextSpan>(match: T, { offsets }: DecodedView): T {
  if (offsets === null) return match;
  const { starts, ends } = offsets();
  return { ...match, start: starts[match.start] as number, end: ends[match.end - 1] as number };
}

/** Encodings inside each other that are undone. */
const maxDepth = 3;
/** Characters of a run that may be base64 or hex; shorter runs are not decoded. */
const minRunLength = 16;
/** Bytes of a hex dump with separators between them. */
const minDumpBytes = 8;

/** The text itself, and what it becomes when escapes, percent signs, base64 and hex are decoded, also when nested. */
export function decodedViews(text: string): DecodedView[] {
  const views: DecodedView[] = [{ text, offsets: null }];
  if (!mayBeEncoded(text)) return views;
  const seen = new Set([text]);
  // Bounds the size of all views together.
  let budget = text.length * 8 + 4096;
  let first = 0;
  for (let depth = 0; depth < maxDepth; depth++) {
    const last = views.length;
    for (; first < last; first++) {
      const outer = views[first] as DecodedView;
      for (const inner of decodeOnce(outer.text)) {
        if (seen.has(inner.text)) continue;
        budget -= inner.text.length;
        if (budget < 0) return views;
        seen.add(inner.text);
        views.push(nested(outer, inner));
      }
    }
  }
  return views;
}

/** The view of a view, with offsets of the original text. */
function nested({ offsets: outer }: DecodedView, inner: DecodedView): DecodedView {
  const { text, offsets } = inner;
  if (outer === null || offsets === null) return inner;
  return {
    text,
    offsets: once(() => {
      const { starts: outerStarts, ends: outerEnds } = outer();
      const { starts, ends } = offsets();
      return {
        starts: starts.map((it) => outerStarts[it] as number),
        ends: ends.map((it) => outerEnds[it - 1] as number),
      };
    }),
  };
}

function once(make: () => OffsetMap): () => OffsetMap {
  let made: OffsetMap | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The text itself, and what it becomes without escapes, percent signs, entities and invisible characters. */
export function unescapedViews(text: string): DecodedView[] {
  const views: DecodedView[] = [{ text, offsets: null }];
  if (escapeSigns.test(text)) for (const it of unescapedForms(text)) views.push(it);
  return views;
}

/** A text without any of these has nothing to unescape. */
const escapeSigns = /[%\\&\u0080-\uffff]/;

function mayBeEncoded(text: string): boolean {
  return escapeSigns.test(text) || mayHaveRuns(text);
}

function mayHaveRuns(text: string): boolean {
  return hasEncodedRun(text, minRunLength) || mayHaveHexDump(text, minDumpBytes);
}

function* unescapedForms(text: string): Generator<DecodedView> {
  if (text.includes('%')) yield* replaced(text, percentRun, decodePercent);
  if (text.includes('\\')) yield* replaced(text, backslashEscape, decodeBackslash);
  if (text.includes('&')) yield* replaced(text, entity, decodeEntity);
  if (!isAscii(text) && invisible.test(text)) yield* replaced(text, invisibleRun, () => '');
}

function* decodeOnce(text: string): Generator<DecodedView> {
  yield* unescapedForms(text);
  const runs = runsOf(text);
  for (let index = 0; index < runs.length; index += 2) {
    const start = runs[index] as number;
    const end = runs[index + 1] as number;
    const plain = decodeRun(text.slice(start, end));
    if (plain === undefined || plain.length < 8) continue;
    const { length } = plain;
    // A match inside a run covers the whole run.
    yield {
      text: plain,
      offsets: once(() => ({
        starts: new Int32Array(length).fill(start),
        ends: new Int32Array(length).fill(end),
      })),
    };
  }
}

/** Start and end of everything that may be base64 or hexadecimal, as a flat list. */
function runsOf(text: string): readonly number[] {
  if (mayHaveHexDump(text, minDumpBytes))
    return [...text.matchAll(runOrDump)].flatMap((it) => [
      it.index,
      it.index + withoutForeignSigns(it[0]).length,
    ]);
  const runs = encodedRuns(text, minRunLength);
  // The padding of base64 belongs to the run.
  for (let index = 1; index < runs.length; index += 2) {
    const end = runs[index] as number;
    const length = end - (runs[index - 1] as number);
    if (text.charAt(end) === '=')
      runs[index] = end + Math.min(paddingFor(length), text.charAt(end + 1) === '=' ? 2 : 1);
  }
  return runs;
}

/** Signs of padding after so many characters of base64. One more sign belongs to the text around it. */
function paddingFor(length: number): number {
  return [0, 0, 2, 1][length % 4] as number;
}

function withoutForeignSigns(run: string): string {
  const bare = run.replace(/=+$/, '');
  return run.slice(0, bare.length + Math.min(run.length - bare.length, paddingFor(bare.length)));
}

const invisible = /\p{Default_Ignorable_Code_Point}/u;
const invisibleRun = /\p{Default_Ignorable_Code_Point}+/gu;
const percentRun = /(?:%[0-9A-Fa-f]{2})+|\+/g;
const backslashEscape = /\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[^ux])/g;
const entity = /&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);/g;
const runOrDump = new RegExp(
  `(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${minRunLength},}={0,2}|(?:[0-9A-Fa-f]{2}[ :,-]){${minDumpBytes - 1},}[0-9A-Fa-f]{2}`,
  'g',
);

type Decode = (match: string) => string;

function* replaced(text: string, pattern: RegExp, decode: Decode): Generator<DecodedView> {
  const plain = text.replace(pattern, (it) => decode(it));
  // An equal text means that nothing matched.
  if (plain !== text)
    yield { text: plain, offsets: once(() => offsetsOf(text, pattern, decode, plain.length)) };
}

function offsetsOf(text: string, pattern: RegExp, decode: Decode, length: number): OffsetMap {
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  let written = 0;
  let read = 0;
  const copyUpTo = (end: number) => {
    for (; read < end; read++, written++) {
      starts[written] = read;
      ends[written] = read + 1;
    }
  };
  for (const match of text.matchAll(pattern)) {
    copyUpTo(match.index);
    const next = written + decode(match[0]).length;
    read = match.index + match[0].length;
    starts.fill(match.index, written, next);
    ends.fill(read, written, next);
    written = next;
  }
  copyUpTo(text.length);
  return { starts, ends };
}

/** Bytes that are not valid UTF-8 are decoded one by one, so that none is lost. */
function decodePercent(run: string): string {
  if (run === '+') return ' ';
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

const controlEscapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function decodeBackslash(match: string): string {
  const kind = match.charAt(1);
  if (kind !== 'u' && kind !== 'x') return controlEscapes[kind] ?? kind;
  const code = Number.parseInt(match.replace(/[\\ux{}]/g, ''), 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const namedEntities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntity(match: string): string {
  const name = match.slice(1, -1);
  if (!name.startsWith('#')) return namedEntities[name] ?? '';
  const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const separator = /[ :,=-]/;
const separatorRun = /[ :,=-]+/g;
const hexadecimal = /^[0-9A-Fa-f]+$/;
/** Base64 has none of these, so a run with one can only be a hex dump. */
const dumpOnly = /[ :,]/;

function decodeRun(run: string): string | undefined {
  const bare = separator.test(run) ? run.replace(separatorRun, '') : run;
  if (bare.length % 2 === 0 && hexadecimal.test(bare)) {
    const text = readableText(fromHex(bare));
    if (text !== undefined) return text;
  }
  return dumpOnly.test(run) ? undefined : readableBase64(run);
}
