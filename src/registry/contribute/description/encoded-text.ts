import { fromHex, readableBase64, readableText } from '../../../policy/scan/encoding.js';

/** Base64 or hexadecimal that is too long for an identifier of a sentence. Long texts are searched in parts of this size. */
const encodedRun = /(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,4096}={0,2}/g;
const hexDump = /(?:[0-9A-Fa-f]{2}[ :,]){7,2048}[0-9A-Fa-f]{2}/g;
const escapedRun = /(?:\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|&#x?[0-9A-Fa-f]{2,6};|%[0-9A-Fa-f]{2}){8,2048}/g;
const minWords = 3;

/** Readable texts that are encoded inside of a text. */
export function encodedTexts(text: string): string[] {
  const found: string[] = [];
  for (const [run] of text.matchAll(encodedRun)) add(found, base(run));
  for (const [run] of text.matchAll(hexDump)) add(found, readableText(fromHex(run.replace(/[ :,]/g, ''))));
  for (const [run] of text.matchAll(escapedRun)) add(found, unescaped(run));
  return found;
}

function base(run: string): string | undefined {
  const bare = run.replace(/={1,2}$/, '');
  if (bare.length % 2 === 0 && /^[0-9A-Fa-f]{20,4096}$/.test(bare)) {
    const text = readableText(fromHex(bare));
    if (text !== undefined) return text;
  }
  return readableBase64(bare);
}

function unescaped(run: string): string {
  return run.replace(
    /\\x(..)|\\u(....)|&#x([0-9A-Fa-f]{2,6});|&#([0-9]{2,6});|%(..)|&#[0-9A-Fa-f]{2,6};/g,
    (_, a, b, c, d, e) => {
      const code = d === undefined ? Number.parseInt(a ?? b ?? c ?? e ?? '20', 16) : Number(d);
      return code <= 0x10ffff ? String.fromCodePoint(code) : '';
    },
  );
}

/** Identifiers and digests decode to noise; a sentence has words. */
function add(found: string[], text: string | undefined): void {
  if (text !== undefined && (text.match(/[A-Za-z]{2,20}/g) ?? []).length >= minWords && /[ ,.]/.test(text))
    found.push(text);
}
