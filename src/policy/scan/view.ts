import type { Span } from '../guardrails/span.js';
import { fromHex, readable, readableBase64 } from './encoding.js';
import { hasRun, isAscii, mayHaveDump, runsIn } from './survey.js';

/** A text as somebody would read it after undoing an encoding. */
export interface View {
  readonly text: string;
  /** Where its characters come from; null where the view is the text itself. Made when somebody asks: few do. */
  readonly places: (() => Places) | null;
}

/** Start and end in the original text of each character. */
export interface Places {
  readonly from: Int32Array;
  readonly to: Int32Array;
}

/** Where something that was found in a view stands in the original text. */
export function original<T extends Span>(found: T, { places }: View): T {
  if (places === null) return found;
  const { from, to } = places();
  return { ...found, start: from[found.start] as number, end: to[found.end - 1] as number };
}

/** How often encodings are undone inside each other. */
const deepest = 3;
/** Of a run of letters that may be base64 or hex; shorter ones say nothing. */
const shortestRun = 16;
/** Bytes of a dump, with a sign between them. */
const shortestDump = 8;

/** The text, and what it becomes when escapes, percent signs, base64 and hex are undone, inside each other too. */
export function viewsOf(text: string): View[] {
  const views: View[] = [{ text, places: null }];
  if (!mayHide(text)) return views;
  const seen = new Set([text]);
  // Undoing may not make much more text than there was.
  let budget = text.length * 8 + 4096;
  let first = 0;
  for (let depth = 0; depth < deepest; depth++) {
    const last = views.length;
    for (; first < last; first++) {
      const outer = views[first] as View;
      for (const inner of undone(outer.text)) {
        if (seen.has(inner.text)) continue;
        budget -= inner.text.length;
        if (budget < 0) return views;
        seen.add(inner.text);
        views.push(within(outer, inner));
      }
    }
  }
  return views;
}

function within({ places: outer }: View, inner: View): View {
  const { text, places } = inner;
  if (outer === null || places === null) return inner;
  return {
    text,
    places: once(() => {
      const { from, to } = outer();
      const { from: start, to: end } = places();
      return { from: start.map((it) => from[it] as number), to: end.map((it) => to[it - 1] as number) };
    }),
  };
}

function once(make: () => Places): () => Places {
  let made: Places | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** The text, and what it becomes without escapes, percent signs and characters that cannot be seen. */
export function flatViewsOf(text: string): View[] {
  const views: View[] = [{ text, places: null }];
  if (signs.test(text)) for (const it of flat(text)) views.push(it);
  return views;
}

/** Without one of these there is nothing to flatten. */
const signs = /[%\\&\u0080-\uffff]/;

function mayHide(text: string): boolean {
  return signs.test(text) || mayHaveRuns(text);
}

function mayHaveRuns(text: string): boolean {
  return hasRun(text, shortestRun) || mayHaveDump(text, shortestDump);
}

function* flat(text: string): Generator<View> {
  if (text.includes('%')) yield* replaced(text, percent, percentDecoded);
  if (text.includes('\\')) yield* replaced(text, escaped, unescaped);
  if (text.includes('&')) yield* replaced(text, entity, entityDecoded);
  if (!isAscii(text) && unseen.test(text)) yield* replaced(text, allUnseen, () => '');
}

function* undone(text: string): Generator<View> {
  yield* flat(text);
  const places = spelledIn(text);
  for (let index = 0; index < places.length; index += 2) {
    const start = places[index] as number;
    const end = places[index + 1] as number;
    const plain = decodedRun(text.slice(start, end));
    if (plain === undefined || plain.length < 8) continue;
    const { length } = plain;
    yield {
      text: plain,
      places: once(() => ({
        from: new Int32Array(length).fill(start),
        to: new Int32Array(length).fill(end),
      })),
    };
  }
}

/** Start and end of all that may be base64 or hexadecimal. */
function spelledIn(text: string): readonly number[] {
  if (mayHaveDump(text, shortestDump))
    return [...text.matchAll(runs)].flatMap((it) => [it.index, it.index + it[0].length]);
  const places = runsIn(text, shortestRun);
  // Signs at the end say how long it is.
  for (let index = 1; index < places.length; index += 2) {
    const end = places[index] as number;
    if (text.charAt(end) === '=') places[index] = end + (text.charAt(end + 1) === '=' ? 2 : 1);
  }
  return places;
}

const unseen = /\p{Default_Ignorable_Code_Point}/u;
const allUnseen = /\p{Default_Ignorable_Code_Point}+/gu;
const percent = /(?:%[0-9A-Fa-f]{2})+|\+/g;
const escaped = /\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[^ux])/g;
const entity = /&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);/g;
const runs = new RegExp(
  `(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${shortestRun},}={0,2}|(?:[0-9A-Fa-f]{2}[ :,-]){${shortestDump - 1},}[0-9A-Fa-f]{2}`,
  'g',
);

type Read = (found: string) => string;

function* replaced(text: string, pattern: RegExp, read: Read): Generator<View> {
  const plain = text.replace(pattern, (it) => read(it));
  // Whatever is read becomes something else.
  if (plain !== text) yield { text: plain, places: once(() => placesIn(text, pattern, read, plain.length)) };
}

function placesIn(text: string, pattern: RegExp, read: Read, length: number): Places {
  const from = new Int32Array(length);
  const to = new Int32Array(length);
  let made = 0;
  let done = 0;
  const copy = (end: number) => {
    for (; done < end; done++, made++) {
      from[made] = done;
      to[made] = done + 1;
    }
  };
  for (const found of text.matchAll(pattern)) {
    copy(found.index);
    const next = made + read(found[0]).length;
    done = found.index + found[0].length;
    from.fill(found.index, made, next);
    to.fill(done, made, next);
    made = next;
  }
  copy(text.length);
  return { from, to };
}

/** Bytes that are no text are read one by one, so that nothing is lost. */
function percentDecoded(run: string): string {
  if (run === '+') return ' ';
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

const named: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unescaped(found: string): string {
  const kind = found.charAt(1);
  if (kind !== 'u' && kind !== 'x') return named[kind] ?? kind;
  const code = Number.parseInt(found.replace(/[\\ux{}]/g, ''), 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entityDecoded(found: string): string {
  const name = found.slice(1, -1);
  if (!name.startsWith('#')) return entities[name] ?? '';
  const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const separators = /[ :,=-]/;
const allSeparators = /[ :,=-]+/g;
const hexadecimal = /^[0-9A-Fa-f]+$/;
const dumped = /[ :,]/;

function decodedRun(run: string): string | undefined {
  const bare = separators.test(run) ? run.replace(allSeparators, '') : run;
  if (bare.length % 2 === 0 && hexadecimal.test(bare)) {
    const text = readable(fromHex(bare));
    if (text !== undefined) return text;
  }
  return dumped.test(run) ? undefined : readableBase64(run);
}
