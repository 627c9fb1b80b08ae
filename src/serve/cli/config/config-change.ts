import { dirname, relative, resolve } from 'node:path';
import { editToml, type TomlValue, tomlLiteral } from '../../../formats/document/toml-edit.js';
import type { Diagnostic } from '../../../model/diagnostic.js';
import { HostError } from '../../../model/host-error.js';
import type { Json } from '../../../model/json.js';
import { type ConfigFile, readConfigFile, unknownKeyHint } from './config-file.js';
import { type ConfigKey, type ConfigKeyName, configKeys, configTables } from './config-keys.js';
import { isListKey } from './config-layers.js';
import { checkValue } from './config-value.js';

/** A change of one setting in one file. */
export interface ConfigChange {
  readonly key: ConfigKeyName;
  /** Undefined if the file does not set it. */
  readonly before: TomlValue | undefined;
  readonly after: TomlValue | undefined;
  /** The whole text after the change. */
  readonly text: string;
  /** Errors that the file had before and still has. */
  readonly remaining: readonly Diagnostic[];
}

export interface ConfigTarget {
  readonly kind: ConfigFile['kind'];
  readonly path: string;
  readonly home: string;
  /** What the file contains now; empty if it does not exist. */
  readonly text: string;
}

export function configKeyNamed(name: string): ConfigKey {
  const key: ConfigKey | undefined = configKeys.find((it) => it.name === name);
  if (key === undefined) {
    const inTable = configKeys.map((it) => it.name).filter((it) => it.startsWith(`${name}.`));
    throw new HostError(
      'usage',
      configTables.has(name) ? `${name} is a table of settings` : `unknown setting ${name}`,
      { hint: inTable.length > 0 ? `its settings are ${inTable.join(', ')}` : unknownKeyHint(name) },
    );
  }
  if (key.kind === 'rules' || key.kind === 'notify' || key.kind === 'registries')
    throw new HostError('usage', `${name} has tables, which this command cannot write`, {
      hint: 'edit the file; docs/config.md has examples',
    });
  return key;
}

/** The value as it is written into the file: relative paths were meant from the current folder. */
export function valueFromArguments(
  key: ConfigKey,
  given: readonly string[],
  { kind, path, home }: Pick<ConfigTarget, 'kind' | 'path' | 'home'>,
  cwd: string,
): TomlValue {
  if (given.length === 0)
    throw new HostError('usage', `name the value: toolwharf config set ${key.name} VALUE`, {
      hint: `to remove the setting: toolwharf config unset ${key.name}`,
    });
  if (!isListKey(key) && given.length > 1)
    throw new HostError('usage', `${key.name} takes one value`, { hint: 'quote a value with spaces' });
  const checked = checkValue(key, isListKey(key) ? given : scalarOf(key, given[0] as string), {
    folder: cwd,
    home,
  });
  if (!checked.ok) {
    const [first] = checked.problems;
    const hint = key.kind === 'switch' ? 'write true or false' : first?.hint;
    throw new HostError(
      'usage',
      first?.message ?? `${key.name} has an invalid value`,
      hint === undefined ? {} : { hint },
    );
  }
  const value = checked.value as TomlValue;
  // A project is moved and shared, so its own file has relative paths.
  return kind === 'project' && key.kind === 'paths'
    ? (value as readonly string[]).map((it) => inFolder(it, dirname(path)))
    : value;
}

function scalarOf(key: ConfigKey, text: string): Json {
  if (key.kind === 'switch') return { true: true, false: false, '1': true, '0': false }[text] ?? text;
  if (key.kind === 'whole-number')
    return /^\d{1,15}$/.test(text.replaceAll('_', '')) ? Number(text.replaceAll('_', '')) : text;
  return text;
}

function inFolder(path: string, folder: string): string {
  const inside = relative(folder, resolve(folder, path));
  return inside === '..' || inside.startsWith('../') ? path : inside === '' ? '.' : `./${inside}`;
}

/** The change, checked: the new text is valid, and nothing but this setting is different. */
export async function changeConfig(
  key: ConfigKey,
  after: TomlValue | undefined,
  target: ConfigTarget,
): Promise<ConfigChange> {
  const { kind, path, home, text } = target;
  const name = key.name as ConfigKeyName;
  const old = await readConfigFile(path, kind, home, text);
  const broken = old.diagnostics.find((it) => it.code.startsWith('syntax.'));
  if (broken !== undefined) throw invalid(path, broken, 'fix the file by hand first');
  const before = await writtenSetting(text, name);
  const edit = editToml(text, name.split('.'), after);
  if (!edit.ok) {
    const line = text.slice(0, edit.offset).split('\n').length;
    throw new HostError('usage', `${name} cannot be changed: ${edit.conflict} (${path}:${line})`, {
      hint: 'edit the file by hand',
    });
  }
  const now = await readConfigFile(path, kind, home, edit.text);
  const known = new Set(old.diagnostics.map((it) => it.message));
  const errors = now.diagnostics.filter((it) => it.severity === 'error');
  const [added] = errors.filter((it) => !known.has(it.message));
  if (added !== undefined) throw invalid(path, added, added.hint);
  for (const it of configKeys.filter((it) => it.name !== name))
    if (
      JSON.stringify(old.settings.get(it.name)?.value) !== JSON.stringify(now.settings.get(it.name)?.value) &&
      it.kind !== 'rules'
    )
      throw new Error(`changing ${name} would change ${it.name}`);
  return { key: name, before, after, text: edit.text, remaining: errors };
}

/** As it is written, with relative paths. */
export async function writtenSetting(text: string, name: string): Promise<TomlValue | undefined> {
  const { parseToml } = await import('../../../formats/document/toml.js');
  let value: unknown = parseToml(text).value;
  for (const step of name.split('.')) value = (value as Record<string, unknown> | undefined)?.[step];
  return value as TomlValue | undefined;
}

function invalid(path: string, it: Diagnostic, hint: string | undefined): HostError {
  return new HostError(
    'invalid_config',
    `${path}:${it.range.line}:${it.range.column} ${it.message}; nothing was written`,
    hint === undefined ? {} : { hint },
  );
}

export function changeLines({ key, before, after }: ConfigChange): string[] {
  return [
    ...(before === undefined ? [] : [`- ${key} = ${tomlLiteral(before)}`]),
    ...(after === undefined ? [] : [`+ ${key} = ${tomlLiteral(after)}`]),
  ];
}
