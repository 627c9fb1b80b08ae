import { isObject, type Json } from '../../model/json.js';

/** One text of a JSON value: a string, a key, or a number in its decimal form. */
export interface JsonText {
  readonly text: string;
  readonly kind: 'text' | 'key' | 'number';
  /**
   * What it is called: the key of its member, or where that says nothing, the name beside it or the key above it.
   * Undefined at the top level and for keys.
   */
  readonly parentKey: string | undefined;
  /** Whether it is declared as the bytes of an image, sound or file. */
  readonly media: boolean;
}

export interface JsonTexts {
  readonly all: readonly JsonText[];
  /** Arrays of numbers that may be character codes, as indexes into `all`. */
  readonly codeLists: readonly (readonly number[])[];
}

const minCodeListLength = 8;

/** All texts of a value, in document order. */
export function collectTexts(value: Json): JsonTexts {
  const all: JsonText[] = [];
  const codeLists: number[][] = [];
  const visit = (it: Json, parentKey: string | undefined, media: boolean) => {
    if (typeof it === 'string') all.push({ text: it, kind: 'text', parentKey, media });
    else if (typeof it === 'number') all.push({ text: String(it), kind: 'number', parentKey, media });
    else if (Array.isArray(it)) {
      if (it.length >= minCodeListLength && it.every(isCharacterCode))
        codeLists.push(it.map((_, index) => all.length + index));
      for (const item of it) visit(item, parentKey, false);
    } else if (isObject(it)) {
      for (const key of Object.keys(it)) {
        all.push({ text: key, kind: 'key', parentKey: undefined, media: false });
        visit(it[key] as Json, nameOfMember(it, key, parentKey), isMedia(it, key));
      }
    }
  };
  visit(value, undefined, false);
  return { all, codeLists };
}

/** Keys that say nothing about their value: `{"name": "DB_PASSWORD", "value": "…"}`, `{"secret": {"value": "…"}}`. */
const plainKey =
  /^(?:value|val|data|content|text|string|plain_?text|(?:default|current|secret|string)_?value)$/i;
/** Members of these are checksums of what their key names: `{"checksums": {"secret": "…"}}`. */
const checksumKey = /(?:checksum|digest|fingerprint|hash|hashe)s?$/i;

function nameOfMember(
  parent: { readonly [key: string]: Json },
  key: string,
  parentKey: string | undefined,
): string {
  if (parentKey !== undefined && checksumKey.test(parentKey)) return `${parentKey}/${key}/checksum`;
  if (!plainKey.test(key)) return key;
  const beside = [parent.name, parent.key, parent.variable].find((it) => typeof it === 'string');
  return beside ?? parentKey ?? key;
}

function isCharacterCode(it: Json): boolean {
  return typeof it === 'number' && Number.isInteger(it) && it >= 9 && it <= 0x10ffff;
}

/** Images, sounds and files as MCP sends them. The declaration alone is not enough: the content must be base64. */
function isMedia(parent: { readonly [key: string]: Json }, key: string): boolean {
  const declared =
    key === 'data'
      ? parent.type === 'image' || parent.type === 'audio'
      : key === 'blob' && typeof parent.uri === 'string';
  const bytes = parent[key];
  return declared && typeof bytes === 'string' && /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(bytes);
}

/**
 * A copy of the value with other texts, given in the order of `collectTexts`; undefined keeps a text. Keys that become
 * equal get a number. A number with a new text becomes a string.
 */
export function replaceTexts(value: Json, texts: readonly (string | undefined)[]): Json {
  let next = 0;
  const rebuild = (it: Json): Json => {
    if (typeof it === 'string' || typeof it === 'number') return texts[next++] ?? it;
    if (Array.isArray(it)) return it.map(rebuild);
    if (!isObject(it)) return it;
    const taken = new Set<string>();
    const members: [string, Json][] = [];
    for (const key of Object.keys(it)) {
      const newKey = texts[next++] ?? key;
      let name = newKey;
      for (let count = 2; taken.has(name) || (name !== key && Object.hasOwn(it, name)); count++)
        name = `${newKey} ${count}`;
      taken.add(name);
      members.push([name, rebuild(it[key] as Json)]);
    }
    return Object.fromEntries(members);
  };
  return rebuild(value);
}
