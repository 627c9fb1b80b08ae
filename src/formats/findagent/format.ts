import schema from '../../../schemas/findagent.schema.json' with { type: 'json' };
import { validateFindagent } from '../../generated/findagent.js';
import type { Format, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { parseJson } from '../document/json.js';
import { openManifest } from '../manifest.js';
import { checkText } from '../text-check.js';
import { claimFindagent } from './claim.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';

const checked = { schema: schema as unknown as JsonObject, validate: validateFindagent };

/** Agents described by one JSON file: prompts, HTTP tools, skills and code. */
export const findagent: Format = {
  name: 'findagent',

  claim: claimFindagent,

  parse(bundle): ParseResult {
    const opened = openManifest(bundle, parseJson);
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, report } = opened;
    const manifest = document.value;
    if (manifest === undefined) return { diagnostics: report.diagnostics };

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
