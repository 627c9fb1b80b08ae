import { startOfFile } from '../model/diagnostic.js';
import type { Json } from '../model/json.js';
import { checkInnerSchema } from './inner-schema.js';
import { Report } from './report.js';

/** The first error in a schema that does not come from a manifest; undefined when it is valid. */
export function schemaProblem(schema: Json): string | undefined {
  const document = { value: schema, problems: [], locate: () => startOfFile, source: () => undefined };
  const report = new Report('', document, {});
  checkInnerSchema(report, schema, []);
  return report.diagnostics.find((it) => it.severity === 'error')?.message;
}
