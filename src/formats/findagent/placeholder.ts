import type { Template, TemplatePart } from '../../model/template.js';

/** Text taken apart at its `{param}` holes. */
export interface Holed {
  readonly template: Template;
  /** Names of the holes, each once, in order. */
  readonly names: readonly string[];
  /** What looks like a hole and is plain text here: `{{name}}`, `{user.name}`, `{ name }`. */
  readonly suspects: readonly string[];
}

const hole = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Doubled braces and names with dots, dashes, blanks or a dollar sign: other template languages. */
const foreign = /\{\{\s{0,8}[A-Za-z_][A-Za-z0-9_.-]*\s{0,8}\}\}|\{\s{0,8}[A-Za-z_][A-Za-z0-9_.-]*\s{0,8}\}/g;

export function splitHoles(text: string): Holed {
  const parts: TemplatePart[] = [];
  const names = new Set<string>();
  let end = 0;
  const keep = (upTo: number) => {
    if (upTo > end) parts.push({ kind: 'text', text: text.slice(end, upTo) });
  };
  for (const match of text.matchAll(hole)) {
    const stop = match.index + match[0].length;
    if (text[match.index - 1] === '{' && text[stop] === '}') continue;
    keep(match.index);
    parts.push({ kind: 'input', path: [match[1] as string] });
    names.add(match[1] as string);
    end = stop;
  }
  keep(text.length);
  return { template: { parts }, names: [...names], suspects: suspectsOf(text) };
}

function suspectsOf(text: string): string[] {
  if (!text.includes('{')) return [];
  const found = new Set<string>();
  for (const match of text.matchAll(foreign)) {
    if (match[0].startsWith('{{') || !/^\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(match[0])) found.add(match[0]);
  }
  return [...found];
}
