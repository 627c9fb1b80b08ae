import type { QueryParameter, UrlTemplate } from '../../model/action.js';
import { type Template, type TemplatePart, textTemplate } from '../../model/template.js';

/** Appends the path and query of an action to the endpoint. The origin always stays the endpoint's. */
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

/** Splits a template at the first separator in its constant text. Values are encoded later, so they cannot add one. */
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
    // The rules reject a token in a parameter name, so the name is constant text.
    const label = name.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    if (pair.parts.length > 0) {
      parameters.push({ name: decoded(label), value: { parts: value.parts.map(withoutPlus) } });
    }
    rest = others;
  }
  return parameters;
}

/** Constant text may already be encoded and is sent unchanged. Only "+" becomes "%20": servers read "+" differently. */
function withoutPlus(part: TemplatePart): TemplatePart {
  return part.kind === 'text' ? { kind: 'text', text: part.text.replaceAll('+', '%20') } : part;
}

/** Decodes a name, because it is encoded again when sent. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
