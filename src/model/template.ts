import type { Json } from './json.js';

/** One part of a template: fixed text, or a placeholder for an input or a slot. Inserted values are not parsed again. */
export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'input'; readonly path: readonly string[] }
  | { readonly kind: 'slot'; readonly slot: string };

/** Text with placeholders. The destination (argv, header, path, query, JSON) decides which values are allowed. */
export interface Template {
  readonly parts: readonly TemplatePart[];
}

/** A JSON value whose strings may have placeholders. A string that is one placeholder keeps its value's type. */
export type JsonTemplate =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'template'; readonly template: Template }
  | { readonly kind: 'array'; readonly items: readonly JsonTemplate[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] };

/** One member of an object in a JSON template. */
export interface JsonMember {
  readonly name: string;
  readonly value: JsonTemplate;
}

/** A template without placeholders. */
export function textTemplate(text: string): Template {
  return { parts: text === '' ? [] : [{ kind: 'text', text }] };
}

/** The text of a template without placeholders; undefined when it has one. */
export function constantText(template: Template): string | undefined {
  let text = '';
  for (const part of template.parts) {
    if (part.kind !== 'text') return undefined;
    text += part.text;
  }
  return text;
}
