import { isObject, type Json } from '../../model/json.js';

/** One text in a value: a string, a key, or a number as it is written. */
export interface Leaf {
  readonly text: string;
  readonly kind: 'text' | 'key' | 'number';
  /** The key it stands under. */
  readonly under: string | undefined;
  /** Bytes of a picture or a sound, declared as such. */
  readonly media: boolean;
}

export interface Leaves {
  readonly all: readonly Leaf[];
  /** Lists of numbers that could be the codes of characters, as indexes into `all`. */
  readonly codeLists: readonly (readonly number[])[];
}

const shortestCodeList = 8;

/** All texts of a value, in the order in which they are written. */
export function leavesOf(value: Json): Leaves {
  const all: Leaf[] = [];
  const codeLists: number[][] = [];
  const visit = (it: Json, under: string | undefined, media: boolean) => {
    if (typeof it === 'string') all.push({ text: it, kind: 'text', under, media });
    else if (typeof it === 'number') all.push({ text: String(it), kind: 'number', under, media });
    else if (Array.isArray(it)) {
      if (it.length >= shortestCodeList && it.every(isCode))
        codeLists.push(it.map((_, index) => all.length + index));
      for (const item of it) visit(item, under, false);
    } else if (isObject(it)) {
      for (const key of Object.keys(it)) {
        all.push({ text: key, kind: 'key', under: undefined, media: false });
        visit(it[key] as Json, key, isMedia(it, key));
      }
    }
  };
  visit(value, undefined, false);
  return { all, codeLists };
}

function isCode(it: Json): boolean {
  return typeof it === 'number' && Number.isInteger(it) && it >= 9 && it <= 0x10ffff;
}

/** As MCP writes pictures, sounds and files: bytes in base64. Words that only say that they are a picture are words. */
function isMedia(of: { readonly [key: string]: Json }, key: string): boolean {
  const declared =
    key === 'data'
      ? of.type === 'image' || of.type === 'audio'
      : key === 'blob' && typeof of.uri === 'string';
  const bytes = of[key];
  return declared && typeof bytes === 'string' && /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/.test(bytes);
}

/**
 * The same value with other texts, given in the same order; undefined leaves one as it was. Keys that become alike are
 * kept apart. A number with another text becomes that text.
 */
export function withLeaves(value: Json, texts: readonly (string | undefined)[]): Json {
  let next = 0;
  const rebuild = (it: Json): Json => {
    if (typeof it === 'string' || typeof it === 'number') return texts[next++] ?? it;
    if (Array.isArray(it)) return it.map(rebuild);
    if (!isObject(it)) return it;
    const taken = new Set<string>();
    const members: [string, Json][] = [];
    for (const key of Object.keys(it)) {
      const wanted = texts[next++] ?? key;
      let name = wanted;
      for (let count = 2; taken.has(name) || (name !== key && Object.hasOwn(it, name)); count++)
        name = `${wanted} ${count}`;
      taken.add(name);
      members.push([name, rebuild(it[key] as Json)]);
    }
    return Object.fromEntries(members);
  };
  return rebuild(value);
}
