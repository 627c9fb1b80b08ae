import { delimiter } from 'node:path';
import { HostError } from '../../model/host-error.js';
import type { Json } from '../../model/json.js';
import type { Arguments } from './arguments.js';
import type { ConfigFile } from './config-file.js';
import { type ConfigKey, type ConfigKeyName, type ConfigValue, configKeys } from './config-keys.js';
import { checkValue, type Surroundings } from './config-value.js';

export type Origin =
  | { readonly kind: 'flag' | 'environment'; readonly name: string }
  | { readonly kind: 'project' | 'user'; readonly file: string; readonly line: number }
  | { readonly kind: 'default' };

/** What holds for one setting, and who said so. Without a value nobody did, and there is no usual one. */
export interface ConfigEntry {
  readonly key: ConfigKeyName;
  readonly value?: ConfigValue;
  readonly origins: readonly Origin[];
}

export interface Layers {
  readonly args: Pick<Arguments, 'has' | 'values'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly around: Surroundings;
  readonly user: ConfigFile | undefined;
  readonly project: ConfigFile | undefined;
}

/** Flag, environment, project, user, default: the first that speaks wins, but a project can only tighten. */
export function settle(layers: Layers): readonly ConfigEntry[] {
  return configKeys.map((it) => {
    const key: ConfigKey = it;
    const name = it.name;
    const user = fromFile(layers.user, name);
    const spoken = fromFlag(key, layers) ?? fromEnvironment(key, layers);
    // Grants add up: the file holds the standing ones, the command line those of the moment.
    if (key.kind === 'grants') return { key: name, ...joined(user, spoken) };
    if (spoken !== undefined) return { key: name, ...spoken };
    const usual: Said | undefined =
      key.usual === undefined ? undefined : { value: key.usual, origins: [{ kind: 'default' }] };
    const settled = tightened(key, user ?? usual, fromFile(layers.project, name));
    return settled === undefined ? { key: name, origins: [] } : { key: name, ...settled };
  });
}

interface Said {
  readonly value: ConfigValue;
  readonly origins: readonly Origin[];
}

function fromFile(file: ConfigFile | undefined, name: ConfigKeyName): Said | undefined {
  const found = file?.settings.get(name);
  if (file === undefined || found === undefined) return undefined;
  return { value: found.value, origins: [{ kind: file.kind, file: file.path, line: found.line }] };
}

function fromFlag(key: ConfigKey, { args, around }: Layers): Said | undefined {
  if (key.flag === undefined || !args.has(key.flag)) return undefined;
  const texts = args.values(key.flag);
  const given: Json = key.kind === 'switch' ? true : isList(key) ? texts : (texts[0] ?? '');
  return spokenValue(key, given, `--${key.flag}`, { kind: 'flag', name: `--${key.flag}` }, around);
}

function fromEnvironment(key: ConfigKey, { environment, around }: Layers): Said | undefined {
  const text = key.variable === undefined ? undefined : environment[key.variable];
  if (key.variable === undefined || text === undefined || text === '') return undefined;
  const given: Json = isList(key)
    ? text.split(delimiter).filter((it) => it !== '')
    : key.kind === 'switch'
      ? ({ '1': true, true: true, '0': false, false: false }[text] ?? text)
      : text;
  return spokenValue(key, given, key.variable, { kind: 'environment', name: key.variable }, around);
}

function spokenValue(key: ConfigKey, given: Json, where: string, origin: Origin, around: Surroundings): Said {
  const checked = checkValue(key, given, around);
  if (checked.ok) return { value: checked.value, origins: [origin] };
  const [first] = checked.complaints;
  const hint = key.kind === 'switch' ? 'use 1 or 0' : first?.hint;
  throw new HostError('usage', `${where}: ${first?.message}`, hint === undefined ? {} : { hint });
}

function isList(key: ConfigKey): boolean {
  return ['paths', 'grants', 'denials', 'tools', 'names', 'folder-names'].includes(key.kind);
}

/** What is left of a setting when the project had its say. */
function tightened(key: ConfigKey, base: Said | undefined, project: Said | undefined): Said | undefined {
  if (project === undefined) return base;
  switch (key.project) {
    case 'add':
      return joined(base, project);
    case 'intersect': {
      if (base === undefined) return project;
      const allowed = project.value as readonly string[];
      const value = (base.value as readonly string[]).filter((it) => allowed.includes(it));
      return { value, origins: [...project.origins, ...base.origins] };
    }
    case 'within': {
      // Both must hold: what the project names counts where it lies in what the user named.
      if (base === undefined) return project;
      const value = narrowed(base.value as readonly string[], project.value as readonly string[]);
      return { value, origins: [...project.origins, ...base.origins] };
    }
    case 'smaller':
      return base !== undefined && (base.value as number) <= (project.value as number) ? base : project;
    case 'switch-on':
      return base?.value === true ? base : project;
    case 'first-choice':
      return project;
    default:
      return base;
  }
}

/** The folders that lie in a folder of both lists. */
export function narrowed(a: readonly string[], b: readonly string[]): string[] {
  const inside = (path: string, folders: readonly string[]) =>
    folders.some((it) => `${path}/`.startsWith(it === '/' ? '/' : `${it}/`));
  return [...new Set([...a.filter((it) => inside(it, b)), ...b.filter((it) => inside(it, a))])];
}

function joined(base: Said | undefined, more: Said | undefined): Said {
  const lists = [base, more].filter((it) => it !== undefined);
  return {
    value: [...new Set(lists.flatMap((it) => it.value as readonly string[]))] as ConfigValue,
    origins: lists.length === 0 ? [] : lists.flatMap((it) => it.origins).reverse(),
  };
}
