import { isObject, type Json, type JsonObject } from '../../model/json.js';

export type SettingKind = 'text' | 'number' | 'boolean' | 'choice' | 'secret';

/** The format's document has no settings; these are the words that manifests in the wild use. */
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

/** Undefined when the type is a word that nobody knows. Without a type, options make it a choice. */
export function kindOf(setting: JsonObject): SettingKind | undefined {
  if (setting.type === undefined) return Array.isArray(setting.options) ? 'choice' : 'text';
  const { type } = setting;
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** An option is its value, or an object with a value and a label. */
export function optionValue(option: Json): string | undefined {
  const value = isObject(option) ? option.value : option;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
