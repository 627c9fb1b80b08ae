import type { Template, TemplatePart } from '../../model/template.js';

/** Text split at its `{param}` placeholders. */
export interface ParsedPlaceholders {
  readonly template: Template;
  /** Names of the placeholders, without duplicates, in order. */
  readonly names: readonly string[];
  /** Looks like a placeholder but is plain text: `{{name}}`, `{user.name}`, `{ name }`. */
  readonly suspects: readonly string[];
}

const placeholder = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Syntax of other template languages: doubled braces, or names with dots, dashes or spaces. */
const foreign = /\{\{\s{0,8}[A-Za-z_][A-Za-z0-9_.-]*\s{0,8}\}\}|\{\s{0,8}[A-Za-z_][A-Za-z0-9_.-]*\s{0,8}\}/g;

export function parsePlaceholders(text: string): ParsedPlaceholders {
  const parts: TemplatePart[] = [];
  const names = new Set<string>();
  let end = 0;
  const addText = (upTo: number) => {
    if (upTo > end) parts.push({ kind: 'text', text: text.slice(end, upTo) });
  };
  for (const match of text.matchAll(placeholder)) {
    const stop = match.index + match[0].length;
    if (text[match.index - 1] === '{' && text[stop] === '}') continue;
    addText(match.index);
    parts.push({ kind: 'input', path: [match[1] as string] });
    names.add(match[1] as string);
    end = stop;
  }
  addText(text.length);
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
