// Text that a model or a person reads of a package, piece by piece, so that two states can be compared and the
// difference shown. What a package asks for is in request.ts; how it does its work is its own matter.
import { canonicalJson, isObject, type Json, type JsonSchema, toPointer } from '../model/json.js';
import { codePointName } from '../model/unicode.js';
import { pairs } from './difference.js';

/** One piece of text and where it stands. */
export interface Wording {
  /** What it belongs to, such as `the tool count`; things that are gone are not read any more. */
  readonly subject: string;
  /** Such as `description`, or `input /properties/text/type`. */
  readonly place: string;
  readonly text: string;
}

/** A change of what is read, a sentence each. */
export interface Rewording {
  /** Texts that are new or read differently. */
  readonly changed: readonly string[];
  /** Whole subjects that are there no more. */
  readonly gone: readonly string[];
}

/** Order says nothing: equal pieces are taken away first, what is left is set side by side by its place. */
export function rewording(before: readonly Wording[], after: readonly Wording[]): Rewording {
  const left = without(before, after);
  const right = without(after, before);
  const remaining = new Set(after.map((it) => it.subject));
  const changed = pairs(left.filter((it) => remaining.has(it.subject)).map(named), right.map(named)).map(
    ([old, now]) => sentence(old, now),
  );
  const subjects = [...new Set(before.map((it) => it.subject))];
  return { changed, gone: subjects.filter((it) => !remaining.has(it)).map((it) => `${it} is gone`) };
}

/** A schema as pieces: one for each leaf, lists whose order means nothing in a fixed order. */
export function schemaWording(subject: string, place: string, schema: JsonSchema | undefined): Wording[] {
  if (schema === undefined) return [];
  return jsonWording(subject, place, normalSchema(schema));
}

export function jsonWording(subject: string, place: string, value: Json): Wording[] {
  const found: Wording[] = [];
  const walk = (it: Json, path: readonly string[]) => {
    if (isObject(it) && Object.keys(it).length > 0) {
      for (const key of Object.keys(it).sort()) walk(it[key] as Json, [...path, key]);
      return;
    }
    const at = path.length === 0 ? place : `${place} ${toPointer(path)}`;
    found.push({
      subject,
      place: at,
      text: typeof it === 'string' && !spellsJson(it) ? it : canonicalJson(it),
    });
  };
  walk(value, []);
  return found;
}

/** Text that could be taken for another value is quoted, so that no two look alike. */
function spellsJson(text: string): boolean {
  return /^(?:[[{"]|-?\d|true$|false$|null$)/.test(text);
}

const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const plainLists = new Set(['required', 'enum', 'type', 'anyOf', 'oneOf', 'allOf']);
/** Their members are data, in which order may mean anything. */
const data = new Set(['default', 'const', 'examples', 'example']);

function normalSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (data.has(key)) return [key, value];
      if (schemaMaps.has(key) && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, it]) => [name, normalSchema(it)]))];
      if (key === 'dependentRequired' && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, it]) => [name, inOrder(it)]))];
      if (key === 'enum') return [key, inOrder(value)];
      if (Array.isArray(value)) {
        const items = value.map(normalSchema);
        return [key, plainLists.has(key) ? inOrder(items) : items];
      }
      return [key, normalSchema(value)];
    }),
  );
}

function inOrder(value: Json): Json {
  if (!Array.isArray(value)) return value;
  return [...value].sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
}

const keyOf = ({ subject, place, text }: Wording) => canonicalJson([subject, place, text]);

function without(from: readonly Wording[], taken: readonly Wording[]): Wording[] {
  const count = new Map<string, number>();
  for (const it of taken) count.set(keyOf(it), (count.get(keyOf(it)) ?? 0) + 1);
  const rest = from.filter((it) => {
    const left = count.get(keyOf(it)) ?? 0;
    count.set(keyOf(it), left - 1);
    return left <= 0;
  });
  return rest
    .map((it) => ({ it, key: keyOf(it) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ it }) => it);
}

function named(it: Wording): Wording & { readonly name: string } {
  return { ...it, name: `${it.subject}\0${it.place}` };
}

function sentence(old: Wording | undefined, now: Wording | undefined): string {
  const { subject, place } = (now ?? old) as Wording;
  const what = `${place} of ${subject}`;
  if (now === undefined) return `${what} is gone (was: ${JSON.stringify(old?.text)})`;
  if (old === undefined) return `${what} is new: ${JSON.stringify(now.text)}${oddLetters(now.text)}`;
  const { before, after, inserted } = differing(old.text, now.text);
  return `${what} reads ${JSON.stringify(after)} (was: ${JSON.stringify(before)})${oddLetters(inserted)}`;
}

/** Characters of context on each side of a change in a long text. */
const context = 60;
const longText = 400;

/** Both texts; of long ones the part that differs, whole, with a little of what is around it. */
function differing(old: string, now: string): { before: string; after: string; inserted: string } {
  const shortest = Math.min(old.length, now.length);
  let start = 0;
  while (start < shortest && old[start] === now[start]) start++;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  // Halves of one character stay together.
  if (start > 0 && isHigh(now.charCodeAt(start - 1))) start--;
  if (end > 0 && isLow(now.charCodeAt(now.length - end))) end--;
  const inserted = now.slice(start, now.length - end);
  if (old.length <= longText && now.length <= longText) return { before: old, after: now, inserted };
  const from = Math.max(0, start - context);
  const part = (text: string) => {
    const to = Math.min(text.length, text.length - end + context);
    return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
  };
  return { before: part(old), after: part(now), inserted };
}

const isHigh = (code: number) => code >= 0xd800 && code <= 0xdbff;
const isLow = (code: number) => code >= 0xdc00 && code <= 0xdfff;
const mostNamed = 8;

/** Letters that look like others, and characters that do not show, are named: a diff of look-alikes shows nothing. */
function oddLetters(text: string): string {
  const odd = [...new Set([...text].filter((it) => /[^\n\t\x20-\x7e]/.test(it)))];
  if (odd.length === 0) return '';
  const names = odd.slice(0, mostNamed).map((it) => codePointName(it.codePointAt(0) as number));
  return `; with ${names.join(', ')}${odd.length > mostNamed ? ` and ${odd.length - mostNamed} more` : ''}`;
}
