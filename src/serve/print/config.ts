import { originText as originOf, type Rule } from '../../model/rule.js';
import { ruleLines } from './rule.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { width } from './width.js';

/** A setting as the command line knows it. */
export interface PrintedSetting {
  readonly key: string;
  readonly value?: string | number | boolean | readonly string[] | readonly Rule[];
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

/** TOML that could be put in a file as it is; what nobody set is a comment. */
export function printConfig(settings: readonly PrintedSetting[], printer: ConfigPrinter): string {
  const { style, columns } = printer;
  // Tables come last: whatever followed them would belong to them.
  const rules = settings.find((it) => it.key === 'rules');
  const plain = settings.filter((it) => it !== rules || it.origins.length === 0);
  const lines = plain.flatMap((it) => {
    const isSet = it.value !== undefined && !(Array.isArray(it.value) && it.origins.length === 0);
    const text = isSet ? visibleLine(`${it.key} = ${JSON.stringify(it.value)}`) : `# ${it.key} is not set`;
    const shown = isSet ? text : style.dim(text);
    if (!printer.origins || !isSet) return [shown];
    const origin = visibleLine(`# ${it.origins.map(originText).join(', ')}`);
    // Beside it where there is room, else above it.
    return width(text) + width(origin) + 2 <= columns
      ? [`${shown}  ${style.dim(origin)}`]
      : [style.dim(origin), shown];
  });
  const tables = rules === undefined || rules.origins.length === 0 ? [] : (rules.value as readonly Rule[]);
  const written = tables.flatMap((rule) => {
    const origin = printer.origins ? [style.dim(visibleLine(`# ${ruleOrigin(rule)}`))] : [];
    return ['', ...origin, ...ruleLines(rule).map(visibleLine)];
  });
  return `${[...lines, ...written].join('\n')}\n`;
}

function ruleOrigin({ origin }: Rule): string {
  return origin.kind === 'user' || origin.kind === 'project'
    ? `${origin.kind} ${originOf(origin)}`
    : origin.kind;
}

export function originText(origin: PrintedSetting['origins'][number]): string {
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
