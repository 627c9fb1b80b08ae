import { validateTalos } from '../../generated/talos.js';
import type { FormatParser, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { parseJson } from '../document/json.js';
import { openFile } from '../opened-file.js';
import { checkText } from '../text-check.js';
import { talosCodes } from './codes.js';
import { checkHandlers } from './handlers.js';
import { lower } from './lower.js';
import { checkPrompt } from './prompt.js';
import { checkRules } from './rules.js';
import schema from './schema.json' with { type: 'json' };

const checked = { schema: schema as unknown as JsonObject, validate: validateTalos };

/** The Talos format: folders with a manifest.json and JavaScript or TypeScript handlers. */
export const talos: FormatParser = {
  schema: checked.schema,
  readFields: parseJson,

  parse(bundle): ParseResult {
    const opened = openFile(bundle, { parse: parseJson, codes: talosCodes });
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, value: manifest, report } = opened;
    checkSchema(report, document, checked);
    checkFields(report, manifest, checked.schema);
    checkText(report, manifest);
    if (!isObject(manifest)) return { diagnostics: report.diagnostics };
    checkRules(report, manifest, bundle.folder);
    const handlers = checkHandlers(report, bundle, manifest);
    const prompt = checkPrompt(report, bundle);
    if (report.hasErrors || handlers === null) return { diagnostics: report.diagnostics };
    const { diagnostics } = report;
    return { package: deepFreeze(lower(manifest, { handlers, prompt })), diagnostics };
  },
};
