import { delimiter } from 'node:path';
import { isWithin } from '../../../files/path-containment.js';
import { HostError } from '../../../model/host-error.js';
import type { Json } from '../../../model/json.js';
import type { Arguments } from '../command/command.js';
import type { ConfigFile } from './config-file.js';
import { type ConfigKey, type ConfigKeyName, type ConfigValue, configKeys } from './config-keys.js';
import { checkValue, type PathContext } from './config-value.js';

export type Origin =
  | { readonly kind: 'flag' | 'environment'; readonly name: string }
  | { readonly kind: 'project' | 'user'; readonly file: string; readonly line: number }
  | { readonly kind: 'default' };

/** One setting in effect, and where it was set. `value` is absent if it is not set and has no default. */
export interface ConfigEntry {
  readonly key: ConfigKeyName;
  readonly value?: ConfigValue;
  readonly origins: readonly Origin[];
}

export interface ConfigLayers {
  readonly args: Pick<Arguments, 'has' | 'values'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly pathContext: PathContext;
  readonly user: ConfigFile | undefined;
  readonly project: ConfigFile | undefined;
}

/** Flag, environment, project, user, default: the first one that is set wins, but a project can only tighten. */
export function resolveConfig(layers: ConfigLayers): readonly ConfigEntry[] {
  return configKeys.map((it) => {
    const key: ConfigKey = it;
    const name = it.name;
    const user = fromFile(layers.user, name);
    const override = fromFlag(key, layers) ?? fromEnvironment(key, layers);
    // Grants from the file and from the command line are combined.
    if (key.kind === 'grants') return { key: name, ...joined(user, override) };
    if (override !== undefined) return { key: name, ...override };
    const defaultValue: LayerValue | undefined =
      key.default === undefined ? undefined : { value: key.default, origins: [{ kind: 'default' }] };
    const effective = tightened(key, user ?? defaultValue, fromFile(layers.project, name));
    return effective === undefined ? { key: name, origins: [] } : { key: name, ...effective };
  });
}

interface LayerValue {
  readonly value: ConfigValue;
  readonly origins: readonly Origin[];
}

function fromFile(file: ConfigFile | undefined, name: ConfigKeyName): LayerValue | undefined {
  const found = file?.settings.get(name);
  if (file === undefined || found === undefined) return undefined;
  return { value: found.value, origins: [{ kind: file.kind, file: file.path, line: found.line }] };
}

function fromFlag(key: ConfigKey, { args, pathContext }: ConfigLayers): LayerValue | undefined {
  if (key.flag === undefined || !args.has(key.flag)) return undefined;
  const texts = args.values(key.flag);
  const value: Json = key.kind === 'switch' ? true : isListKey(key) ? texts : (texts[0] ?? '');
  return checkedValue(key, value, `--${key.flag}`, { kind: 'flag', name: `--${key.flag}` }, pathContext);
}

function fromEnvironment(key: ConfigKey, { environment, pathContext }: ConfigLayers): LayerValue | undefined {
  const text = key.variable === undefined ? undefined : environment[key.variable];
  if (key.variable === undefined || text === undefined || text === '') return undefined;
  const value: Json = isListKey(key)
    ? text.split(delimiter).filter((it) => it !== '')
    : key.kind === 'switch'
      ? ({ '1': true, true: true, '0': false, false: false }[text] ?? text)
      : text;
  return checkedValue(key, value, key.variable, { kind: 'environment', name: key.variable }, pathContext);
}

function checkedValue(
  key: ConfigKey,
  value: Json,
  source: string,
  origin: Origin,
  pathContext: PathContext,
): LayerValue {
  const checked = checkValue(key, value, pathContext);
  if (checked.ok) return { value: checked.value, origins: [origin] };
  const [first] = checked.problems;
  const hint = key.kind === 'switch' ? 'use 1 or 0' : first?.hint;
  throw new HostError('usage', `${source}: ${first?.message}`, hint === undefined ? {} : { hint });
}

const listKinds: ReadonlySet<string> = new Set([
  'paths',
  'grants',
  'denials',
  'tools',
  'exemptions',
  'server-requests',
  'names',
  'violation-actions',
  'taint-modes',
  'taint-inputs',
  'hidden-results',
  'hidden-inputs',
  'own-values',
  'folder-names',
]);

/** Whether the value is a list of strings. */
export function isListKey(key: ConfigKey): boolean {
  return listKinds.has(key.kind);
}

/** The setting after the project file has tightened it. */
function tightened(
  key: ConfigKey,
  base: LayerValue | undefined,
  project: LayerValue | undefined,
): LayerValue | undefined {
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
      // Only folders that both allow: the project's folders inside the user's, and the other way round.
      if (base === undefined) return project;
      const value = intersectFolders(base.value as readonly string[], project.value as readonly string[]);
      return { value, origins: [...project.origins, ...base.origins] };
    }
    case 'smaller':
      return base !== undefined && (base.value as number) <= (project.value as number) ? base : project;
    case 'switch-on':
      return base?.value === true ? base : project;
    case 'first-choice':
      return project;
    case 'stricter-choice': {
      const rank = (it: LayerValue | undefined) => (key.choices ?? []).indexOf(String(it?.value));
      return rank(project) > rank(base) ? project : base;
    }
    default:
      return base;
  }
}

/** Folders of either list that are inside a folder of the other list. */
export function intersectFolders(a: readonly string[], b: readonly string[]): string[] {
  const inside = (path: string, folders: readonly string[]) => folders.some((it) => isWithin(path, it));
  return [...new Set([...a.filter((it) => inside(it, b)), ...b.filter((it) => inside(it, a))])];
}

function joined(base: LayerValue | undefined, more: LayerValue | undefined): LayerValue {
  const lists = [base, more].filter((it) => it !== undefined);
  return {
    value: [...new Set(lists.flatMap((it) => it.value as readonly string[]))] as ConfigValue,
    origins: lists.length === 0 ? [] : lists.flatMap((it) => it.origins).reverse(),
  };
}
