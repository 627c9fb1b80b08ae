import type { Template, TemplatePart } from '../../model/template.js';

const pattern = /\$\{([^{}]*)\}/g;

/** The names in `${…}`. */
export function placeholderNames(text: string): readonly string[] {
  return [...text.matchAll(pattern)].map((it) => it[1] ?? '');
}

/** Text with `${NAME}` as a template. Every placeholder is a value of the manifest. */
export function valueTemplate(text: string): Template {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) });
    parts.push({ kind: 'slot', slot: match[1] ?? '' });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) });
  return { parts };
}
