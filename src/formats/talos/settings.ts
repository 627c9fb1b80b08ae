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
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? String(value) : undefined;
}

/** Everything that the host needs to know of a setting. Its value is always text; `kind` says which texts are valid. */
export interface TalosSetting {
  /** Undefined when the manifest has an unknown type, which is treated as text. */
  readonly declared: SettingKind | undefined;
  /** `text` when the declared kind does not allow the default, or when a choice has no options. */
  readonly kind: SettingKind;
  /** Empty if it is not a choice. Includes the default. */
  readonly choices: readonly string[];
  readonly default: string | undefined;
  readonly problem: 'no-options' | 'default-not-an-option' | 'default-of-other-kind' | undefined;
}

/** Reads a setting the way published tools mean it: a default is text, and an empty one of a number means none. */
export function talosSetting(setting: JsonObject): TalosSetting {
  const declared = settingKind(setting);
  const options = Array.isArray(setting.options) ? setting.options.map(optionValue) : [];
  const choices = declared === 'choice' ? options.filter((it) => it !== undefined) : [];
  const text = defaultText(setting.default, declared);
  const read = { declared, default: text, choices: [], problem: undefined };
  switch (declared) {
    case undefined:
      return { ...read, kind: 'text' };
    case 'choice': {
      if (choices.length === 0)
        return { ...read, kind: 'text', problem: options.length === 0 ? 'no-options' : undefined };
      if (text === undefined || choices.includes(text)) return { ...read, kind: 'choice', choices };
      return { ...read, kind: 'choice', choices: [...choices, text], problem: 'default-not-an-option' };
    }
    case 'number':
    case 'boolean': {
      const fits = text === undefined || (declared === 'number' ? numberForm : booleanForm).test(text);
      return fits ? { ...read, kind: declared } : { ...read, kind: 'text', problem: 'default-of-other-kind' };
    }
    case 'text':
    case 'secret':
      return { ...read, kind: declared };
  }
}

const numberForm = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,2})?$/;
const booleanForm = /^(?:true|false)$/;

function defaultText(value: Json | undefined, kind: SettingKind | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'object') return undefined;
  const text = String(value);
  return text === '' && kind !== 'text' && kind !== undefined ? undefined : text;
}
