// Converts the errors of a compiled schema to diagnostics with a fix, and finds fields that the schema does not
// define. Schemas may have an "x-toolwharf" annotation: { code, missing, hint, form, safety, quiet }.
import type { CommonCode } from '../model/codes.js';
import { isObject, type Json, type JsonObject, type JsonPath, valueAt } from '../model/json.js';
import type { Document } from './document/document.js';
import type { Report } from './report.js';
import { isSafetyField, safetyFieldPaths } from './safety-fields.js';
import { fold, suggest } from './suggest.js';

/** One error of a compiled schema, in the form that ajv reports. */
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

/** The schema of a format with its compiled validator. */
export interface CheckedSchema {
  readonly schema: JsonObject;
  readonly validate: Validator;
}

/** Reports all violations of the schema. True when there are none. */
export function checkSchema(report: Report, document: Document, checked: CheckedSchema): boolean {
  if (checked.validate(document.value)) return true;
  const errors = checked.validate.errors ?? [];
  const misspelled = new Set(errors.map((error) => misspelledMember(error, checked.schema)));
  const reported = new Set<string>();
  let quiet = false;
  for (const error of errors) {
    if (structural.has(error.keyword)) continue;
    if (annotation(report, schemaAt(checked.schema, error.schemaPath.split('/').slice(1, -1))).quiet) {
      quiet = true;
      continue;
    }
    const place = resolvePath(document.value, error.instancePath);
    const problem = describe(error, place, { report, document, schema: checked.schema });
    if (problem.missing !== undefined && misspelled.has(`${error.instancePath} ${problem.missing}`)) continue;
    if (problem.nearMiss === true) {
      quiet = true;
      continue;
    }
    const key = `${problem.code} ${error.instancePath} ${problem.message}`;
    if (reported.has(key)) continue;
    reported.add(key);
    report.at(problem.code, problem.path, problem.message, {
      hint: problem.hint,
      spot: problem.spot,
    });
    if (problem.misspelled === true) report.markReported(problem.path);
  }
  if (reported.size === 0 && !quiet)
    report.at('schema.invalid', [], 'the manifest does not match the schema of its format');
  return false;
}

/**
 * The member that an unknown field was probably meant to be. The same error also causes a "missing" message, so only
 * the misspelled field is reported.
 */
function misspelledMember(error: SchemaError, schema: JsonObject): string | undefined {
  if (error.keyword !== 'additionalProperties') return undefined;
  const { properties } = schemaAt(schema, error.schemaPath.split('/').slice(1, -1));
  const meant = suggest(
    String(error.params.additionalProperty),
    Object.keys(isObject(properties) ? properties : {}),
  );
  return meant === undefined ? undefined : `${error.instancePath} ${meant}`;
}

/** The errors of their branches are reported instead. */
const structural = new Set(['if', 'allOf', 'anyOf', 'oneOf', 'not', 'propertyNames']);

/** Used where neither the schema nor the error provides a more specific hint. */
const defaultHints: Partial<Record<CommonCode, string>> = {
  'schema.type': 'use a value of this type',
  'schema.const': 'use exactly this value',
  'schema.length': 'change its length',
  'schema.count': 'add or remove entries',
  'schema.range': 'use a value within the limits',
  'schema.duplicate-item': 'remove the duplicate',
  'schema.invalid': 'compare it with the schema that "toolwharf schema" prints',
};

/** A schema error, ready to be reported. */
interface SchemaProblem {
  readonly code: CommonCode;
  readonly path: JsonPath;
  readonly message: string;
  readonly hint: string | undefined;
  readonly spot: 'key' | 'value';
  /** The missing member, if the problem is a missing member. */
  readonly missing?: string;
  /** True: a field with a similar name exists, and `checkFields` reports it as an error. */
  readonly nearMiss?: boolean;
  /** True: `path` is the misspelled field, and no other message about it is needed. */
  readonly misspelled?: boolean;
}

/** What one check is about. */
interface SchemaCheck {
  readonly report: Report;
  readonly document: Document;
  readonly schema: JsonObject;
}

function describe(
  error: SchemaError,
  path: JsonPath,
  { report, document, schema }: SchemaCheck,
): SchemaProblem {
  const parent = schemaAt(schema, error.schemaPath.split('/').slice(1, -1));
  const note = annotation(report, parent);
  const value = valueAt(document.value, path);
  const { keyword, params } = error;
  const make = (
    code: CommonCode,
    message: string,
    hint?: string,
    spot: 'key' | 'value' = 'value',
    at: JsonPath = path,
  ): SchemaProblem => ({
    code: note.code ?? code,
    path: at,
    message,
    hint: note.hint ?? hint ?? defaultHints[code],
    spot,
  });
  const name = pathName(path);

  switch (keyword) {
    case 'required': {
      const missing = String(params.missingProperty);
      const about = annotation(report, propertySchema(schema, parent, missing));
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
      const message = `unknown field "${clip(typo)}"${where}; the required field "${missing}" is missing`;
      const hint = `did you mean "${missing}"?`;
      return { ...base, path: [...path, typo], message, hint, nearMiss: about.safety, misspelled: true };
    }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const extra = String(params.additionalProperty ?? params.unevaluatedProperty);
      const meant = suggest(extra, Object.keys(isObject(parent.properties) ? parent.properties : {}));
      const message = `unknown field "${clip(extra)}"${path.length === 0 ? '' : ` in ${name}`}`;
      const hint =
        meant === undefined
          ? 'remove it: this object does not allow other fields'
          : `did you mean "${meant}"?`;
      return { code: 'schema.closed', path: [...path, extra], message, hint, spot: 'key' };
    }
    case 'type': {
      const expected = [params.type].flat().map(String);
      const written = document.source(path);
      const needsQuotes =
        expected.includes('string') && (typeof value === 'number' || typeof value === 'boolean');
      const hint = needsQuotes && written !== undefined ? `put it in quotes: "${written}"` : undefined;
      return make(
        'schema.type',
        `${name} must be ${joinWithOr(expected.map(article))}, not ${article(typeName(value))}`,
        hint,
      );
    }
    case 'enum': {
      const allowed = (params.allowedValues as Json[]).map(String);
      const meant = typeof value === 'string' ? suggest(value, allowed) : undefined;
      const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`;
      return make(
        'schema.enum',
        `unknown ${name} ${show(value)}${suggestion}`,
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
      const limit = `${keyword === 'minLength' ? 'at least' : 'at most'} ${Number(params.limit).toLocaleString('en')}`;
      const message =
        length === 0
          ? `${name} is empty`
          : `${name} has ${count(length, 'character')}; it must have ${limit}`;
      const hint = length === 0 ? `write at least ${count(Number(params.limit), 'character')}` : undefined;
      return make('schema.length', message, hint);
    }
    case 'minItems':
    case 'maxItems':
    case 'minProperties':
    case 'maxProperties': {
      const size = Array.isArray(value) ? value.length : Object.keys((value ?? {}) as object).length;
      const limit = `${keyword.startsWith('min') ? 'at least' : 'at most'} ${Number(params.limit)}`;
      return make('schema.count', `${name} has ${count(size, 'entry')}; it must have ${limit}`);
    }
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf': {
      const limit =
        keyword === 'multipleOf'
          ? `a multiple of ${params.multipleOf}`
          : `${params.comparison} ${params.limit}`;
      return make('schema.range', `${name} is ${show(value)}; it must be ${limit}`);
    }
    case 'uniqueItems':
      return make('schema.duplicate-item', `${name} contains the same entry twice`, undefined, 'value', [
        ...path,
        Number(params.i),
      ]);
    case 'dependentRequired':
      return make(
        'schema.required',
        `"${params.missingProperty}" is missing; "${params.property}" requires it`,
      );
    default:
      return make('schema.invalid', `${name} is not allowed here`);
  }
}

/** Reports unknown fields. One whose name is similar to a safety field is an error, others are warnings. */
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
  if (report.isReported(at)) return;
  const where = path.length === 0 ? '' : ` in ${pathName(path)}`;
  const meant = suggest(key, Object.keys(properties)) ?? nameInside(key, properties);
  const target = meant === undefined ? undefined : properties[meant];
  if (meant !== undefined && isObject(target) && isSafetyField(target, root)) {
    const message = `unknown field "${clip(key)}"${where}; its name is similar to the safety field "${meant}"`;
    const hint = `rename it to "${meant}"; otherwise this protection is not applied`;
    report.at('field.near-miss', at, message, { hint, spot: 'key' });
    return;
  }
  const home = meant === undefined ? safetyFieldPaths(root).get(fold(key)) : undefined;
  if (home !== undefined) {
    const message = `the safety field "${clip(key)}" has no effect${where === '' ? ' at the top level' : where}`;
    report.at('field.near-miss', at, message, { hint: `move it to ${home}`, spot: 'key' });
    return;
  }
  const hint = meant === undefined ? 'remove it: it has no effect' : `did you mean "${meant}"?`;
  report.at('field.unknown', at, `unknown field "${clip(key)}"${where}`, { hint, spot: 'key' });
}

/** A known name that the key starts or ends with, as `human_confirm_required` starts with `human_confirm`. */
function nameInside(key: string, properties: JsonObject): string | undefined {
  const folded = key.toLowerCase().replace(/[-_]/g, '');
  return Object.keys(properties).find((name) => {
    const known = name.toLowerCase().replace(/[-_]/g, '');
    return known.length >= 7 && (folded.startsWith(known) || folded.endsWith(known));
  });
}

/** The "x-toolwharf" annotation of a schema. */
interface Annotation {
  readonly code?: CommonCode;
  /** The code to report when this member is missing. */
  readonly missing?: CommonCode;
  readonly hint?: string;
  /** What the pattern describes. Messages use this instead of the pattern. */
  readonly form?: string;
  readonly safety: boolean;
  /** True: the rules of the format report this with a better message. */
  readonly quiet: boolean;
}

function annotation(report: Report, schema: Json | undefined): Annotation {
  const note = isObject(schema) && isObject(schema['x-toolwharf']) ? schema['x-toolwharf'] : {};
  return {
    ...annotatedCode(report, 'code', note),
    ...annotatedCode(report, 'missing', note),
    ...(typeof note.hint === 'string' ? { hint: note.hint } : {}),
    ...(typeof note.form === 'string' ? { form: note.form } : {}),
    safety: note.safety === true,
    quiet: note.quiet === true,
  };
}

/** Empty if the report does not accept the code. The type says less: a schema may name a code of its format too. */
function annotatedCode(report: Report, member: 'code' | 'missing', note: JsonObject) {
  const code = note[member];
  return typeof code === 'string' && report.accepts(code) ? { [member]: code as CommonCode } : {};
}

function knows(root: JsonObject, schema: JsonObject, key: string): boolean {
  return propertySchema(root, schema, key) !== undefined;
}

function propertySchema(root: JsonObject, schema: JsonObject, key: string): JsonObject | undefined {
  const found =
    isObject(schema.properties) && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  return isObject(found) ? deref(root, found) : undefined;
}

/** Resolves `$ref`. The schemas of the formats refer only to themselves. */
function deref(root: JsonObject, schema: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string') return schema;
  const { $ref, ...own } = schema;
  const target = schemaAt(root, String($ref).split('/').slice(1));
  for (const _ in own) {
    // Members next to the reference override those of its target, as in the compiled schema.
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

/** Decodes one step of a path into the document. A key such as "%41" is not decoded further. */
function pointerStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Decodes one step of a path into the schema, which ajv encodes like a part of a URI. */
function schemaStep(step: string): string {
  try {
    return pointerStep(decodeURIComponent(step));
  } catch {
    return pointerStep(step);
  }
}

/** The path in the form that messages use, such as `inputs[0].name`. */
export function pathName(path: JsonPath): string {
  if (path.length === 0) return 'the manifest';
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${clip(step)}`))
    .join('');
}

/** Shortens a key for a message. */
function clip(key: string): string {
  return key.length > 64 ? `${key.slice(0, 63)}…` : key;
}

/** A value as JSON, shortened for a message. */
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
  string: 'a string',
  array: 'a list',
  object: 'an object',
  boolean: 'a boolean',
  integer: 'an integer',
  number: 'a number',
  null: 'null',
  uri: 'a URL with a scheme',
  email: 'an e-mail address',
  undefined: 'missing',
};

function article(type: string): string {
  return nouns[type] ?? `a valid ${type}`;
}

function joinWithOr(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} or ${items.at(-1)}`;
}

function count(amount: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${amount.toLocaleString('en')} ${amount === 1 ? noun : plural}`;
}
