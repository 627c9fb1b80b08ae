// The text of a package that models and people read, in single items, so that two versions can be compared. What a
// package asks for is in request.ts.
import { canonicalJson, isObject, type Json, type JsonSchema, toPointer } from '../../model/json.js';
import { codePointName } from '../../model/unicode.js';
import { pairByName } from './request-difference.js';

/** One item of text, and where it appears. */
export interface VisibleText {
  /** What it belongs to, such as `the tool count`. */
  readonly subject: string;
  /** Such as `description`, or `input /properties/text/type`. */
  readonly place: string;
  readonly text: string;
}

/** One text that changed, for people who compare. */
export interface TextDifference {
  readonly subject: string;
  readonly place: string;
  /** Null: it is new. */
  readonly before: string | null;
  /** Null: it was removed. */
  readonly after: string | null;
}

/** Changes of visible text, one sentence each. */
export interface TextChanges {
  /** Texts that are new, different or removed. */
  readonly changed: readonly string[];
  /** The same as pairs of texts. */
  readonly differences: readonly TextDifference[];
  /** Subjects that were removed as a whole. */
  readonly gone: readonly string[];
}

/** Order is ignored: equal items are removed first, the rest is paired by subject and place. */
export function textChanges(before: readonly VisibleText[], after: readonly VisibleText[]): TextChanges {
  const onlyBefore = difference(before, after);
  const onlyAfter = difference(after, before);
  const remaining = new Set(after.map((it) => it.subject));
  const pairs = pairByName(
    onlyBefore.filter((it) => remaining.has(it.subject)).map(named),
    onlyAfter.map(named),
  );
  const changed = pairs.map(([old, now]) => sentence(old, now));
  const differences = pairs.map(([old, now]) => {
    const { subject, place } = (now ?? old) as VisibleText;
    return { subject, place, before: old?.text ?? null, after: now?.text ?? null };
  });
  const subjects = [...new Set(before.map((it) => it.subject))];
  return {
    changed,
    differences,
    gone: subjects.filter((it) => !remaining.has(it)).map((it) => `${it} is gone`),
  };
}

/** The items of a schema, one for each leaf. Lists without a meaningful order are sorted. */
export function visibleSchemaText(
  subject: string,
  place: string,
  schema: JsonSchema | undefined,
): VisibleText[] {
  if (schema === undefined) return [];
  return visibleJsonText(subject, place, withoutOrder(schema));
}

export function visibleJsonText(subject: string, place: string, value: Json): VisibleText[] {
  const items: VisibleText[] = [];
  const walk = (it: Json, path: readonly string[]) => {
    if (isObject(it) && Object.keys(it).length > 0) {
      for (const key of Object.keys(it).sort()) walk(it[key] as Json, [...path, key]);
      return;
    }
    const at = path.length === 0 ? place : `${place} ${toPointer(path)}`;
    items.push({
      subject,
      place: at,
      text: typeof it === 'string' && !looksLikeJson(it) ? it : canonicalJson(it),
    });
  };
  walk(value, []);
  return items;
}

/** Text that looks like another JSON value is quoted, so that no two look the same. */
function looksLikeJson(text: string): boolean {
  return /^(?:[[{"]|-?\d|true$|false$|null$)/.test(text);
}

const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const unorderedLists = new Set(['required', 'enum', 'type', 'anyOf', 'oneOf', 'allOf']);
/** Their content is data, in which order can matter. */
const dataKeywords = new Set(['default', 'const', 'examples', 'example']);

/** The schema with lists that have no meaningful order sorted, so that two orders give the same schema. */
export function withoutOrder(schema: Json): Json {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (dataKeywords.has(key)) return [key, value];
      if (schemaMaps.has(key) && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, it]) => [name, withoutOrder(it)]))];
      if (key === 'dependentRequired' && isObject(value))
        return [key, Object.fromEntries(Object.entries(value).map(([name, it]) => [name, sortedList(it)]))];
      if (key === 'enum') return [key, sortedList(value)];
      if (Array.isArray(value)) {
        const items = value.map(withoutOrder);
        return [key, unorderedLists.has(key) ? sortedList(items) : items];
      }
      return [key, withoutOrder(value)];
    }),
  );
}

function sortedList(value: Json): Json {
  if (!Array.isArray(value)) return value;
  return [...value].sort((a, b) => (canonicalJson(a) < canonicalJson(b) ? -1 : 1));
}

const keyOf = ({ subject, place, text }: VisibleText) => canonicalJson([subject, place, text]);

/** Items of the first list that are not in the second; duplicates are counted. */
function difference(from: readonly VisibleText[], removed: readonly VisibleText[]): VisibleText[] {
  const count = new Map<string, number>();
  for (const it of removed) count.set(keyOf(it), (count.get(keyOf(it)) ?? 0) + 1);
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

function named(it: VisibleText): VisibleText & { readonly name: string } {
  return { ...it, name: `${it.subject}\0${it.place}` };
}

function sentence(old: VisibleText | undefined, now: VisibleText | undefined): string {
  const { subject, place } = (now ?? old) as VisibleText;
  const what = `${place} of ${subject}`;
  if (now === undefined) return `${what} is gone (was: ${JSON.stringify(old?.text)})`;
  if (old === undefined) return `${what} is new: ${JSON.stringify(now.text)}${unusualCharacters(now.text)}`;
  const { before, after, inserted } = changedPart(old.text, now.text);
  return `${what} is now ${JSON.stringify(after)} (was: ${JSON.stringify(before)})${unusualCharacters(inserted)}`;
}

/** Characters of context on each side of a change in a long text. */
const context = 60;
const longText = 400;

/** Both texts. Of long ones only the part that differs, with some context. */
function changedPart(old: string, now: string): { before: string; after: string; inserted: string } {
  const shortest = Math.min(old.length, now.length);
  let start = 0;
  while (start < shortest && old[start] === now[start]) start++;
  let end = 0;
  while (end < shortest - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  // Keeps surrogate pairs together.
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
const maxNamed = 8;

/** Names non-ASCII and invisible characters: a difference between look-alikes would not be visible otherwise. */
function unusualCharacters(text: string): string {
  const unusual = [...new Set([...text].filter((it) => /[^\n\t\x20-\x7e]/.test(it)))];
  if (unusual.length === 0) return '';
  const names = unusual.slice(0, maxNamed).map((it) => codePointName(it.codePointAt(0) as number));
  return `; with ${names.join(', ')}${unusual.length > maxNamed ? ` and ${unusual.length - maxNamed} more` : ''}`;
}
