// Turns the verdict of a compiled schema into findings that a person can act on, and finds fields that no
// schema knows. Schemas may carry an "x-toolport" annotation: { code, hint, safety }.
import { type DiagnosticCode, diagnosticCodes } from '../model/codes.js';
import { isObject, type Json, type JsonObject, type JsonPath, valueAt } from '../model/json.js';
import type { Document } from './document/document.js';
import type { Report } from './report.js';
import { suggest } from './suggest.js';

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
  const told = new Set<string>();
  for (const error of errors) {
    if (structural.has(error.keyword)) continue;
    const place = resolvePath(document.value, error.instancePath);
    const complaint = describe(error, place, document, checked.schema);
    const key = `${complaint.code} ${error.instancePath} ${complaint.message}`;
    if (told.has(key)) continue;
    told.add(key);
    report.at(complaint.code, complaint.path, complaint.message, {
      hint: complaint.hint,
      spot: complaint.spot,
    });
  }
  if (told.size === 0) report.at('schema.invalid', [], 'the manifest does not fit its schema');
  return false;
}

/** Their branches already say what is wrong. */
const structural = new Set(['if', 'allOf', 'anyOf', 'oneOf', 'not', 'propertyNames']);

interface Complaint {
  readonly code: DiagnosticCode;
  readonly path: JsonPath;
  readonly message: string;
  readonly hint: string | undefined;
  readonly spot: 'key' | 'value';
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
  ): Complaint => ({ code: note.code ?? code, path: at, message, hint: note.hint ?? hint, spot });
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
      const hint =
        typo === undefined
          ? (about.hint ?? `add "${missing}"`)
          : `did you mean "${missing}" where "${typo}" stands?`;
      return {
        code: about.missing ?? 'schema.required',
        path,
        message: `"${missing}" is missing${where}`,
        hint,
        spot: 'key',
      };
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params.additionalProperty ?? params.unevaluatedProperty);
      const meant = suggest(extra, Object.keys(isObject(parent.properties) ? parent.properties : {}));
      const message = `unknown field "${extra}"${path.length === 0 ? '' : ` in ${name}`}`;
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
      const choices = `use one of ${allowed.join(', ')}`;
      return make(
        'schema.enum',
        `unknown ${name} ${show(value)}`,
        meant === undefined ? choices : `did you mean "${meant}"? ${choices}`,
      );
    }
    case 'const':
      return make('schema.const', `${name} must be ${show(params.allowedValue as Json)}, not ${show(value)}`);
    case 'pattern':
      return make('schema.pattern', `${name} ${show(value)} does not match ${String(params.pattern)}`);
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
  if (!isObject(value) || !isObject(here.properties)) return;
  for (const [key, member] of Object.entries(value)) {
    const known = Object.hasOwn(here.properties, key) ? here.properties[key] : undefined;
    if (isObject(known)) {
      visitFields(report, member, known, root, [...path, key]);
    } else if (known === undefined && here.additionalProperties === undefined) {
      reportUnknown(report, key, here.properties, root, path);
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
  const meant = suggest(key, Object.keys(properties)) ?? prefixed(key, properties);
  const target = meant === undefined ? undefined : properties[meant];
  const safety = isObject(target) && annotation(deref(root, target)).safety;
  const where = path.length === 0 ? '' : ` in ${nameOf(path)}`;
  const at = [...path, key];
  if (meant !== undefined && safety) {
    const message = `"${key}"${where} is not a field, but nearly the safety field "${meant}"`;
    report.at('field.near-miss', at, message, {
      hint: `write "${meant}"; ignoring it would weaken the tool`,
      spot: 'key',
    });
  } else {
    const hint = meant === undefined ? 'it is ignored; remove it' : `did you mean "${meant}"?`;
    report.at('field.unknown', at, `unknown field "${key}"${where}`, { hint, spot: 'key' });
  }
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
  readonly safety: boolean;
}

function annotation(schema: Json | undefined): Annotation {
  const note = isObject(schema) && isObject(schema['x-toolport']) ? schema['x-toolport'] : {};
  return {
    ...(isCode(note.code) ? { code: note.code } : {}),
    ...(isCode(note.missing) ? { missing: note.missing } : {}),
    ...(typeof note.hint === 'string' ? { hint: note.hint } : {}),
    safety: note.safety === true,
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
  let current = schema;
  for (let hops = 0; hops < 16 && typeof current.$ref === 'string'; hops++) {
    const target = schemaAt(root, current.$ref.split('/').slice(1));
    // Annotations beside a reference win over those behind it.
    const own = current['x-toolport'];
    current = own === undefined ? target : { ...target, 'x-toolport': own };
  }
  return current;
}

function schemaAt(root: JsonObject, steps: readonly string[]): JsonObject {
  let current: Json = root;
  for (const step of steps) {
    const key = unescape(step);
    if (Array.isArray(current)) current = (current[Number(key)] ?? {}) as Json;
    else if (isObject(current)) {
      const reached: JsonObject = Object.hasOwn(current, key) ? current : deref(root, current);
      current = Object.hasOwn(reached, key) ? (reached[key] as Json) : {};
    } else return {};
  }
  return isObject(current) ? current : {};
}

function resolvePath(value: Json | undefined, pointer: string): JsonPath {
  const path: (string | number)[] = [];
  let current = value;
  for (const raw of pointer.split('/').slice(1)) {
    const step = Array.isArray(current) ? Number(raw) : unescape(raw);
    path.push(step);
    current = valueAt(current, [step]);
  }
  return path;
}

function unescape(step: string): string {
  return decodeURIComponent(step.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'))
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}

/** `inputs[0].name`: how people name a place. */
export function nameOf(path: JsonPath): string {
  if (path.length === 0) return 'the manifest';
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
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
