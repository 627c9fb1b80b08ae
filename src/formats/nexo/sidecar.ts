import { validateNexoSidecar } from '../../generated/nexoSidecar.js';
import type { Bundle } from '../../model/bundle.js';
import type { Diagnostic } from '../../model/diagnostic.js';
import { isObject, type JsonObject } from '../../model/json.js';
import { checkFields, checkSchema } from '../check.js';
import { parseJson } from '../document/json.js';
import { openFile } from '../opened-file.js';
import { checkText } from '../text-check.js';
import { nexoCodes } from './codes.js';
import { asTable } from './kind-field.js';
import { checkServers, type ServerContext } from './servers.js';
import schema from './sidecar.schema.json' with { type: 'json' };

export const sidecarName = '.mcp.json';

const checked = { schema: schema as unknown as JsonObject, validate: validateNexoSidecar };

export interface Sidecar {
  readonly servers: JsonObject;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the MCP servers of a manifest that declares none itself. Diagnostics point to lines of the sidecar. */
export function readSidecar(bundle: Bundle, context: ServerContext): Sidecar {
  if (bundle.read(sidecarName).kind === 'missing') return { servers: {}, diagnostics: [] };
  const opened = openFile(bundle, { parse: parseJson, codes: nexoCodes, path: sidecarName });
  if (!opened.ok) return { servers: {}, diagnostics: opened.diagnostics };
  const { document, value, report } = opened;
  checkSchema(report, document, checked);
  checkFields(report, value, checked.schema);
  checkText(report, value);
  const servers = isObject(value) ? value.mcpServers : undefined;
  checkServers(report, servers, ['mcpServers'], { ...context, closed: false });
  return { servers: asTable(servers), diagnostics: report.diagnostics };
}
