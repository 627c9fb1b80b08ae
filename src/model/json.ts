/** Any JSON value. Objects are plain data and never carry behavior. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** A JSON Schema (2020-12), unchanged from its source. */
export type JsonSchema = JsonObject | boolean;

/** The keys and indexes that lead from the root of a document to a value in it. */
export type JsonPath = readonly (string | number)[];

/** Whether a value is an object, but not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON that the host itself wrote; undefined if it is damaged. For all other text see json-bounds.ts. */
export function tryParseStored(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The path as a JSON Pointer (RFC 6901). The root is the empty string. */
export function toPointer(path: JsonPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value at a path; undefined if there is none. Inherited properties are ignored. */
export function valueAt(value: Json | undefined, path: JsonPath): Json | undefined {
  let current: Json | undefined = value;
  for (const step of path) {
    if (Array.isArray(current)) {
      current = typeof step === 'number' ? current[step] : undefined;
    } else if (isObject(current) && Object.hasOwn(current, String(step))) {
      current = current[String(step)];
    } else {
      return undefined;
    }
  }
  return current;
}

/** Whether objects and arrays are nested in more than `levels` levels. Without recursion, which would overflow the stack. */
export function isDeeperThan(value: Json, levels: number): boolean {
  let level: Json[] = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true;
    const next: Json[] = [];
    for (const it of level)
      for (const member of Object.values(it as JsonObject)) if (isContainer(member)) next.push(member);
    level = next;
  }
  return false;
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

/**
 * The canonical text of a value, used for digests: keys sorted by UTF-16 code unit, no white space. Two values have the
 * same text only if they are equal or differ only in key order.
 */
export function canonicalJson(value: Json): string {
  return isSorted(value) ? JSON.stringify(value) : sortedJson(value);
}

/** Whether `JSON.stringify`, which is many times faster, produces the canonical text. */
function isSorted(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (item === undefined || !isSorted(item)) return false;
    return true;
  }
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return false;
  let last = '';
  for (const key of Object.keys(value)) {
    const member = (value as JsonObject)[key];
    if (key < last || member === undefined || !isSorted(member)) return false;
    last = key;
  }
  return true;
}

function sortedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`;
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${sortedJson(value[key] as Json)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** Freezes plain data at every level and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const key in value) deepFreeze(value[key]);
  return value;
}
