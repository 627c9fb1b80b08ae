import type { QueryParameter, UrlTemplate } from '../../model/action.js';
import { type Template, type TemplatePart, textTemplate } from '../../model/template.js';

/** The endpoint's own path and query come first; what an action adds can never reach another origin. */
export function urlTemplate(endpoint: URL, added: Template): UrlTemplate {
  const [path, query] = splitAt(added, '?');
  return {
    origin: endpoint.origin,
    path: joinPath(endpoint.pathname, path),
    query: [...queryOf(textTemplate(endpoint.search.replace(/^\?/, ''))), ...queryOf(query)],
  };
}

function joinPath(base: string, { parts }: Template): Template {
  const [first, ...rest] = parts;
  if (first === undefined) return textTemplate(base);
  const prefix = base.replace(/\/$/, '');
  if (first.kind !== 'text') return { parts: [{ kind: 'text', text: `${prefix}/` }, ...parts] };
  const text = first.text.startsWith('/') ? prefix + first.text : `${prefix}/${first.text}`;
  return { parts: [{ kind: 'text', text }, ...rest] };
}

/** Cuts a template at the first separator in its constant text; values cannot bring one in. */
function splitAt(template: Template, separator: string): [Template, Template] {
  for (const [index, part] of template.parts.entries()) {
    const at = part.kind === 'text' ? part.text.indexOf(separator) : -1;
    if (part.kind !== 'text' || at === -1) continue;
    const before = [...template.parts.slice(0, index), ...textTemplate(part.text.slice(0, at)).parts];
    const after = [...textTemplate(part.text.slice(at + 1)).parts, ...template.parts.slice(index + 1)];
    return [{ parts: before }, { parts: after }];
  }
  return [template, { parts: [] }];
}

function queryOf(query: Template): QueryParameter[] {
  const parameters: QueryParameter[] = [];
  let rest = query;
  while (rest.parts.length > 0) {
    const [pair, others] = splitAt(rest, '&');
    const [name, value] = splitAt(pair, '=');
    // The rules refuse a token in a name, so it is all text.
    const label = name.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    if (pair.parts.length > 0) {
      parameters.push({ name: decoded(label), value: { parts: value.parts.map(withoutPlus) } });
    }
    rest = others;
  }
  return parameters;
}

/** Constant text may be encoded already and is sent so; only "+" is not the same everywhere. */
function withoutPlus(part: TemplatePart): TemplatePart {
  return part.kind === 'text' ? { kind: 'text', text: part.text.replaceAll('+', '%20') } : part;
}

/** Names are encoded when they are sent. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
