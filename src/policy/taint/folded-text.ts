// Two foldings. `squeeze` is for finding values that were disguised: it drops all but letters and digits, and look-alikes
// become one letter. `canonical` is for vouching: only spellings that mean the same are equal, a look-alike is not.

/** Cyrillic, Greek and Armenian letters that look like Latin ones. Digits and the letters that look like them become letters. */
const lookAlikes = new Map<string, string>(
  Object.entries({
    аα: 'a',
    вβ: 'b',
    сϲ: 'c',
    ԁ: 'd',
    еєε: 'e',
    һ: 'h',
    'іιӏǀ|': 'l',
    ј: 'j',
    кκ: 'k',
    м: 'm',
    ոпη: 'n',
    оοσօ: 'o',
    рρ: 'p',
    ԛ: 'q',
    ѕ: 's',
    тτ: 't',
    υս: 'u',
    νѵ: 'v',
    ԝ: 'w',
    хχ: 'x',
    уγү: 'y',
  }).flatMap(([from, to]) => [...from].map((it) => [it, to] as const)),
);

/** By ASCII code: what it becomes; 0 is dropped. */
const folded = new Uint8Array(128);
for (let code = 0; code < 128; code++) {
  const isUpper = code >= 65 && code <= 90;
  const isCounted = isUpper || (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  folded[code] = isCounted ? plain(isUpper ? code + 32 : code) : 0;
}

/** 0 and o, 1, i and l, 5 and s are the same. */
function plain(code: number): number {
  if (code === 48) return 111;
  if (code === 49 || code === 105) return 108;
  return code === 53 ? 115 : code;
}

/** What one UTF-16 unit below 128 becomes; 0: it is dropped. */
export function foldedAscii(code: number): number {
  return folded[code] as number;
}

const cache = new Map<number, readonly number[]>();

/** What a code point beyond ASCII becomes: letters and digits; empty for signs and invisible characters. */
export function foldedCodes(codePoint: number): readonly number[] {
  const known = cache.get(codePoint);
  if (known !== undefined) return known;
  const text = plainDigits(String.fromCodePoint(codePoint))
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '');
  const codes: number[] = [];
  for (const it of text) {
    const letter = lookAlikes.get(it) ?? it;
    for (let at = 0; at < letter.length; at++) {
      const code = letter.charCodeAt(at);
      const result = code < 128 ? (folded[code] as number) : code;
      if (result !== 0) codes.push(result);
    }
  }
  if (cache.size < 8192) cache.set(codePoint, codes);
  return codes;
}

/** Letters and digits only, without case, look-alikes as one letter. */
export function squeeze(text: string): string {
  const codes: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 128) {
      const letter = folded[code] as number;
      if (letter !== 0) codes.push(letter);
      continue;
    }
    const point = text.codePointAt(at) as number;
    if (point > 0xffff) at++;
    for (const it of foldedCodes(point)) codes.push(it);
  }
  let result = '';
  for (let at = 0; at < codes.length; at += 8192)
    result += String.fromCharCode(...codes.slice(at, at + 8192));
  return result;
}

/** Digits of all scripts as 0 to 9. */
export function plainDigits(text: string): string {
  return text.replace(/[^\P{Nd}0-9]/gu, (it) => String(digitValue(it.codePointAt(0) as number)));
}

/** Digits of a script follow each other, ten in a row. */
function digitValue(codePoint: number): number {
  let first = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return (codePoint - first) % 10;
}

/**
 * NFC, lower case, single spaces. Invisible characters and full-width letters stay, as do digits of other scripts: a name
 * with them can be another name.
 */
export function canonical(text: string): string {
  const isPlain = /^[!-@[-~]*$/.test(text);
  if (isPlain) return text;
  return text.normalize('NFC').toLowerCase().normalize('NFC').replace(/\s+/g, ' ').trim();
}
