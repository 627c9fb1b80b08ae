import type { HttpBody } from '../../model/action.js';
import type { DiagnosticCode } from '../../model/codes.js';
import { isObject, type Json } from '../../model/json.js';
import type { JsonTemplate } from '../../model/template.js';
import { show } from '../check.js';
import { maxDepth } from '../document/document.js';
import { splitHoles } from './placeholder.js';
import { readPairs } from './url.js';

export interface ReadBody {
  readonly body: HttpBody;
  readonly names: readonly string[];
  readonly suspects: readonly string[];
  readonly problems: readonly {
    readonly code: DiagnosticCode;
    readonly message: string;
    readonly hint?: string;
  }[];
}

/**
 * The body of a request. An object or a list is JSON. Text is JSON when it reads as an object or a list once
 * its bare holes are quoted, unless a content type says otherwise; else it is a form or plain text.
 */
export function readBody(template: Json, contentType: string | undefined): ReadBody {
  const problems: { code: DiagnosticCode; message: string; hint?: string }[] = [];
  const names = new Set<string>();
  const suspects = new Set<string>();
  const note = (text: string) => {
    const holed = splitHoles(text);
    for (const name of holed.names) names.add(name);
    for (const suspect of holed.suspects) suspects.add(suspect);
    return holed.template;
  };
  const wrong = (code: DiagnosticCode, message: string, hint?: string) => {
    problems.push({ code, message, ...(hint === undefined ? {} : { hint }) });
  };
  const convert = (value: Json): JsonTemplate => {
    if (typeof value === 'string') {
      const held = note(value);
      return held.parts.some((it) => it.kind !== 'text')
        ? { kind: 'template', template: held }
        : { kind: 'literal', value };
    }
    if (Array.isArray(value)) return { kind: 'array', items: value.map(convert) };
    if (isObject(value)) {
      const members = Object.entries(value).map(([name, member]) => {
        if (splitHoles(name).names.length > 0) {
          wrong(
            'findagent.placeholder-place',
            `${show(name)} is the name of a member of the body, where no placeholder can stand`,
            'write the name out',
          );
        }
        return { name, value: convert(member) };
      });
      return { kind: 'object', members };
    }
    return { kind: 'literal', value };
  };
  const finish = (body: HttpBody): ReadBody => ({
    body,
    names: [...names],
    suspects: [...suspects],
    problems,
  });

  if (typeof template !== 'string') return finish({ kind: 'json', body: convert(template) });
  const type = contentType?.toLowerCase() ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) {
    note(template);
    return finish({ kind: 'form', fields: readPairs(template, 'body_template', wrong) });
  }
  const json = type === '' || type.includes('json') ? parseHoled(template) : undefined;
  if (json !== undefined) return finish({ kind: 'json', body: convert(json) });
  return finish({ kind: 'text', body: note(template) });
}

const hole = /\{[A-Za-z_][A-Za-z0-9_]*\}/y;

/** `{"n": {n}}` is no JSON, but it is once the hole outside of strings is quoted. */
function parseHoled(text: string): Json | undefined {
  const first = text.trimStart()[0];
  if (first !== '{' && first !== '[') return undefined;
  let quoted = '';
  let inString = false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at] as string;
    if (inString) {
      if (unit === '\\') quoted += text[at++];
      else if (unit === '"') inString = false;
    } else if (unit === '"') {
      inString = true;
    } else if (unit === '{') {
      hole.lastIndex = at;
      const match = hole.exec(text);
      if (match !== null) {
        quoted += JSON.stringify(match[0]);
        at += match[0].length - 1;
        continue;
      }
      if (++depth > maxDepth) return undefined;
    } else if (unit === '[') {
      if (++depth > maxDepth) return undefined;
    } else if (unit === '}' || unit === ']') {
      depth--;
    }
    quoted += text[at] ?? '';
  }
  try {
    const value = JSON.parse(quoted) as Json;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
