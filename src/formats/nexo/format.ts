import { validateNexo } from '../../generated/nexo.js';
import type { Bundle } from '../../model/bundle.js';
import type { FormatParser, ParseOptions, ParseResult } from '../../model/format.js';
import { deepFreeze, isObject, type JsonObject } from '../../model/json.js';
import { checkSchema } from '../check.js';
import { parseToml } from '../document/toml.js';
import { openFile } from '../opened-file.js';
import { checkText } from '../text-check.js';
import { type NexoReport, nexoCodes } from './codes.js';
import { asTable } from './kind-field.js';
import { lower } from './lower.js';
import { checkRules } from './rules.js';
import schema from './schema.json' with { type: 'json' };
import { checkServers, type ServerContext } from './servers.js';
import { readSidecar, type Sidecar, sidecarName } from './sidecar.js';

const checked = { schema: schema as unknown as JsonObject, validate: validateNexo };

/** Extensions described by a plugin.toml: tools and hooks over stdio, NATS or HTTP, and MCP servers. */
export const nexo: FormatParser = {
  schema: checked.schema,
  readFields: parseToml,

  parse(bundle, options): ParseResult {
    const opened = openFile(bundle, { parse: parseToml, codes: nexoCodes });
    if (!opened.ok) return { diagnostics: opened.diagnostics };
    const { document, report } = opened;
    const manifest = asTable(opened.value);
    checkSchema(report, document, checked);
    checkText(report, manifest);
    checkRules(report, manifest, options);
    const context = contextOf(manifest, options);
    const sidecar = serversOf(report, bundle, manifest, context);
    const diagnostics = [...report.diagnostics, ...sidecar.diagnostics];
    const errors = diagnostics.filter((it) => it.severity === 'error');
    // A manifest that is only too new for this host is read, so that everything it needs is reported together.
    if (errors.some((it) => it.code !== 'nexo.agent-too-old')) return { diagnostics };
    const pkg = deepFreeze(lower(manifest, sidecar.servers, context));
    if (errors.length === 0) return { package: pkg, diagnostics };
    return { package: pkg, diagnostics, unmet: errors.map((it) => `${it.message}; ${it.hint}`) };
  },
};

function contextOf(manifest: JsonObject, options: ParseOptions): ServerContext {
  const { id, version } = asTable(manifest.plugin);
  const { env } = asTable(manifest.requires);
  const variables = (Array.isArray(env) ? env : []).filter((it) => typeof it === 'string');
  return {
    id: typeof id === 'string' ? id : '',
    version: typeof version === 'string' ? version : '',
    agentVersion: options.agentVersion,
    variables: new Set(variables),
  };
}

/** The servers of the manifest; if it has none, the servers of the sidecar. */
function serversOf(
  report: NexoReport,
  bundle: Bundle,
  manifest: JsonObject,
  context: ServerContext,
): Sidecar {
  const inline = manifest.mcp_servers;
  if (inline === undefined || (isObject(inline) && Object.keys(inline).length === 0)) {
    return readSidecar(bundle, context);
  }
  checkServers(report, inline, ['mcp_servers'], { ...context, closed: true });
  if (bundle.read(sidecarName).kind !== 'missing') {
    const message = `${sidecarName} is ignored, because the manifest has [mcp_servers]`;
    const hint = 'put all servers in one of the two files';
    report.at('nexo.sidecar-ignored', ['mcp_servers'], message, { hint, spot: 'key' });
  }
  return { servers: asTable(inline), diagnostics: [] };
}
