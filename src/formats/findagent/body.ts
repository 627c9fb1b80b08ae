import type { HttpBody } from '../../model/action.js';
import { isObject, type Json } from '../../model/json.js';
import { tryParseBounded } from '../../model/json-bounds.js';
import type { JsonTemplate } from '../../model/template.js';
import { show } from '../check.js';
import { manifestLimits, maxDepth } from '../document/document.js';
import type { FindagentCode } from './codes.js';
import { parsePlaceholders } from './placeholder.js';
import { parseQuery } from './url.js';

export interface ParsedBody {
  readonly body: HttpBody;
  /** Names of the placeholders. */
  readonly names: readonly string[];
  /** Text that looks like a placeholder of another template language. */
  readonly suspects: readonly string[];
  readonly problems: readonly {
    readonly code: FindagentCode;
    readonly message: string;
    readonly hint?: string;
  }[];
}

/**
 * Parses the body of a request. An object or an array is a JSON body. Text is a form body if the content type says so.
 * Text is a JSON body if it parses as an object or array after its unquoted placeholders are quoted, and the content
 * type is absent or JSON. All other text is a plain text body.
 */
export function parseBody(template: Json, contentType: string | undefined): ParsedBody {
  const problems: { code: FindagentCode; message: string; hint?: string }[] = [];
  const names = new Set<string>();
  const suspects = new Set<string>();
  const parseText = (text: string) => {
    const parsed = parsePlaceholders(text);
    for (const name of parsed.names) names.add(name);
    for (const suspect of parsed.suspects) suspects.add(suspect);
    return parsed.template;
  };
  const addProblem = (code: FindagentCode, message: string, hint?: string) => {
    problems.push({ code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const convert = (value: Json): JsonTemplate => {
    if (typeof value === 'string') {
      const template = parseText(value);
      return template.parts.some((it) => it.kind !== 'text')
        ? { kind: 'template', template }
        : { kind: 'literal', value };
    }
    if (Array.isArray(value)) return { kind: 'array', items: value.map(convert) };
    if (isObject(value)) {
      const members = Object.entries(value).map(([name, member]) => {
        if (parsePlaceholders(name).names.length > 0) {
          addProblem(
            'findagent.placeholder-place',
            `the member name ${show(name)} in the body has a placeholder; only values can have placeholders`,
            'write a fixed name',
          );
        }
        return { name, value: convert(member) };
      });
      return { kind: 'object', members };
    }
    return { kind: 'literal', value };
  };
  const finish = (body: HttpBody): ParsedBody => ({
    body,
    names: [...names],
    suspects: [...suspects],
    problems,
  });

  if (typeof template !== 'string') return finish({ kind: 'json', body: convert(template) });
  const type = contentType?.toLowerCase() ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) {
    parseText(template);
    return finish({ kind: 'form', fields: parseQuery(template, 'body_template', addProblem) });
  }
  const json = type === '' || type.includes('json') ? parseJsonTemplate(template) : undefined;
  if (json !== undefined) return finish({ kind: 'json', body: convert(json) });
  return finish({ kind: 'text', body: parseText(template) });
}

const placeholder = /\{[A-Za-z_][A-Za-z0-9_]*\}/y;

/** `{"n": {n}}` is not JSON, but it becomes JSON when the placeholder outside of strings is quoted. */
function parseJsonTemplate(text: string): Json | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  let quoted = '';
  let inString = false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (inString) {
      if (char === '\\') quoted += text[at++];
      else if (char === '"') inString = false;
    } else if (char === '"') {
      inString = true;
    } else if (char === '{') {
      placeholder.lastIndex = at;
      const match = placeholder.exec(text);
      if (match !== null) {
        quoted += JSON.stringify(match[0]);
        at += match[0].length - 1;
        continue;
      }
      if (++depth > maxDepth) return undefined;
    } else if (char === '[') {
      if (++depth > maxDepth) return undefined;
    } else if (char === '}' || char === ']') {
      depth--;
    }
    quoted += text[at] ?? '';
  }
  const value = tryParseBounded(quoted, manifestLimits);
  return typeof value === 'object' && value !== null ? value : undefined;
}
