import type { NotifyTarget } from '../../model/notify-target.js';
import type { RegistrySetting } from '../../model/registry-setting.js';
import { type Rule, ruleOriginText } from '../../model/rule.js';
import { ruleTomlLines } from './rule-toml.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { width } from './width.js';

/** One setting with its value and origins. */
export interface PrintedSetting {
  readonly key: string;
  readonly value?:
    | string
    | number
    | boolean
    | readonly string[]
    | readonly Rule[]
    | readonly NotifyTarget[]
    | readonly RegistrySetting[];
  readonly origins: readonly (
    | { readonly kind: 'flag' | 'environment'; readonly name: string }
    | { readonly kind: 'project' | 'user'; readonly file: string; readonly line: number }
    | { readonly kind: 'default' }
  )[];
}

export interface ConfigPrinter {
  readonly style: Style;
  readonly origins: boolean;
  readonly columns: number;
}

/** Valid TOML; settings without a value are comments. */
export function printConfig(settings: readonly PrintedSetting[], printer: ConfigPrinter): string {
  const { style, columns } = printer;
  // Tables come last, because in TOML later lines would belong to them.
  const rules = settings.find((it) => it.key === 'rules');
  const notify = settings.find((it) => it.key === 'notify');
  const registries = settings.find((it) => it.key === 'registries');
  const isTable = (it: PrintedSetting) =>
    (it === rules || it === notify || it === registries) && it.origins.length > 0;
  const plain = settings.filter((it) => !isTable(it));
  const lines = plain.flatMap((it) => {
    const isSet = it.value !== undefined && !(Array.isArray(it.value) && it.origins.length === 0);
    const text = isSet ? visibleLine(`${it.key} = ${JSON.stringify(it.value)}`) : `# ${it.key} is not set`;
    const shown = isSet ? text : style.dim(text);
    if (!printer.origins || !isSet) return [shown];
    const origin = visibleLine(`# ${it.origins.map(settingOriginText).join(', ')}`);
    // On the same line if there is room, else above it.
    return width(text) + width(origin) + 2 <= columns
      ? [`${shown}  ${style.dim(origin)}`]
      : [style.dim(origin), shown];
  });
  const tables = rules === undefined || rules.origins.length === 0 ? [] : (rules.value as readonly Rule[]);
  const written = tables.flatMap((rule) => {
    const origin = printer.origins ? [style.dim(visibleLine(`# ${ruleOrigin(rule)}`))] : [];
    return ['', ...origin, ...ruleTomlLines(rule).map(visibleLine)];
  });
  const targets = ((notify?.value ?? []) as readonly NotifyTarget[]).flatMap((it) => {
    const origin = printer.origins
      ? [style.dim(visibleLine(`# ${notify?.origins.map(settingOriginText).join(', ')}`))]
      : [];
    return ['', ...origin, ...notifyTomlLines(it).map(visibleLine)];
  });
  const found = ((registries?.value ?? []) as readonly RegistrySetting[]).flatMap((it) => {
    const origin = printer.origins
      ? [style.dim(visibleLine(`# ${registries?.origins.map(settingOriginText).join(', ')}`))]
      : [];
    return ['', ...origin, ...registryTomlLines(it).map(visibleLine)];
  });
  return `${[...lines, ...written, ...targets, ...found].join('\n')}\n`;
}

function registryTomlLines({ name, acceptExpired, ...rest }: RegistrySetting): string[] {
  const members = Object.entries({ ...rest, ...(acceptExpired === true ? { accept_expired: true } : {}) });
  return [`[registries.${name}]`, ...members.map(([key, value]) => `${key} = ${JSON.stringify(value)}`)];
}

function notifyTomlLines({
  kind,
  url,
  urlSecret,
  tokenSecret,
  arguments: withArguments,
}: NotifyTarget): string[] {
  const members = { kind, url, url_secret: urlSecret, token_secret: tokenSecret, arguments: withArguments };
  const written = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} = ${JSON.stringify(value)}`],
  );
  return ['[[notify]]', ...written];
}

function ruleOrigin({ origin }: Rule): string {
  return origin.kind === 'user' || origin.kind === 'project'
    ? `${origin.kind} ${ruleOriginText(origin)}`
    : origin.kind;
}

export function settingOriginText(origin: PrintedSetting['origins'][number]): string {
  switch (origin.kind) {
    case 'default':
      return 'default';
    case 'project':
    case 'user':
      return `${origin.kind} ${origin.file}:${origin.line}`;
    default:
      return `${origin.kind} ${origin.name}`;
  }
}
