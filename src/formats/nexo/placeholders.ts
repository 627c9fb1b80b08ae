import type { JsonPath } from '../../model/json.js';
import type { Template, TemplatePart } from '../../model/template.js';
import { nameOf } from '../check.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';

export const placeholderNames = [
  'EXTENSION_ROOT',
  'EXTENSION_ID',
  'EXTENSION_VERSION',
  'AGENT_VERSION',
] as const;

export type PlaceholderName = (typeof placeholderNames)[number];

/** What placeholders stand for. The root is the way to it from the folder in which a server starts. */
export interface Placeholders {
  readonly values: Readonly<Record<PlaceholderName, string>>;
  /** Variables of [requires] env, whose values come from the vault. */
  readonly variables: ReadonlySet<string>;
}

/** Secrets go into the environment and into headers; arguments and addresses are seen by everybody. */
export type Destination = 'argument' | 'environment' | 'address' | 'header';

/** In one text; more are mostly the same mistake again. */
const maxReported = 8;

const holes = /\$\{([^{}]*)\}/g;

export function fill(text: string, placeholders: Placeholders): Template {
  const parts: TemplatePart[] = [];
  let plain = '';
  let from = 0;
  for (const match of text.matchAll(holes)) {
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

/** The text where it is known beforehand; variables stay as they are written. */
export function fillKnown(text: string, placeholders: Placeholders): string {
  return text.replace(holes, (hole, name: string) =>
    isPlaceholder(name) ? placeholders.values[name] : hole,
  );
}

export function checkPlaceholders(
  report: Report,
  text: string,
  at: JsonPath,
  destination: Destination,
  variables: ReadonlySet<string>,
): void {
  const seen = new Set<string>();
  for (const match of text.matchAll(holes)) {
    const name = match[1] as string;
    if (seen.has(name)) continue;
    if (seen.size === maxReported) return;
    seen.add(name);
    const hole = `\${${name.length > 64 ? `${name.slice(0, 64)}…` : name}}`;
    if (variables.has(name)) {
      if (destination === 'environment' || destination === 'header') continue;
      const message = `${hole} would put a secret into ${nameOf(at)}, where others can read it`;
      report.at('nexo.placeholder-place', at, message, { hint: 'pass it in env or headers' });
    } else if (!isPlaceholder(name)) {
      const meant = suggest(name, [...placeholderNames, ...first(variables, 16)]);
      const choices = `the placeholders are ${placeholderNames.join(', ')} and the names in [requires] env`;
      report.at('nexo.placeholder-unknown', at, `${hole} in ${nameOf(at)} stays as it is written`, {
        hint: meant === undefined ? choices : `did you mean "\${${meant}}"? ${choices}`,
      });
    } else if (name === 'EXTENSION_ROOT' && (destination === 'address' || destination === 'header')) {
      const message = `${hole} is a folder of this machine and means nothing in ${nameOf(at)}`;
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
