import { validateToolspace } from '../../generated/toolspace.js';
import type { FormatParser, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { parseBounded } from '../../model/json-bounds.js';
import { checkSchema } from '../check.js';
import { type Document, manifestLimits } from '../document/document.js';
import { parseJson } from '../document/json.js';
import { openFile } from '../opened-file.js';
import { checkText } from '../text-check.js';
import { bundledArtifact, checkArtifact } from './artifact.js';
import { toolspaceCodes } from './codes.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';
import schema from './schema.json' with { type: 'json' };
import { checkVersion } from './version.js';

const checked = { schema: schema as unknown as JsonObject, validate: validateToolspace };

/** Install manifests: one JSON file that describes how a tool is installed, called, tested and revoked. */
export const toolspace: FormatParser = {
  schema: checked.schema,
  readFields: parseJson,

  parse(bundle): ParseResult {
    const opened = openFile(bundle, { parse: parseJson, codes: toolspaceCodes });
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, value, report } = opened;
    if (checkVersion(report, value)) return { diagnostics: report.diagnostics };

    checkSchema(report, schemaInput(document, opened.text), checked);
    checkText(report, value);
    if (isObject(value)) checkRules(report, value);
    if (report.hasErrors || !isObject(value)) return { diagnostics: report.diagnostics };
    // The manifest itself is valid, so the package has a name and a state that say what is wrong.
    const artifact = bundledArtifact(value, bundle);
    if (artifact !== undefined) checkArtifact(report, value, artifact, bundle);
    return { package: deepFreeze(lower(value, artifact)), diagnostics: report.diagnostics };
  },
};

/** The document for the schema check. It keeps forbidden keys, so that the schema reports them as unknown fields. */
function schemaInput(document: Document, text: string): Document {
  const { problems } = document;
  const onlyForbidden = problems.length > 0 && problems.every((it) => it.code === 'syntax.forbidden-key');
  return onlyForbidden ? { ...document, value: parseBounded(text, manifestLimits) } : document;
}
