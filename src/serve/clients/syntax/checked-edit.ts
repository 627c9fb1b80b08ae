import { canonicalJson, isObject, type Json } from '../../../model/json.js';
import {
  type SettingsPath,
  SettingsProblem,
  type SettingsStep,
  type SettingsSyntax,
} from './settings-syntax.js';

/** A syntax whose edits are read again: nothing but the value at the path may differ. */
export function checkedEdits(syntax: SettingsSyntax): SettingsSyntax {
  const check = (text: string, path: SettingsPath, value: Json | undefined, edited: string): string => {
    const expected = withValue(syntax.find(text, []) ?? {}, path, value);
    let seen: Json | undefined;
    try {
      seen = syntax.find(edited, []);
    } catch {}
    if (seen !== undefined && canonicalJson(withoutEmpty(seen)) === canonicalJson(withoutEmpty(expected)))
      return edited;
    throw new SettingsProblem(`this ${syntax.title} cannot be changed without touching something else`, {
      line: 1,
      column: 1,
    });
  };
  return {
    ...syntax,
    set: (text, path, value) => check(text, path, value, syntax.set(text, path, value)),
    remove: (text, path) => check(text, path, undefined, syntax.remove(text, path)),
  };
}

function withValue(root: Json, [step, ...rest]: SettingsPath, value: Json | undefined): Json {
  if (step === undefined) return value ?? {};
  if (typeof step !== 'string') return inList(Array.isArray(root) ? root : [], step, rest, value);
  const object = isObject(root) ? root : {};
  if (rest.length > 0) return { ...object, [step]: withValue(object[step] ?? {}, rest, value) };
  const { [step]: _old, ...others } = object;
  return value === undefined ? others : { ...others, [step]: value };
}

function inList(
  list: readonly Json[],
  step: Exclude<SettingsStep, string>,
  rest: SettingsPath,
  value: Json | undefined,
): Json {
  const at = list.findIndex((it) => isObject(it) && it.name === step.named);
  const old = list[at];
  if (rest.length > 0) return list.map((it, index) => (index === at ? withValue(it, rest, value) : it));
  if (old === undefined) return value === undefined ? list : [...list, value];
  return list.flatMap((it, index) => (index !== at ? [it] : value === undefined ? [] : [value]));
}

/** Members that are empty or null: removing the last entry may leave them or not. */
function withoutEmpty(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  const kept = Object.entries(value)
    .map(([key, it]) => [key, withoutEmpty(it)] as const)
    .filter(([, it]) => it !== null && !isEmpty(it));
  return Object.fromEntries(kept);
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
