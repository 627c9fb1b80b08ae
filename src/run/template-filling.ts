// Fills placeholders of templates, with the encoding that the destination needs. Values are never parsed as templates.
import { HostError } from '../model/host-error.js';
import { type Json, type JsonObject, valueAt } from '../model/json.js';
import type { SlotValues } from '../model/slot.js';
import { constantText, type JsonTemplate, type Template, type TemplatePart } from '../model/template.js';

/** The values for placeholders. */
export interface TemplateValues {
  readonly input: JsonObject;
  readonly slots: SlotValues;
}

/** A URL path: every value stays inside one segment and cannot change the folder. */
export function fillPath(template: Template, values: TemplateValues): string {
  const path = fill(template, values, (value, name) => {
    const text = line(value, name);
    if (text === '' || text === '.' || text === '..') {
      throw new HostError(
        'invalid_input',
        `${name} must not be ${JSON.stringify(text)}, because it is part of a path`,
      );
    }
    return encodeURIComponent(text);
  });
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path))
    throw new HostError('invalid_input', 'the arguments would change the path of the request');
  return path;
}

/** Undefined if the template is one placeholder without a value: the parameter is then omitted. */
export function fillQuery(template: Template, values: TemplateValues): string | undefined {
  const only = solePlaceholder(template);
  if (only !== undefined && lookUp(only, values) === undefined) return undefined;
  return fill(template, values, (value, name) => encodeURIComponent(line(value, name)), encodeQueryText);
}

/** Undefined if it needs a slot without a value: the header is then omitted. */
export function fillHeader(template: Template, values: TemplateValues, header: string): string | undefined {
  if (template.parts.some((it) => it.kind === 'slot' && lookUp(it, values) === undefined)) return undefined;
  return fill(template, values, (value, name) => {
    const text = line(value, name);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      throw new HostError('invalid_input', `${name} has characters that the header ${header} cannot contain`);
    }
    return text;
  });
}

/** Text for people and models: lists and objects are written as JSON. */
export function fillText(template: Template, values: TemplateValues): string {
  return fill(template, values, (value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/**
 * Process arguments. An argument that begins with a value must not become an option, so it may begin with a dash only
 * after the author's own `--`, or if it is a number.
 */
export function fillArgs(args: readonly Template[], values: TemplateValues): string[] {
  let optionsEnded = false;
  return args.map((arg) => {
    const filled = fill(arg, values, scalar);
    const [first] = arg.parts;
    if (!optionsEnded && first !== undefined && first.kind !== 'text' && looksLikeOption(filled)) {
      const name = nameOf(first);
      throw new HostError(
        'invalid_input',
        `${name} must not begin with "-", because it would be parsed as an option`,
      );
    }
    optionsEnded ||= constantText(arg) === '--';
    return filled;
  });
}

/** A negative number is not an option. */
function looksLikeOption(arg: string): boolean {
  return arg.startsWith('-') && !/^-(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(arg);
}

/** Undefined if the template is one placeholder without a value: the member is then omitted. */
export function fillJson(template: JsonTemplate, values: TemplateValues): Json | undefined {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'template': {
      const only = solePlaceholder(template.template);
      return only === undefined ? fillText(template.template, values) : lookUp(only, values);
    }
    case 'array':
      return template.items.map((it) => fillJson(it, values) ?? null);
    case 'object': {
      const members = template.members.map(({ name, value }) => [name, fillJson(value, values)] as const);
      return Object.fromEntries(members.filter((it): it is readonly [string, Json] => it[1] !== undefined));
    }
  }
}

type Placeholder = Exclude<TemplatePart, { kind: 'text' }>;
type Encode = (value: Json, name: string) => string;

function fill(
  template: Template,
  values: TemplateValues,
  encode: Encode,
  text: (it: string) => string = (it) => it,
): string {
  let filled = '';
  for (const part of template.parts) {
    if (part.kind === 'text') {
      filled += text(part.text);
    } else {
      const value = lookUp(part, values);
      if (value === undefined) throw missing(part);
      filled += encode(value, nameOf(part));
    }
  }
  return filled;
}

function solePlaceholder({ parts }: Template): Placeholder | undefined {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && only.kind !== 'text' ? only : undefined;
}

function lookUp(placeholder: Placeholder, { input, slots }: TemplateValues): Json | undefined {
  return placeholder.kind === 'slot' ? slots.get(placeholder.slot)?.value : valueAt(input, placeholder.path);
}

function nameOf(placeholder: Placeholder): string {
  return placeholder.kind === 'slot' ? placeholder.slot : placeholder.path.join('.');
}

function missing(placeholder: Placeholder): HostError {
  return placeholder.kind === 'slot'
    ? new HostError('needs_setup', `${placeholder.slot} has no value`)
    : new HostError('invalid_input', `${nameOf(placeholder)} is required for this call`);
}

/** A string, number or boolean on one line. */
function line(value: Json, name: string): string {
  const text = scalar(value, name);
  if (/[\r\n]/.test(text)) throw invalidCharacters(name);
  return text;
}

function scalar(value: Json, name: string): string {
  if (typeof value === 'string') {
    if (value.includes('\0') || /\p{Cs}/u.test(value)) throw invalidCharacters(name);
    return value;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new HostError('invalid_input', `${name} must be text, a number or true/false to be used here`);
}

function invalidCharacters(name: string): HostError {
  return new HostError('invalid_input', `${name} has characters that cannot be sent here`);
}

/** The author's text between placeholders may already be encoded. */
function encodeQueryText(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~%!$'()*,;:@/?]/gu, (it) => encodeURIComponent(it));
}
