// Reference implementation without optimizations: the scanner must give the same results.

export interface ReferenceView {
  readonly text: string;
  readonly from: Int32Array | null;
  readonly to: Int32Array | null;
}

/** Encodings inside each other that are undone. */
const maxDepth = 3;
/** Characters of a run that may be base64 or hex. */
const minRunLength = 16;

/** The text itself, and what it becomes when escapes, percent signs, base64 and hex are decoded, also when nested. */
export function referenceViews(text: string): ReferenceView[] {
  const views: ReferenceView[] = [{ text, from: null, to: null }];
  const seen = new Set([text]);
  // Bounds the size of all views together.
  let budget = text.length * 8 + 4096;
  let first = 0;
  for (let depth = 0; depth < maxDepth; depth++) {
    const last = views.length;
    for (; first < last; first++) {
      const outer = views[first] as ReferenceView;
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

function nested(outer: ReferenceView, inner: ReferenceView): ReferenceView {
  const { from, to } = outer;
  if (from === null || to === null) return inner;
  return {
    text: inner.text,
    from: (inner.from as Int32Array).map((it) => from[it] as number),
    to: (inner.to as Int32Array).map((it) => to[it - 1] as number),
  };
}

/** The text itself, and what it becomes without escapes, percent signs, entities and invisible characters. */
export function referenceUnescapedViews(text: string): ReferenceView[] {
  return [{ text, from: null, to: null }, ...unescapedForms(text)];
}

function* unescapedForms(text: string): Generator<ReferenceView> {
  if (text.includes('%')) yield* replaced(text, percent, decodePercent);
  if (text.includes('\\')) yield* replaced(text, escaped, decodeBackslash);
  if (text.includes('&')) yield* replaced(text, entity, decodeEntity);
  if (invisible.test(text)) yield* replaced(text, invisibleRun, () => '');
}

function* decodeOnce(text: string): Generator<ReferenceView> {
  yield* unescapedForms(text);
  for (const match of text.matchAll(runs)) {
    // Only as many signs of padding as the length needs belong to the run.
    const bare = match[0].replace(/=+$/, '').length;
    const run = { index: match.index, 0: match[0].slice(0, bare + ([0, 0, 2, 1][bare % 4] as number)) };
    const plain = decodeRun(run[0]);
    if (plain === undefined || plain.length < 8) continue;
    yield {
      text: plain,
      from: new Int32Array(plain.length).fill(run.index),
      to: new Int32Array(plain.length).fill(run.index + run[0].length),
    };
  }
}

const invisible = /\p{Default_Ignorable_Code_Point}/u;
const invisibleRun = /\p{Default_Ignorable_Code_Point}+/gu;
const percent = /(?:%[0-9A-Fa-f]{2})+|\+/g;
const escaped = /\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[^ux])/g;
const entity = /&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);/g;
const runs = new RegExp(
  `(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${minRunLength},}={0,2}|(?:[0-9A-Fa-f]{2}[ :,-]){7,}[0-9A-Fa-f]{2}`,
  'g',
);

function* replaced(
  text: string,
  pattern: RegExp,
  decode: (match: string) => string,
): Generator<ReferenceView> {
  let plain = '';
  let done = 0;
  let any = false;
  const from = new Int32Array(text.length);
  const to = new Int32Array(text.length);
  const copy = (end: number) => {
    for (let index = done; index < end; index++) {
      from[plain.length + index - done] = index;
      to[plain.length + index - done] = index + 1;
    }
    plain += text.slice(done, end);
    done = end;
  };
  for (const match of text.matchAll(pattern)) {
    any = true;
    copy(match.index);
    const replacement = decode(match[0]);
    const end = match.index + match[0].length;
    from.fill(match.index, plain.length, plain.length + replacement.length);
    to.fill(end, plain.length, plain.length + replacement.length);
    plain += replacement;
    done = end;
  }
  if (!any) return;
  copy(text.length);
  yield { text: plain, from: from.subarray(0, plain.length), to: to.subarray(0, plain.length) };
}

/** Bytes that are not valid UTF-8 are decoded one by one. */
function decodePercent(run: string): string {
  if (run === '+') return ' ';
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

const named: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function decodeBackslash(found: string): string {
  const kind = found.charAt(1);
  if (kind !== 'u' && kind !== 'x') return named[kind] ?? kind;
  const code = Number.parseInt(found.replace(/[\\ux{}]/g, ''), 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decodeEntity(found: string): string {
  const name = found.slice(1, -1);
  if (!name.startsWith('#')) return entities[name] ?? '';
  const code = /^#[xX]/.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

function decodeRun(run: string): string | undefined {
  const bare = run.replace(/[ :,=-]+/g, '');
  if (bare.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(bare)) {
    const text = readableText(fromHex(bare));
    if (text !== undefined) return text;
  }
  return /[ :,]/.test(run) ? undefined : readableText(fromBase64(run));
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sextets = new Int8Array(128).fill(-1);
for (let index = 0; index < alphabet.length; index++) sextets[alphabet.charCodeAt(index)] = index;
sextets[45] = 62;
sextets[95] = 63;

/** Both alphabets; any other character ends the input. */
function fromBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let pendingBits = 0;
  for (let index = 0; index < text.length; index++) {
    const value = sextets[text.charCodeAt(index)] ?? -1;
    if (value === -1) break;
    bits = ((bits << 6) | value) & 0xffffff;
    pendingBits += 6;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    bytes[length++] = (bits >> pendingBits) & 0xff;
  }
  return bytes.subarray(0, length);
}

function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let index = 0; index < bytes.length; index++)
    bytes[index] = Number.parseInt(text.slice(index * 2, index * 2 + 2), 16);
  return bytes;
}

/** Bytes as readable text; undefined for anything else, such as images. */
function readableText(bytes: Uint8Array): string | undefined {
  let text = '';
  let unusual = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    // The zero byte after each ASCII letter in UTF-16.
    if (byte === 0 && index % 2 === 1) continue;
    if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) unusual++;
    else if (byte >= 0x7f) unusual++;
    text += String.fromCharCode(byte);
  }
  return unusual * 8 <= bytes.length ? text : undefined;
}
