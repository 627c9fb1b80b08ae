import { validateMcp } from '../../generated/mcp.js';
import type { FormatParser, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkSchema } from '../check.js';
import { parseJson } from '../document/json.js';
import { openFile } from '../opened-file.js';
import { checkText } from '../text-check.js';
import { mcpCodes } from './codes.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';
import schema from './schema.json' with { type: 'json' };

const checked = { schema: schema as unknown as JsonObject, validate: validateMcp };

/** A plain MCP server: a command, a container image or a URL, with the values that it needs. */
export const mcpParser: FormatParser = {
  schema: checked.schema,
  readFields: parseJson,

  parse(bundle): ParseResult {
    const opened = openFile(bundle, { parse: parseJson, codes: mcpCodes });
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, value, report } = opened;
    checkSchema(report, document, checked);
    checkText(report, value);
    if (isObject(value)) checkRules(report, value);
    if (report.hasErrors || !isObject(value)) return { diagnostics: report.diagnostics };
    return { package: deepFreeze(lower(value, bundle)), diagnostics: report.diagnostics };
  },
};
