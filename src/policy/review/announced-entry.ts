// Prompts, resources and templates that a server lists: the text that models read, and how it changed.
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import { textChanges, visibleJsonText } from './visible-text.js';

/** By list: the word for one entry, and the member that identifies it. */
const kinds = {
  prompts: { noun: 'prompt', member: 'name' },
  resources: { noun: 'resource', member: 'uri' },
  templates: { noun: 'resource template', member: 'uriTemplate' },
} as const;

export type EntryKind = keyof typeof kinds;

/** Everything of an entry that models read, as one text. Sizes and dates are left out: they change with the content. */
export function entryText(entry: JsonObject): string {
  return canonicalJson(withoutSizeAndDate(entry));
}

/** One sentence for each entry that is new or removed, and for each text of an entry that changed. */
export function entryChanges(
  kind: EntryKind,
  before: readonly JsonObject[] = [],
  after: readonly JsonObject[] = [],
): readonly string[] {
  const { noun, member } = kinds[kind];
  const subjectOf = (it: JsonObject) => `the ${noun} ${quoted(String(it[member]))}`;
  const had = new Set(before.map(subjectOf));
  const has = new Set(after.map(subjectOf));
  const visibleText = (entries: readonly JsonObject[]) =>
    entries.flatMap((it) => {
      const { [member]: _, ...rest } = withoutSizeAndDate(it);
      return Object.entries(rest).flatMap(([key, value]) =>
        visibleJsonText(subjectOf(it), `the ${key}`, value),
      );
    });
  const added = after.filter((it) => !had.has(subjectOf(it)));
  const gone = [...had].filter((it) => !has.has(it));
  return [
    ...added.map((it) => `${subjectOf(it)} is new: ${restText(withoutSizeAndDate(it), member)}`).sort(),
    ...gone.map((it) => `${it} is gone`).sort(),
    ...textChanges(
      visibleText(before.filter((it) => has.has(subjectOf(it)))),
      visibleText(after.filter((it) => had.has(subjectOf(it)))),
    ).changed,
  ];
}

function withoutSizeAndDate({ size, annotations, ...rest }: JsonObject): JsonObject {
  const kept = isObject(annotations) ? withoutDate(annotations) : annotations;
  return {
    ...rest,
    ...(size === undefined || typeof size === 'number' ? {} : { size }),
    ...(kept === undefined ? {} : { annotations: kept }),
  };
}

/** Drops `lastModified` only if it is a date and nothing else: free text could carry instructions. */
function withoutDate({ lastModified, ...rest }: JsonObject): JsonObject {
  const isDate =
    typeof lastModified === 'string' &&
    /^\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)$/.test(lastModified);
  return lastModified === undefined || isDate ? rest : { ...rest, lastModified };
}

/** Everything but the identifying member. */
function restText(entry: JsonObject, member: string): string {
  const { [member]: _, ...rest } = entry;
  return canonicalJson(rest as Json);
}

/** Quotes a name with unusual characters, so that it cannot look like another name or like two. */
function quoted(name: string): string {
  return /^[\w.:/{}?&=%+~@-]+$/.test(name) ? name : JSON.stringify(name);
}
