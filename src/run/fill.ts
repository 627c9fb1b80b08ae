// Puts values into templates, each by the rules of where it goes. What is put in is never read as a template.
import { HostError } from '../model/host-error.js';
import { type Json, type JsonObject, valueAt } from '../model/json.js';
import type { JsonTemplate, Template, TemplatePart } from '../model/template.js';

/** A path: every value is one piece of one segment, and cannot climb. */
export function fillPath(template: Template, input: JsonObject): string {
  const path = fill(template, input, (value, name) => {
    const text = scalar(value, name);
    if (text === '' || text === '.' || text === '..') {
      throw new HostError(
        'invalid_input',
        `${name} must not be ${JSON.stringify(text)}: it is a part of a path`,
      );
    }
    return encodeURIComponent(text);
  });
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path))
    throw new HostError('invalid_input', 'the arguments would change the path of the request');
  return path;
}

/** Undefined when the whole value is one input that was not given: the parameter is then left out. */
export function fillQuery(template: Template, input: JsonObject): string | undefined {
  const [only] = template.parts;
  if (template.parts.length === 1 && only?.kind === 'input' && lookUp(only, input) === undefined)
    return undefined;
  return fill(template, input, (value, name) => encodeURIComponent(scalar(value, name)), encodeQueryText);
}

export function fillHeader(template: Template, input: JsonObject, header: string): string {
  return fill(template, input, (value, name) => {
    const text = scalar(value, name);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      throw new HostError('invalid_input', `${name} has characters that the header ${header} cannot carry`);
    }
    return text;
  });
}

export function fillText(template: Template, input: JsonObject): string {
  return fill(template, input, scalar);
}

/** Undefined when the value is one input that was not given: the member is then left out. */
export function fillJson(template: JsonTemplate, input: JsonObject): Json | undefined {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'template': {
      const [only] = template.template.parts;
      if (template.template.parts.length === 1 && only?.kind === 'input') return lookUp(only, input);
      return fillText(template.template, input);
    }
    case 'array':
      return template.items.map((it) => fillJson(it, input) ?? null);
    case 'object': {
      const members = template.members.map(({ name, value }) => [name, fillJson(value, input)] as const);
      return Object.fromEntries(members.filter((it): it is readonly [string, Json] => it[1] !== undefined));
    }
  }
}

type Encode = (value: Json, name: string) => string;

function fill(
  template: Template,
  input: JsonObject,
  encode: Encode,
  text: (it: string) => string = (it) => it,
): string {
  let filled = '';
  for (const part of template.parts) {
    if (part.kind === 'text') {
      filled += text(part.text);
    } else {
      const value = lookUp(part, input);
      const name = part.kind === 'input' ? part.path.join('.') : part.slot;
      if (value === undefined) throw new HostError('invalid_input', `${name} is needed for this call`);
      filled += encode(value, name);
    }
  }
  return filled;
}

function lookUp(part: Exclude<TemplatePart, { kind: 'text' }>, input: JsonObject): Json | undefined {
  if (part.kind === 'slot') throw new HostError('needs_setup', `${part.slot} has no value`);
  return valueAt(input, part.path);
}

function scalar(value: Json, name: string): string {
  if (typeof value === 'string') {
    if (/[\r\n\0]/.test(value) || /\p{Cs}/u.test(value))
      throw new HostError('invalid_input', `${name} has characters that cannot be sent here`);
    return value;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new HostError(
    'invalid_input',
    `${name} must be text, a number or true/false to be put into a request`,
  );
}

/** The author's own text between placeholders may be encoded already. */
function encodeQueryText(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~%!$'()*,;:@/?]/gu, (it) => encodeURIComponent(it));
}
