// Prompts, resources and templates that a server lists: what of them is read by models, and what changed of it.
import { canonicalJson, isObject, type Json, type JsonObject } from '../model/json.js';
import { jsonWording, rewording } from './wording.js';

/** How entries of a list are told apart, and what they are called. */
const kinds = {
  prompts: { noun: 'prompt', member: 'name' },
  resources: { noun: 'resource', member: 'uri' },
  templates: { noun: 'resource template', member: 'uriTemplate' },
} as const;

export type EntryKind = keyof typeof kinds;

/** Everything that is read of an entry, as one text. Sizes and dates come and go with the thing itself. */
export function entryText(entry: JsonObject): string {
  return canonicalJson(lasting(entry));
}

/** A sentence for each entry that is new or gone, and for each text of one that reads differently. */
export function entryChanges(
  kind: EntryKind,
  before: readonly JsonObject[] = [],
  after: readonly JsonObject[] = [],
): readonly string[] {
  const { noun, member } = kinds[kind];
  const subjectOf = (it: JsonObject) => `the ${noun} ${quoted(String(it[member]))}`;
  const had = new Set(before.map(subjectOf));
  const has = new Set(after.map(subjectOf));
  const words = (entries: readonly JsonObject[]) =>
    entries.flatMap((it) => {
      const { [member]: _, ...rest } = lasting(it);
      return Object.entries(rest).flatMap(([key, value]) => jsonWording(subjectOf(it), `the ${key}`, value));
    });
  const added = after.filter((it) => !had.has(subjectOf(it)));
  const gone = [...had].filter((it) => !has.has(it));
  return [
    ...added.map((it) => `${subjectOf(it)} is new: ${sayings(lasting(it), member)}`).sort(),
    ...gone.map((it) => `${it} is gone`).sort(),
    ...rewording(
      words(before.filter((it) => has.has(subjectOf(it)))),
      words(after.filter((it) => had.has(subjectOf(it)))),
    ).changed,
  ];
}

function lasting({ size, annotations, ...rest }: JsonObject): JsonObject {
  const kept = isObject(annotations) ? withoutDate(annotations) : annotations;
  return {
    ...rest,
    ...(size === undefined || typeof size === 'number' ? {} : { size }),
    ...(kept === undefined ? {} : { annotations: kept }),
  };
}

/** Only what is a date and nothing else: in a text anything could be said. */
function withoutDate({ lastModified, ...rest }: JsonObject): JsonObject {
  const isDate =
    typeof lastModified === 'string' &&
    /^\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)$/.test(lastModified);
  return lastModified === undefined || isDate ? rest : { ...rest, lastModified };
}

/** All that it says of itself. */
function sayings(entry: JsonObject, member: string): string {
  const { [member]: _, ...rest } = entry;
  return canonicalJson(rest as Json);
}

/** A plain name as it is; one with anything odd in it cannot pass for another, or for two. */
function quoted(name: string): string {
  return /^[\w.:/{}?&=%+~@-]+$/.test(name) ? name : JSON.stringify(name);
}
