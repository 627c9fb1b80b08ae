// Schemas that came with a package, compiled for checking what goes in and out of its tools. The front end
// has looked at them before (formats/inner-schema.ts); patterns run on an engine that cannot be made to hang.
import Ajv2020, { type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { HostError } from '../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonSchema } from '../model/json.js';

export type Checked =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly complaints: readonly string[] };

export interface SchemaValidator {
  /** Never changes its argument; the value in the answer has defaults filled in where the schema has them. */
  check(value: Json): Checked;
}

/** Arguments: defaults are applied, and properties that the schema does not mention are refused. */
export function inputValidator(schema: JsonSchema): SchemaValidator {
  return compile(isObject(schema) ? closed(schema) : schema, true);
}

export function outputValidator(schema: JsonSchema): SchemaValidator {
  return compile(schema, false);
}

/** A schema that says nothing of other properties does not allow them. */
function closed(schema: Exclude<JsonSchema, boolean>): JsonSchema {
  const speaks = ['additionalProperties', 'unevaluatedProperties', 'patternProperties', '$ref'].some((it) =>
    Object.hasOwn(schema, it),
  );
  return speaks ? schema : { ...schema, unevaluatedProperties: false };
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
  // The built-in way compares every pair.
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: allDifferent,
    error: { message: 'must not have the same entry twice' },
  });
  const validate = compiled(ajv, schema);
  return {
    check(value) {
      // Only defaults would change it.
      const copy = useDefaults ? copied(value) : value;
      if (validate(copy)) return { ok: true, value: copy };
      return { ok: false, complaints: complaints(validate.errors ?? []) };
    },
  };
}

/** Plain data by hand, which is several times faster; for whatever else a program may pass in there is the platform. */
function copied(value: Json): Json {
  if (value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return value;
  if (Array.isArray(value)) return value.map(copied);
  if (Object.getPrototypeOf(value) !== Object.prototype) return structuredClone(value);
  const copy: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    // A member of this name must not become the prototype.
    if (name === '__proto__') return structuredClone(value);
    copy[name] = copied(member as Json);
  }
  return copy;
}

function allDifferent(wanted: boolean, items: readonly Json[]): boolean {
  return !wanted || new Set(items.map(canonicalJson)).size === items.length;
}

function compiled(ajv: InstanceType<typeof Ajv2020.default>, schema: JsonSchema) {
  try {
    return ajv.compile(typeof schema === 'boolean' ? schema : { ...schema });
  } catch (error) {
    throw new HostError('not_supported', 'a schema of the tool cannot be enforced', {
      cause: error,
      hint: 'look-around and back-references in patterns are not supported',
    });
  }
}

/** The engine takes time in proportion to text and pattern, and the host waits for it. */
const maxPatternText = 16_384;

/** ajv tells patterns apart by their text, so the wrapper must have one. */
function linearRegex(pattern: string, _flags: string) {
  const engine = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return {
    test: (text: string) => {
      if (text.length > maxPatternText)
        throw new HostError(
          'guardrail',
          `a text of ${text.length.toLocaleString('en')} characters is too long to be checked against a pattern`,
        );
      return engine.matcher(text).find();
    },
    toString: () => `/${pattern}/`,
  } as unknown as RegExp;
}
linearRegex.code = 'linearRegex';

const maxComplaints = 8;

function complaints(errors: readonly ErrorObject[]): string[] {
  const told = new Set<string>();
  for (const error of errors) {
    const where = error.instancePath === '' ? '' : `${error.instancePath.slice(1).replaceAll('/', '.')} `;
    const extra = error.params.unevaluatedProperty ?? error.params.additionalProperty;
    if (typeof extra === 'string') told.add(`${where}has no property "${extra}"`);
    else if (error.keyword === 'enum')
      told.add(`${where}must be one of ${JSON.stringify(error.params.allowedValues)}`);
    else if (error.keyword !== 'if') told.add(`${where}${error.message ?? 'is not allowed'}`);
  }
  const all = [...told];
  return all.length <= maxComplaints
    ? all
    : [...all.slice(0, maxComplaints), `and ${all.length - maxComplaints} more`];
}
