// Turns the verdict of a compiled schema into findings that a person can act on, and finds fields that no
// schema knows. Schemas may carry an "x-toolwharf" annotation: { code, missing, hint, form, safety, quiet }.
import { type DiagnosticCode, diagnosticCodes } from '../model/codes.js';
import { isObject, type Json, type JsonObject, type JsonPath, valueAt } from '../model/json.js';
import type { Document } from './document/document.js';
import type { Report } from './report.js';
import { guards, safetyPlaces } from './safety.js';
import { fold, suggest } from './suggest.js';

/** One complaint of a compiled schema, as ajv words it. */
export interface SchemaError {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Record<string, unknown>;
}

/** A schema compiled at build time. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

export interface CheckedSchema {
  readonly schema: JsonObject;
  readonly validate: Validator;
}

/** Reports everything the schema refuses. True when it refuses nothing. */
export function checkSchema(report: Report, document: Document, checked: CheckedSchema): boolean {
  if (checked.validate(document.value)) return true;
  const errors = checked.validate.errors ?? [];
  const misspelt = new Set(errors.map((error) => misspeltMember(error, checked.schema)));
  const told = new Set<string>();
  let quiet = false;
  for (const error of errors) {
    if (structural.has(error.keyword)) continue;
    if (annotation(schemaAt(checked.schema, error.schemaPath.split('/').slice(1, -1))).quiet) {
      quiet = true;
      continue;
    }
    const place = resolvePath(document.value, error.instancePath);
    const complaint = describe(error, place, document, checked.schema);
    if (complaint.missing !== undefined && misspelt.has(`${error.instancePath} ${complaint.missing}`))
      continue;
    if (complaint.nearMiss === true) {
      quiet = true;
      continue;
    }
    const key = `${complaint.code} ${error.instancePath} ${complaint.message}`;
    if (told.has(key)) continue;
    told.add(key);
    report.at(complaint.code, complaint.path, complaint.message, {
      hint: complaint.hint,
      spot: complaint.spot,
    });
    if (complaint.misspelt === true) report.settle(complaint.path);
  }
  if (told.size === 0 && !quiet) report.at('schema.invalid', [], 'the manifest does not fit its schema');
  return false;
}

/**
 * The member that an unknown one of a closed object was meant to be. That it is missing is the same mistake,
 * so only the misspelt one is reported.
 */
function misspeltMember(error: SchemaError, schema: JsonObject): string | undefined {
  if (error.keyword !== 'additionalProperties') return undefined;
  const { properties } = schemaAt(schema, error.schemaPath.split('/').slice(1, -1));
  const meant = suggest(
    String(error.params.additionalProperty),
    Object.keys(isObject(properties) ? properties : {}),
  );
  return meant === undefined ? undefined : `${error.instancePath} ${meant}`;
}

/** Their branches already say what is wrong. */
const structural = new Set(['if', 'allOf', 'anyOf', 'oneOf', 'not', 'propertyNames']);

/** Said where neither the schema nor the complaint knows better. */
const usualHints: Partial<Record<DiagnosticCode, string>> = {
  'schema.type': 'write a value of that kind',
  'schema.const': 'write exactly that',
  'schema.length': 'make it fit',
  'schema.count': 'make it fit',
  'schema.range': 'choose a value within the bounds',
  'schema.duplicate-item': 'keep one of them',
  'schema.invalid': 'compare it with "toolwharf schema" of its format',
};

interface Complaint {
  readonly code: DiagnosticCode;
  readonly path: JsonPath;
  readonly message: string;
  readonly hint: string | undefined;
  readonly spot: 'key' | 'value';
  /** The member whose absence this is about. */
  readonly missing?: string;
  /** A field that is nearly this one stands there, which `checkFields` reports as an error of its own. */
  readonly nearMiss?: boolean;
  /** The field at this place is the misspelt one, so nothing more needs to be said of it. */
  readonly misspelt?: boolean;
}

function describe(error: SchemaError, path: JsonPath, document: Document, schema: JsonObject): Complaint {
  const parent = schemaAt(schema, error.schemaPath.split('/').slice(1, -1));
  const note = annotation(parent);
  const value = valueAt(document.value, path);
  const { keyword, params } = error;
  const make = (
    code: DiagnosticCode,
    message: string,
    hint?: string,
    spot: 'key' | 'value' = 'value',
    at: JsonPath = path,
  ): Complaint => ({
    code: note.code ?? code,
    path: at,
    message,
    hint: note.hint ?? hint ?? usualHints[code],
    spot,
  });
  const name = nameOf(path);

  switch (keyword) {
    case 'required': {
      const missing = String(params.missingProperty);
      const about = annotation(propertySchema(schema, parent, missing));
      const where = path.length === 0 ? '' : ` in ${name}`;
      const typo = isObject(value)
        ? suggest(
            missing,
            Object.keys(value).filter((it) => !knows(schema, parent, it)),
          )
        : undefined;
      const base = { code: about.missing ?? 'schema.required', spot: 'key', missing } as const;
      if (typo === undefined) {
        const hint = about.hint ?? `add "${missing}"`;
        return { ...base, path, message: `"${missing}" is missing${where}`, hint };
      }
      const message = `"${clip(typo)}"${where} is no field, and "${missing}" is missing`;
      const hint = `did you mean "${missing}"?`;
      return { ...base, path: [...path, typo], message, hint, nearMiss: about.safety, misspelt: true };
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params.additionalProperty ?? params.unevaluatedProperty);
      const meant = suggest(extra, Object.keys(isObject(parent.properties) ? parent.properties : {}));
      const message = `unknown field "${clip(extra)}"${path.length === 0 ? '' : ` in ${name}`}`;
      const hint =
        meant === undefined ? 'remove it; this object takes no other fields' : `did you mean "${meant}"?`;
      return { code: 'schema.closed', path: [...path, extra], message, hint, spot: 'key' };
    }
    case 'type': {
      const wanted = [params.type].flat().map(String);
      const written = document.source(path);
      const quoted = wanted.includes('string') && (typeof value === 'number' || typeof value === 'boolean');
      const hint = quoted && written !== undefined ? `put it in quotes: "${written}"` : undefined;
      return make(
        'schema.type',
        `${name} must be ${list(wanted.map(article))}, not ${article(typeName(value))}`,
        hint,
      );
    }
    case 'enum': {
      const allowed = (params.allowedValues as Json[]).map(String);
      const meant = typeof value === 'string' ? suggest(value, allowed) : undefined;
      const likely = meant === undefined ? '' : `; did you mean "${meant}"?`;
      return make(
        'schema.enum',
        `unknown ${name} ${show(value)}${likely}`,
        `use one of ${allowed.join(', ')}`,
      );
    }
    case 'const':
      return make('schema.const', `${name} must be ${show(params.allowedValue as Json)}, not ${show(value)}`);
    case 'pattern':
      return make(
        'schema.pattern',
        note.form === undefined
          ? `${name} ${show(value)} does not match ${String(params.pattern)}`
          : `${name} ${show(value)} is not ${note.form}`,
      );
    case 'format':
      return make('schema.format', `${name} ${show(value)} is not ${article(String(params.format))}`);
    case 'minLength':
    case 'maxLength': {
      const length = [...String(value)].length;
      const bound = `${keyword === 'minLength' ? 'at least' : 'at most'} ${count(Number(params.limit), 'character')}`;
      const message =
        length === 0 ? `${name} is empty` : `${name} has ${count(length, 'character')}; ${bound}`;
      return make('schema.length', message, length === 0 ? `write ${bound}` : undefined);
    }
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties': {
      const size = Array.isArray(value) ? value.length : Object.keys((value ?? {}) as object).length;
      const bound = `${keyword.startsWith('min') ? 'at least' : 'at most'} ${Number(params.limit)}`;
      return make('schema.count', `${name} has ${count(size, 'entry')}; ${bound}`);
    }
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf': {
      const bound =
        keyword === 'multipleOf'
          ? `a multiple of ${params.multipleOf}`
          : `${params.comparison} ${params.limit}`;
      return make('schema.range', `${name} is ${show(value)}; it must be ${bound}`);
    }
    case 'uniqueItems':
      return make('schema.duplicate-item', `${name} has the same entry twice`, undefined, 'value', [
        ...path,
        Number(params.i),
      ]);
    case 'dependentRequired':
      return make('schema.required', `"${params.missingProperty}" is missing; "${params.property}" needs it`);
    default:
      return make('schema.invalid', `${name} is not allowed here`);
  }
}

/** Reports fields that an open format does not know; one that is nearly a safety field is an error. */
export function checkFields(report: Report, value: Json | undefined, schema: JsonObject): void {
  visitFields(report, value, schema, schema, []);
}

function visitFields(
  report: Report,
  value: Json | undefined,
  node: JsonObject,
  root: JsonObject,
  path: JsonPath,
): void {
  const here = deref(root, node);
  if (Array.isArray(value)) {
    if (!isObject(here.items)) return;
    for (const [index, item] of value.entries())
      visitFields(report, item, here.items, root, [...path, index]);
    return;
  }
  if (!isObject(value)) return;
  const { properties, additionalProperties: others } = here;
  if (!isObject(properties) && !isObject(others)) return;
  const fields = isObject(properties) ? properties : {};
  for (const [key, member] of Object.entries(value)) {
    const known = Object.hasOwn(fields, key) ? fields[key] : others;
    if (isObject(known)) {
      visitFields(report, member, known, root, [...path, key]);
    } else if (known === undefined) {
      reportUnknown(report, key, fields, root, path);
    }
  }
}

function reportUnknown(
  report: Report,
  key: string,
  properties: JsonObject,
  root: JsonObject,
  path: JsonPath,
): void {
  const at = [...path, key];
  if (report.isSettled(at)) return;
  const where = path.length === 0 ? '' : ` in ${nameOf(path)}`;
  const meant = suggest(key, Object.keys(properties)) ?? prefixed(key, properties);
  const target = meant === undefined ? undefined : properties[meant];
  if (meant !== undefined && isObject(target) && guards(target, root)) {
    const message = `"${clip(key)}"${where} is not a field, but nearly the safety field "${meant}"`;
    const hint = `write "${meant}"; ignoring it would weaken the tool`;
    report.at('field.near-miss', at, message, { hint, spot: 'key' });
    return;
  }
  const home = meant === undefined ? safetyPlaces(root).get(fold(key)) : undefined;
  if (home !== undefined) {
    const message = `"${clip(key)}" is a safety field, and it means nothing${where === '' ? ' at the top' : where}`;
    report.at('field.near-miss', at, message, { hint: `move it to where it counts: ${home}`, spot: 'key' });
    return;
  }
  const hint = meant === undefined ? 'it is ignored; remove it' : `did you mean "${meant}"?`;
  report.at('field.unknown', at, `unknown field "${clip(key)}"${where}`, { hint, spot: 'key' });
}

/** `human_confirm_required` begins like `human_confirm`: near enough to be dangerous. */
function prefixed(key: string, properties: JsonObject): string | undefined {
  const folded = key.toLowerCase().replace(/[-_]/g, '');
  return Object.keys(properties).find((name) => {
    const known = name.toLowerCase().replace(/[-_]/g, '');
    return known.length >= 7 && (folded.startsWith(known) || folded.endsWith(known));
  });
}

interface Annotation {
  readonly code?: DiagnosticCode;
  /** Code for the absence of this member. */
  readonly missing?: DiagnosticCode;
  readonly hint?: string;
  /** What a pattern stands for, said instead of the pattern. */
  readonly form?: string;
  readonly safety: boolean;
  /** The rules of the format report this in better words. */
  readonly quiet: boolean;
}

function annotation(schema: Json | undefined): Annotation {
  const note = isObject(schema) && isObject(schema['x-toolwharf']) ? schema['x-toolwharf'] : {};
  return {
    ...(isCode(note.code) ? { code: note.code } : {}),
    ...(isCode(note.missing) ? { missing: note.missing } : {}),
    ...(typeof note.hint === 'string' ? { hint: note.hint } : {}),
    ...(typeof note.form === 'string' ? { form: note.form } : {}),
    safety: note.safety === true,
    quiet: note.quiet === true,
  };
}

function isCode(code: Json | undefined): code is DiagnosticCode {
  return typeof code === 'string' && Object.hasOwn(diagnosticCodes, code);
}

function knows(root: JsonObject, schema: JsonObject, key: string): boolean {
  return propertySchema(root, schema, key) !== undefined;
}

function propertySchema(root: JsonObject, schema: JsonObject, key: string): JsonObject | undefined {
  const found =
    isObject(schema.properties) && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  return isObject(found) ? deref(root, found) : undefined;
}

/** Only references inside the same schema exist. */
function deref(root: JsonObject, schema: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string') return schema;
  const { $ref, ...own } = schema;
  const target = schemaAt(root, String($ref).split('/').slice(1));
  for (const _ in own) {
    // What stands beside a reference wins over what is behind it, as in the compiled schema.
    return { ...target, ...own };
  }
  return target;
}

function schemaAt(root: JsonObject, steps: readonly string[]): JsonObject {
  let current: Json = root;
  for (const step of steps) {
    const key = schemaStep(step);
    if (Array.isArray(current)) current = (current[Number(key)] ?? {}) as Json;
    else if (isObject(current)) {
      const reached: JsonObject = Object.hasOwn(current, key) ? current : deref(root, current);
      current = Object.hasOwn(reached, key) ? (reached[key] as Json) : {};
    } else return {};
  }
  return isObject(current) ? deref(root, current) : {};
}

function resolvePath(value: Json | undefined, pointer: string): JsonPath {
  const path: (string | number)[] = [];
  let current = value;
  for (const raw of pointer.split('/').slice(1)) {
    const step = Array.isArray(current) ? Number(raw) : pointerStep(raw);
    path.push(step);
    current = valueAt(current, [step]);
  }
  return path;
}

/** A step of a path into the document: a key may well hold "%41", and it stays that. */
function pointerStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A step of a path into the schema, which the compiler writes as part of a URI. */
function schemaStep(step: string): string {
  try {
    return pointerStep(decodeURIComponent(step));
  } catch {
    return pointerStep(step);
  }
}

/** `inputs[0].name`: how people name a place. */
export function nameOf(path: JsonPath): string {
  if (path.length === 0) return 'the manifest';
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${clip(step)}`))
    .join('');
}

/** A key short enough for a message. */
function clip(key: string): string {
  return key.length > 64 ? `${key.slice(0, 63)}…` : key;
}

/** A value short enough for a message. */
export function show(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? 'nothing');
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function typeName(value: Json | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

const nouns: Record<string, string> = {
  string: 'text',
  array: 'a list',
  object: 'an object',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  null: 'null',
  uri: 'a URL (with scheme)',
  email: 'an e-mail address',
  undefined: 'missing',
};

function article(type: string): string {
  return nouns[type] ?? `a valid ${type}`;
}

function list(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function count(amount: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${amount.toLocaleString('en')} ${amount === 1 ? noun : plural}`;
}
