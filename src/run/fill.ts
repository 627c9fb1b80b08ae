// Puts values into templates, each by the rules of where it goes. What is put in is never read as a template.
import { HostError } from '../model/host-error.js';
import { type Json, type JsonObject, valueAt } from '../model/json.js';
import type { SlotValues } from '../model/slot.js';
import { constantText, type JsonTemplate, type Template, type TemplatePart } from '../model/template.js';

/** Where the values of holes come from. */
export interface Values {
  readonly input: JsonObject;
  readonly slots: SlotValues;
}

/** A path: every value is one piece of one segment, and cannot climb. */
export function fillPath(template: Template, values: Values): string {
  const path = fill(template, values, (value, name) => {
    const text = line(value, name);
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

/** Undefined when the whole value is one hole that has none: the parameter is then left out. */
export function fillQuery(template: Template, values: Values): string | undefined {
  const only = soleHole(template);
  if (only !== undefined && lookUp(only, values) === undefined) return undefined;
  return fill(template, values, (value, name) => encodeURIComponent(line(value, name)), encodeQueryText);
}

/** Undefined when it needs a slot that the operator left empty: the header is then not sent. */
export function fillHeader(template: Template, values: Values, header: string): string | undefined {
  if (template.parts.some((it) => it.kind === 'slot' && lookUp(it, values) === undefined)) return undefined;
  return fill(template, values, (value, name) => {
    const text = line(value, name);
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text)) {
      throw new HostError('invalid_input', `${name} has characters that the header ${header} cannot carry`);
    }
    return text;
  });
}

/** Text for a reader: lists and objects are written as JSON. */
export function fillText(template: Template, values: Values): string {
  return fill(template, values, (value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}

/**
 * The words of a command line. A word that begins with a value must not be taken for an option, so it may begin with a
 * dash only after the author's own `--`; a number cannot be mistaken.
 */
export function fillArgs(words: readonly Template[], values: Values): string[] {
  let optionsEnded = false;
  return words.map((word) => {
    const filled = fill(word, values, scalar);
    const [first] = word.parts;
    if (!optionsEnded && first !== undefined && first.kind !== 'text' && looksLikeOption(filled)) {
      const name = nameOf(first);
      throw new HostError('invalid_input', `${name} must not begin with "-": it would be read as an option`);
    }
    optionsEnded ||= constantText(word) === '--';
    return filled;
  });
}

/** A number is no option, however it begins. */
function looksLikeOption(word: string): boolean {
  return word.startsWith('-') && !/^-(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(word);
}

/** Undefined when the value is one hole that has none: the member is then left out. */
export function fillJson(template: JsonTemplate, values: Values): Json | undefined {
  switch (template.kind) {
    case 'literal':
      return template.value;
    case 'template': {
      const only = soleHole(template.template);
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

type Hole = Exclude<TemplatePart, { kind: 'text' }>;
type Encode = (value: Json, name: string) => string;

function fill(
  template: Template,
  values: Values,
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

function soleHole({ parts }: Template): Hole | undefined {
  const [only] = parts;
  return parts.length === 1 && only !== undefined && only.kind !== 'text' ? only : undefined;
}

function lookUp(hole: Hole, { input, slots }: Values): Json | undefined {
  return hole.kind === 'slot' ? slots.get(hole.slot)?.value : valueAt(input, hole.path);
}

function nameOf(hole: Hole): string {
  return hole.kind === 'slot' ? hole.slot : hole.path.join('.');
}

function missing(hole: Hole): HostError {
  return hole.kind === 'slot'
    ? new HostError('needs_setup', `${hole.slot} has no value`)
    : new HostError('invalid_input', `${nameOf(hole)} is needed for this call`);
}

/** Text, a number or true/false on one line. */
function line(value: Json, name: string): string {
  const text = scalar(value, name);
  if (/[\r\n]/.test(text)) throw unfit(name);
  return text;
}

function scalar(value: Json, name: string): string {
  if (typeof value === 'string') {
    if (value.includes('\0') || /\p{Cs}/u.test(value)) throw unfit(name);
    return value;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new HostError('invalid_input', `${name} must be text, a number or true/false to be used here`);
}

function unfit(name: string): HostError {
  return new HostError('invalid_input', `${name} has characters that cannot be sent here`);
}

/** The author's own text between placeholders may be encoded already. */
function encodeQueryText(text: string): string {
  return text.replace(/[^A-Za-z0-9\-._~%!$'()*,;:@/?]/gu, (it) => encodeURIComponent(it));
}
