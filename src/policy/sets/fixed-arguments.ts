import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { foldName } from './set-scope.js';

/** The result of adding fixed arguments: all arguments, or the name that must not be given. */
export type FixedResult = { readonly args: JsonObject } | { readonly rejected: string };

/**
 * Adds the fixed arguments. `mayRepeat`: arguments that have them already, with the same values, are accepted. A caller
 * may not send them at all: what seems to work today would fail with the next value. `declared`: the inputs of the tool.
 */
export function withFixed(
  args: JsonObject,
  fixed: JsonObject,
  { declared, mayRepeat }: { readonly declared: ReadonlySet<string>; readonly mayRepeat: boolean },
): FixedResult {
  const twins = new Map(Object.keys(fixed).map((it) => [foldName(it), it]));
  for (const name of Object.keys(args)) {
    if (Object.hasOwn(fixed, name)) {
      if (!mayRepeat || !isEqual(args[name] as Json, fixed[name] as Json)) return { rejected: name };
      // Another spelling of a fixed name, which a lenient program could take for it.
    } else if (!declared.has(name) && twins.has(foldName(name))) return { rejected: name };
  }
  return { args: { ...args, ...fixed } };
}

function isEqual(one: Json, other: Json): boolean {
  if (Array.isArray(one) || Array.isArray(other))
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((it, index) => isEqual(it, other[index] as Json))
    );
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((it) => Object.hasOwn(other, it) && isEqual(one[it] as Json, other[it] as Json))
  );
}
