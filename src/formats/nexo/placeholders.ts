import type { JsonPath } from '../../model/json.js';
import type { Template, TemplatePart } from '../../model/template.js';
import { pathName } from '../check.js';
import { suggest } from '../suggest.js';
import type { NexoReport } from './codes.js';

export const placeholderNames = [
  'EXTENSION_ROOT',
  'EXTENSION_ID',
  'EXTENSION_VERSION',
  'AGENT_VERSION',
] as const;

export type PlaceholderName = (typeof placeholderNames)[number];

/** The values of placeholders. EXTENSION_ROOT is relative to the folder in which the server starts. */
export interface Placeholders {
  readonly values: Readonly<Record<PlaceholderName, string>>;
  /** Names in [requires] env. Their values come from the vault. */
  readonly variables: ReadonlySet<string>;
}

/** Secrets are allowed only in the environment and in headers: other programs can see arguments and URLs. */
export type PlaceholderDestination = 'argument' | 'environment' | 'url' | 'header';

/** Per text; further ones are usually the same mistake. */
const maxReported = 8;

const placeholderPattern = /\$\{([^{}]*)\}/g;

export function toTemplate(text: string, placeholders: Placeholders): Template {
  const parts: TemplatePart[] = [];
  let plain = '';
  let from = 0;
  for (const match of text.matchAll(placeholderPattern)) {
    const name = match[1] as string;
    plain += text.slice(from, match.index);
    from = match.index + match[0].length;
    if (placeholders.variables.has(name)) {
      if (plain !== '') parts.push({ kind: 'text', text: plain });
      parts.push({ kind: 'slot', slot: name });
      plain = '';
    } else {
      plain += isPlaceholder(name) ? placeholders.values[name] : match[0];
    }
  }
  plain += text.slice(from);
  if (plain !== '') parts.push({ kind: 'text', text: plain });
  return { parts };
}

/** Fills the placeholders whose values are known now; variables of [requires] env stay unchanged. */
export function fillKnown(text: string, placeholders: Placeholders): string {
  return text.replace(placeholderPattern, (written, name: string) =>
    isPlaceholder(name) ? placeholders.values[name] : written,
  );
}

export function checkPlaceholders(
  report: NexoReport,
  text: string,
  at: JsonPath,
  destination: PlaceholderDestination,
  variables: ReadonlySet<string>,
): void {
  const seen = new Set<string>();
  for (const match of text.matchAll(placeholderPattern)) {
    const name = match[1] as string;
    if (seen.has(name)) continue;
    if (seen.size === maxReported) return;
    seen.add(name);
    const shown = `\${${name.length > 64 ? `${name.slice(0, 64)}…` : name}}`;
    if (variables.has(name)) {
      if (destination === 'environment' || destination === 'header') continue;
      const message = `${shown} would put a secret in ${pathName(at)}, where others can read it`;
      report.at('nexo.placeholder-place', at, message, { hint: 'pass it in env or headers' });
    } else if (!isPlaceholder(name)) {
      const meant = suggest(name, [...placeholderNames, ...first(variables, 16)]);
      const choices = `the placeholders are ${placeholderNames.join(', ')} and the names in [requires] env`;
      report.at(
        'nexo.placeholder-unknown',
        at,
        `${shown} in ${pathName(at)} is not a known placeholder and stays unchanged`,
        {
          hint: meant === undefined ? choices : `did you mean "\${${meant}}"? ${choices}`,
        },
      );
    } else if (name === 'EXTENSION_ROOT' && (destination === 'url' || destination === 'header')) {
      const message = `${shown} is a folder on this machine and has no meaning in ${pathName(at)}`;
      report.at('nexo.placeholder-place', at, message, { hint: 'remove it' });
    }
  }
}

function* first(names: Iterable<string>, count: number): Iterable<string> {
  let left = count;
  for (const name of names) {
    if (left-- === 0) return;
    yield name;
  }
}

function isPlaceholder(name: string): name is PlaceholderName {
  return (placeholderNames as readonly string[]).includes(name);
}
