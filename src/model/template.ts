import type { Json } from './json.js';

/** One piece of a template. Substituted text is never read as a template again. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'input'; readonly path: readonly string[] }
  | { readonly kind: 'slot'; readonly slot: string };

/** Text with holes. What a hole may hold depends on the destination (argv, header, path, query, JSON). */
export interface Template {
  readonly parts: readonly TemplatePart[];
}

/** A JSON value whose strings may have holes; a string that is one hole keeps the type of its value. */
export type JsonTemplate =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'array'; readonly items: readonly JsonTemplate[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] };

export interface JsonMember {
  readonly name: string;
  readonly value: JsonTemplate;
}

export function textTemplate(text: string): Template {
  return { parts: text === '' ? [] : [{ kind: 'text', text }] };
}

/** The text of a template without holes; undefined when it has one. */
export function constantText(template: Template): string | undefined {
  let text = '';
  for (const part of template.parts) {
    if (part.kind !== 'text') return undefined;
    text += part.text;
  }
  return text;
}
