import schema from '../../../schemas/toolspace.schema.json' with { type: 'json' };
import { validateToolspace } from '../../generated/toolspace.js';
import type { Format, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkSchema } from '../check.js';
import type { Document } from '../document/document.js';
import { parseJson } from '../document/json.js';
import { openManifest } from '../manifest.js';
import { checkText } from '../text-check.js';
import { claimToolspace } from './claim.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';
import { checkVersion } from './version.js';

const checked = { schema: schema as unknown as JsonObject, validate: validateToolspace };

/** Install manifests: one JSON file that describes how a tool is installed, called, tested and revoked. */
export const toolspace: Format = {
  name: 'toolspace',

  claim: claimToolspace,

  parse(bundle): ParseResult {
    const opened = openManifest(bundle, parseJson);
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, report } = opened;
    const { value } = document;
    if (value === undefined || checkVersion(report, value)) return { diagnostics: report.diagnostics };

    checkSchema(report, schemaInput(document, opened.text), checked);
    checkText(report, value);
    if (isObject(value)) checkRules(report, value);
    if (report.hasErrors || !isObject(value)) return { diagnostics: report.diagnostics };
    return { package: deepFreeze(lower(value)), diagnostics: report.diagnostics };
  },
};

/** The document for the schema check. It keeps forbidden keys, so that the schema reports them as unknown fields. */
function schemaInput(document: Document, text: string): Document {
  const { problems } = document;
  const onlyForbidden = problems.length > 0 && problems.every((it) => it.code === 'syntax.forbidden-key');
  return onlyForbidden ? { ...document, value: JSON.parse(text) } : document;
}
