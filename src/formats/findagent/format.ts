import { validateFindagent } from '../../generated/findagent.js';
import type { FormatParser, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { parseJson } from '../document/json.js';
import { openFile } from '../opened-file.js';
import { checkText } from '../text-check.js';
import { findagentCodes } from './codes.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';
import schema from './schema.json' with { type: 'json' };

const checked = { schema: schema as unknown as JsonObject, validate: validateFindagent };

/** Agents described by one JSON file: prompts, HTTP tools, skills and code. */
export const findagent: FormatParser = {
  schema: checked.schema,
  readFields: parseJson,

  parse(bundle): ParseResult {
    const opened = openFile(bundle, { parse: parseJson, codes: findagentCodes });
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, value: manifest, report } = opened;
    const valid = checkSchema(report, document, checked);
    checkText(report, manifest);
    if (isObject(manifest)) {
      checkFields(report, manifest, checked.schema);
      checkRules(report, manifest, bundle);
    }
    if (!valid && !report.hasErrors)
      report.at('schema.invalid', [], 'the manifest does not match its schema');
    if (report.hasErrors || !isObject(manifest)) return { diagnostics: report.diagnostics };
    return { package: deepFreeze(lower(manifest, bundle)), diagnostics: report.diagnostics };
  },
};
