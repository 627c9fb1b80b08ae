import { startOfFile } from '../model/diagnostic.js';
import type { Json } from '../model/json.js';
import { checkInnerSchema } from './inner-schema.js';
import { Report } from './report.js';

/** What is wrong with a schema that came from elsewhere than a manifest; undefined when nothing is. */
export function schemaProblem(schema: Json): string | undefined {
  const nowhere = { value: schema, problems: [], locate: () => startOfFile, source: () => undefined };
  const report = new Report('', nowhere);
  checkInnerSchema(report, schema, []);
  return report.diagnostics.find((it) => it.severity === 'error')?.message;
}
