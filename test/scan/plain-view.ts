// The plain way, without any shortcut: what the quick one is compared with.

export interface View {
  readonly text: string;
  readonly from: Int32Array | null;
  readonly to: Int32Array | null;
}

/** How often encodings are undone inside each other. */
const deepest = 3;
/** Of a run of letters that may be base64 or hex; shorter ones say nothing. */
const shortestRun = 16;

/** The text, and what it becomes when escapes, percent signs, base64 and hex are undone, inside each other too. */
export function plainViews(text: string): View[] {
  const views: View[] = [{ text, from: null, to: null }];
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

function within(outer: View, inner: View): View {
  const { from, to } = outer;
  if (from === null || to === null) return inner;
  return {
    text: inner.text,
    from: (inner.from as Int32Array).map((it) => from[it] as number),
    to: (inner.to as Int32Array).map((it) => to[it - 1] as number),
  };
}

/** The text, and what it becomes without escapes, percent signs and characters that cannot be seen. */
export function plainFlatViews(text: string): View[] {
  return [{ text, from: null, to: null }, ...flat(text)];
}

function* flat(text: string): Generator<View> {
  if (text.includes('%')) yield* replaced(text, percent, percentDecoded);
  if (text.includes('\\')) yield* replaced(text, escaped, unescaped);
  if (text.includes('&')) yield* replaced(text, entity, entityDecoded);
  if (unseen.test(text)) yield* replaced(text, allUnseen, () => '');
}

function* undone(text: string): Generator<View> {
  yield* flat(text);
  for (const run of text.matchAll(runs)) {
    const plain = decodedRun(run[0]);
    if (plain === undefined || plain.length < 8) continue;
    yield {
      text: plain,
      from: new Int32Array(plain.length).fill(run.index),
      to: new Int32Array(plain.length).fill(run.index + run[0].length),
    };
  }
}

const unseen = /\p{Default_Ignorable_Code_Point}/u;
const allUnseen = /\p{Default_Ignorable_Code_Point}+/gu;
const percent = /(?:%[0-9A-Fa-f]{2})+|\+/g;
const escaped = /\\(?:u\{[0-9A-Fa-f]{1,6}\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[^ux])/g;
const entity = /&(?:#\d{1,7}|#[xX][0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);/g;
const runs = new RegExp(
  `(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{${shortestRun},}={0,2}|(?:[0-9A-Fa-f]{2}[ :,-]){7,}[0-9A-Fa-f]{2}`,
  'g',
);

function* replaced(text: string, pattern: RegExp, read: (found: string) => string): Generator<View> {
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
  for (const found of text.matchAll(pattern)) {
    any = true;
    copy(found.index);
    const instead = read(found[0]);
    const end = found.index + found[0].length;
    from.fill(found.index, plain.length, plain.length + instead.length);
    to.fill(end, plain.length, plain.length + instead.length);
    plain += instead;
    done = end;
  }
  if (!any) return;
  copy(text.length);
  yield { text: plain, from: from.subarray(0, plain.length), to: to.subarray(0, plain.length) };
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

function decodedRun(run: string): string | undefined {
  const bare = run.replace(/[ :,=-]+/g, '');
  if (bare.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(bare)) {
    const text = readable(fromHex(bare));
    if (text !== undefined) return text;
  }
  return /[ :,]/.test(run) ? undefined : readable(fromBase64(run));
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const sextets = new Int8Array(128).fill(-1);
for (let index = 0; index < alphabet.length; index++) sextets[alphabet.charCodeAt(index)] = index;
sextets[45] = 62;
sextets[95] = 63;

/** Both alphabets; anything else ends it. */
function fromBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let held = 0;
  for (let index = 0; index < text.length; index++) {
    const value = sextets[text.charCodeAt(index)] ?? -1;
    if (value === -1) break;
    bits = ((bits << 6) | value) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[length++] = (bits >> held) & 0xff;
  }
  return bytes.subarray(0, length);
}

function fromHex(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let index = 0; index < bytes.length; index++)
    bytes[index] = Number.parseInt(text.slice(index * 2, index * 2 + 2), 16);
  return bytes;
}

/** Text that somebody could read; undefined for anything else, such as pictures. */
function readable(bytes: Uint8Array): string | undefined {
  let text = '';
  let odd = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    // Two bytes a letter, as some systems write text.
    if (byte === 0 && index % 2 === 1) continue;
    if (byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 13) odd++;
    else if (byte >= 0x7f) odd++;
    text += String.fromCharCode(byte);
  }
  return odd * 8 <= bytes.length ? text : undefined;
}
