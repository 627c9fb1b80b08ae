// Compiles the input and output schemas of tools. The format parser has already checked them
// (formats/inner-schema.ts). Patterns run on a linear-time engine, so that no pattern can block the host.
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { HostError, type InputProblem } from '../model/host-error.js';
import {
  canonicalJson,
  isObject,
  type Json,
  type JsonObject,
  type JsonSchema,
  toPointer,
} from '../model/json.js';

/** The outcome of a validation: the value, or sentences that say what is wrong. */
export type ValidationResult =
  | { readonly ok: true; readonly value: Json }
  | {
      readonly ok: false;
      readonly errors: readonly string[];
      /** The same at their places. */
      readonly problems: readonly InputProblem[];
    };

/** A compiled schema. */
export interface SchemaValidator {
  /** Never changes its argument. An input validator returns a copy with the schema's defaults filled in. */
  check(value: Json): ValidationResult;
}

/** For arguments: applies defaults and rejects properties that the schema does not mention. */
export function inputValidator(schema: JsonSchema): SchemaValidator {
  return compile(isObject(schema) ? rejectUnknown(schema) : schema, true);
}

/** For results: applies no defaults and allows extra properties where the schema does. */
export function outputValidator(schema: JsonSchema): SchemaValidator {
  return compile(schema, false);
}

/** If the schema does not mention additional properties, they are rejected. */
function rejectUnknown(schema: Exclude<JsonSchema, boolean>): JsonSchema {
  const mentioned = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', '$ref'].some(
    (it) => Object.hasOwn(schema, it),
  );
  return mentioned ? schema : { ...schema, unevaluatedProperties: false };
}

function compile(schema: JsonSchema, useDefaults: boolean): SchemaValidator {
  const ajv = new Ajv2020.default({
    allErrors: true,
    strict: false,
    validateSchema: false,
    useDefaults,
    validateFormats: true,
    logger: false,
    code: { regExp: linearRegex },
  });
  addFormats.default(ajv);
  // The built-in keyword compares every pair of items, which is too slow for long lists.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: allDifferent,
    error: { message: 'must not contain the same entry twice' },
  });
  const validate = compileOrThrow(ajv, schema);
  return {
    check(value) {
      // Validation changes the value only by filling in defaults.
      const copy = useDefaults ? deepCopy(value) : value;
      if (validate(copy)) return { ok: true, value: copy };
      const found = validate.errors ?? [];
      return { ok: false, errors: errorMessages(found), problems: problemsOf(found) };
    },
  };
}

/** Copies plain data, several times faster than `structuredClone`, which handles everything else. */
function deepCopy(value: Json): Json {
  if (value === null || isSimple(typeof value)) return value;
  if (Array.isArray(value)) return value.map(deepCopy);
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    // Assigning this member would set the prototype of the copy.
    if (name === '__proto__') return structuredClone(value);
    copy[name] = deepCopy((value as JsonObject)[name] as Json);
  }
  return copy;
}

function isSimple(type: string): boolean {
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'undefined';
}

function allDifferent(enabled: boolean, items: readonly Json[]): boolean {
  return !enabled || new Set(items.map(canonicalJson)).size === items.length;
}

function compileOrThrow(ajv: InstanceType<typeof Ajv2020.default>, schema: JsonSchema) {
  try {
    return ajv.compile(typeof schema === 'boolean' ? schema : { ...schema });
  } catch (error) {
    throw new HostError('not_supported', 'a schema of the tool cannot be compiled', {
      cause: error,
      hint: 'patterns with look-around or back-references are not supported',
    });
  }
}

/** Characters. The engine runs in the host, and its time grows with the length of text and pattern. */
const maxPatternText = 16_384;

/** ajv identifies patterns by their text, so the wrapper needs a `toString`. */
function linearRegex(pattern: string, _flags: string) {
  const engine = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return {
    test: (text: string) => {
      if (text.length > maxPatternText)
        throw new HostError(
          'guardrail',
          `a text of ${text.length.toLocaleString('en')} characters is too long to match against a pattern; the limit is ${maxPatternText.toLocaleString('en')}`,
        );
      return engine.matcher(text).find();
    },
    toString: () => `/${pattern}/`,
  } as unknown as RegExp;
}
linearRegex.code = 'linearRegex';

const maxProblems = 100;

function problemsOf(errors: readonly ErrorObject[]): InputProblem[] {
  const problems = new Map<string, InputProblem>();
  for (const it of errors) {
    if (it.keyword === 'if') continue;
    const { missingProperty, unevaluatedProperty, additionalProperty, allowedValues } = it.params;
    const extra = unevaluatedProperty ?? additionalProperty;
    const name = missingProperty ?? extra;
    const pointer = `${it.instancePath}${typeof name === 'string' ? toPointer([name]) : ''}`;
    const message =
      typeof missingProperty === 'string'
        ? 'is required'
        : typeof extra === 'string'
          ? 'is not known'
          : it.keyword === 'enum'
            ? `must be one of ${JSON.stringify(allowedValues)}`
            : (it.message ?? 'is not allowed');
    problems.set(`${pointer} ${message}`, { pointer, message });
  }
  return [...problems.values()].slice(0, maxProblems);
}

const maxErrors = 8;

function errorMessages(errors: readonly ErrorObject[]): string[] {
  const messages = new Set<string>();
  for (const error of errors) {
    const place = error.instancePath.slice(1).replaceAll('/', '.');
    const where = place === '' ? '' : `${place} `;
    const extra = error.params.unevaluatedProperty ?? error.params.additionalProperty;
    if (typeof extra === 'string')
      messages.add(`unknown property "${extra}"${place === '' ? '' : ` in ${place}`}`);
    else if (error.keyword === 'enum')
      messages.add(`${where}must be one of ${JSON.stringify(error.params.allowedValues)}`);
    else if (error.keyword !== 'if') messages.add(`${where}${error.message ?? 'is not allowed'}`);
  }
  const all = [...messages];
  return all.length <= maxErrors ? all : [...all.slice(0, maxErrors), `and ${all.length - maxErrors} more`];
}
