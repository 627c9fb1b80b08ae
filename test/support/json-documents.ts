// Validates what commands print with --json against the schemas that the build publishes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = new Ajv2020.default({ allErrors: true, strict: true, allowUnionTypes: true });
addFormats.default(ajv, ['date-time']);
const schemas = join(import.meta.dirname, '../../dist/schemas');

/** Problems of a value with the schema of a document such as `list@1`; empty if it is valid. */
export function schemaProblems(name: string, value: unknown): string[] {
  const id = `urn:toolwharf:document:${name}`;
  if (ajv.getSchema(id) === undefined)
    ajv.addSchema(JSON.parse(readFileSync(join(schemas, `${name}.schema.json`), 'utf8')));
  const validate = ajv.getSchema(id);
  if (validate === undefined) throw new Error(`no schema ${name}`);
  validate(value);
  return (validate.errors ?? []).map((it) => `${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`);
}

/** The only document that was printed, as one line. Throws if it does not match its schema; returns it with its name. */
export function documentIn(stdout: string): {
  readonly name: string;
  readonly value: Record<string, unknown>;
} {
  if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`not one line: ${stdout}`);
  const value = JSON.parse(stdout) as Record<string, unknown>;
  const name =
    'error' in value && !('schema' in value) ? 'error@1' : String(value.schema).replace('toolwharf/', '');
  const problems = schemaProblems(name, value);
  if (problems.length > 0) throw new Error(`${name}: ${problems.join('; ')}\n${stdout}`);
  return { name, value };
}
