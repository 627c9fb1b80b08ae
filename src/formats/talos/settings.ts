import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** The kinds of values that a setting can have. */
export type SettingKind = 'text' | 'number' | 'boolean' | 'choice' | 'secret';

/** The specification has no settings. These are the type names that published manifests use. */
const kinds: Readonly<Record<string, SettingKind>> = {
  string: 'text',
  text: 'text',
  textarea: 'text',
  multiline: 'text',
  url: 'text',
  path: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  checkbox: 'boolean',
  toggle: 'boolean',
  switch: 'boolean',
  select: 'choice',
  enum: 'choice',
  choice: 'choice',
  dropdown: 'choice',
  password: 'secret',
  secret: 'secret',
};

/** Undefined when the type is unknown. A setting without a type but with options is a choice. */
export function settingKind(setting: JsonObject): SettingKind | undefined {
  if (setting.type === undefined) return Array.isArray(setting.options) ? 'choice' : 'text';
  const { type } = setting;
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** The value of an option, which is a plain value or an object with a value and a label. */
export function optionValue(option: Json): string | undefined {
  const value = isObject(option) ? option.value : option;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
