import { RE2JS } from 're2js';

/** Patterns of authors and operators, which every call uses again. Pure: a pattern always compiles to the same. */
const compiled = new Map<string, RE2JS>();
const maxCompiled = 512;

/** Compiles a pattern for RE2, which runs in linear time. Throws if it has a feature that RE2 does not support. */
export function linearPattern(pattern: string, flags = 0): RE2JS {
  const key = `${flags} ${pattern}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const made = RE2JS.compile(RE2JS.translateRegExp(pattern), flags);
  if (compiled.size >= maxCompiled) compiled.clear();
  compiled.set(key, made);
  return made;
}
