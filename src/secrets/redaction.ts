import { isObject, type Json } from '../model/json.js';

/** A value that must not be seen, and the name that is shown instead. */
export interface KnownSecret {
  readonly slot: string;
  readonly value: string;
}

/** Shorter ones would tear holes into ordinary text. */
const shortest = 4;
/** Of a piece of base64, which any text with few letters could be. */
const shortestPiece = 8;

interface Needle {
  readonly text: string;
  readonly slot: string;
}

/** Replaces every literal occurrence of a secret, as it is or in a usual encoding, by `[redacted:SLOT]`. */
export function redactText(text: string, secrets: readonly KnownSecret[]): string {
  return replace(text, needlesOf(secrets));
}

/** Strings and keys alike, and numbers that spell a secret. The argument is left as it is. */
export function redactValues(value: Json, secrets: readonly KnownSecret[]): Json {
  const needles = needlesOf(secrets);
  return needles.length === 0 ? value : redact(value, needles);
}

function redact(value: Json, needles: readonly Needle[]): Json {
  if (typeof value === 'string') return replace(value, needles);
  if (typeof value === 'number') {
    const text = String(value);
    const clean = replace(text, needles);
    return clean === text ? value : clean;
  }
  if (Array.isArray(value)) return value.map((it) => redact(it, needles));
  if (!isObject(value)) return value;
  const taken = new Set<string>();
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const clean = replace(key, needles);
      let name = clean;
      for (let count = 2; taken.has(name) || (name !== key && Object.hasOwn(value, name)); count++)
        name = `${clean} ${count}`;
      taken.add(name);
      return [name, redact(member, needles)];
    }),
  );
}

/** All at once on the text as it came, so that a placeholder is never read again and no end of a secret stays. */
function replace(text: string, needles: readonly Needle[]): string {
  const found: { start: number; end: number; slot: string }[] = [];
  for (const needle of needles) {
    for (let at = text.indexOf(needle.text); at !== -1; at = text.indexOf(needle.text, at + 1))
      found.push({ start: at, end: at + needle.text.length, slot: needle.slot });
  }
  if (found.length === 0) return text;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let clean = '';
  let done = 0;
  for (const { start, end, slot } of found) {
    if (start >= done) clean += `${text.slice(done, start)}[redacted:${slot}]`;
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
}

function needlesOf(secrets: readonly KnownSecret[]): Needle[] {
  return secrets.flatMap(({ slot, value }) =>
    value.length < shortest ? [] : [...formsOf(value)].map((text) => ({ text, slot })),
  );
}

function formsOf(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const url = encodeURIComponent(value);
  const json = JSON.stringify(value).slice(1, -1);
  const forms = new Set([value, json, json.replaceAll('/', '\\/'), hex, hex.toUpperCase()]);
  for (const it of [url, url.replaceAll('%20', '+'), new URLSearchParams({ v: value }).toString().slice(2)]) {
    forms.add(it);
    forms.add(it.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  }
  for (const piece of base64Pieces(bytes)) {
    forms.add(piece);
    forms.add(piece.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

/** Base64 spells the same bytes in three ways, by what comes before them; these are the parts that never vary. */
function base64Pieces(bytes: Buffer): string[] {
  const pieces: string[] = [];
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    const piece = text.slice(Math.ceil((before * 8) / 6), whole);
    if (piece.length >= shortestPiece) pieces.push(piece);
  }
  // On its own, with the bits that fill its end up.
  const alone = bytes.toString('base64').replace(/=+$/, '');
  return [...pieces, alone, `${alone}${'='.repeat((4 - (alone.length % 4)) % 4)}`];
}
