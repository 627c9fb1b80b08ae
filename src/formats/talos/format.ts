import schema from '../../../schemas/talos.schema.json' with { type: 'json' };
import { validateTalos } from '../../generated/talos.js';
import type { Format, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { parseJson } from '../document/json.js';
import { openManifest } from '../manifest.js';
import { checkText } from '../text-check.js';
import { claimTalos } from './claim.js';
import { checkHandlers } from './handlers.js';
import { lower } from './lower.js';
import { checkPrompt } from './prompt.js';
import { checkRules } from './rules.js';

const checked = { schema: schema as unknown as JsonObject, validate: validateTalos };

/** The Talos format: folders with a manifest.json and JavaScript or TypeScript handlers. */
export const talos: Format = {
  name: 'talos',

  claim: claimTalos,

  parse(bundle): ParseResult {
    const opened = openManifest(bundle, parseJson);
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, report } = opened;
    if (document.value === undefined) return { diagnostics: report.diagnostics };

    checkSchema(report, document, checked);
    checkFields(report, document.value, checked.schema);
    checkText(report, document.value);
    if (!isObject(document.value)) return { diagnostics: report.diagnostics };
    checkRules(report, document.value, bundle.folder);
    const handlers = checkHandlers(report, bundle, document.value);
    const prompt = checkPrompt(report, bundle);
    if (report.hasErrors || handlers === null) return { diagnostics: report.diagnostics };
    const { diagnostics } = report;
    return { package: deepFreeze(lower(document.value, { handlers, prompt })), diagnostics };
  },
};
