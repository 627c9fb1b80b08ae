import schema from '../../../schemas/nexoSidecar.schema.json' with { type: 'json' };
import { validateNexoSidecar } from '../../generated/nexoSidecar.js';
import type { Bundle } from '../../model/bundle.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { parseJson } from '../document/json.js';
import { SourceText } from '../document/source-text.js';
import { Report } from '../report.js';
import { checkText } from '../text-check.js';
import { readTextFile } from '../text-file.js';
import { asTable } from './kind-field.js';
import { checkServers, type ServerContext } from './servers.js';

export const sidecarName = '.mcp.json';

const checked = { schema: schema as unknown as JsonObject, validate: validateNexoSidecar };

export interface Sidecar {
  readonly servers: JsonObject;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the MCP servers of a manifest that declares none itself. Diagnostics point to lines of the sidecar. */
export function readSidecar(bundle: Bundle, context: ServerContext): Sidecar {
  if (bundle.read(sidecarName).kind === 'missing') return { servers: {}, diagnostics: [] };
  const read = readTextFile(bundle, sidecarName);
  if (!read.ok) return { servers: {}, diagnostics: read.diagnostics };
  const document = parseJson(read.text);
  const report = new Report(read.file, document);
  const source = new SourceText(read.text);
  for (const problem of document.problems) {
    const range = source.range(problem.start, problem.end);
    report.inFile(problem.code, read.file, range, problem.message, problem.hint);
  }
  if (document.value === undefined) return { servers: {}, diagnostics: report.diagnostics };
  checkSchema(report, document, checked);
  checkFields(report, document.value, checked.schema);
  checkText(report, document.value);
  const servers = isObject(document.value) ? document.value.mcpServers : undefined;
  checkServers(report, servers, ['mcpServers'], { ...context, closed: false });
  return { servers: asTable(servers), diagnostics: report.diagnostics };
}
