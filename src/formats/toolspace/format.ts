import schema from '../../../schemas/toolspace.schema.json' with { type: 'json' };
import { validateToolspace } from '../../generated/toolspace.js';
import type { Format, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkSchema } from '../check.js';
import type { Document } from '../document/document.js';
import { readJson } from '../document/json.js';
import { openManifest } from '../manifest.js';
import { checkText } from '../text-check.js';
import { claimToolspace } from './claim.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';
import { checkVersion } from './version.js';

const checked = { schema: schema as unknown as JsonObject, validate: validateToolspace };

/** Install manifests: one JSON file that says how a tool is fetched, called, checked and revoked. */
export const toolspace: Format = {
  name: 'toolspace',

  claim: claimToolspace,

  parse(bundle): ParseResult {
    const opened = openManifest(bundle, readJson);
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, report } = opened;
    const { value } = document;
    if (value === undefined || checkVersion(report, value)) return { diagnostics: report.diagnostics };

    checkSchema(report, judged(document, opened.text), checked);
    checkText(report, value);
    if (isObject(value)) checkRules(report, value);
    if (report.hasErrors || !isObject(value)) return { diagnostics: report.diagnostics };
    return { package: deepFreeze(lower(value)), diagnostics: report.diagnostics };
  },
};

/** The schema judges what every JSON parser reads: to it a forbidden key is an unknown field like others. */
function judged(document: Document, text: string): Document {
  const { problems } = document;
  const onlyForbidden = problems.length > 0 && problems.every((it) => it.code === 'syntax.forbidden-key');
  return onlyForbidden ? { ...document, value: JSON.parse(text) } : document;
}
