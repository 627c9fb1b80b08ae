import { noGuardrails } from '../../model/guardrails.js';
import type { Json, JsonObject } from '../../model/json.js';
import { type Fact, type Hook, type HookPoint, hookPoints, type Package } from '../../model/package.js';
import type { Permissions } from '../../model/permissions.js';
import type { EnvironmentVariable, Program, ProgramTarget } from '../../model/program.js';
import type { Slot } from '../../model/slot.js';
import { type Template, textTemplate } from '../../model/template.js';
import type { Tool } from '../../model/tool.js';
import { interpreterOf } from '../interpreter.js';
import { kindOf, tableAt, transportKind } from './kind.js';
import { fill, fillKnown, type Placeholders } from './placeholders.js';
import { capabilityLists } from './rules.js';
import { placeholdersIn, type ServerContext, serverFolder, serverTarget } from './servers.js';

/** No MCP server can have this name, so the two never meet. */
export const extensionProgram = '@extension';

/** A manifest without errors becomes a package; descriptions and schemas of its tools come when it starts. */
export function lower(manifest: JsonObject, servers: JsonObject, context: ServerContext): Package {
  const plugin = tableAt(manifest.plugin);
  const capabilities = tableAt(manifest.capabilities);
  const name = (plugin.name as string | undefined) || context.id;
  const description = (plugin.description as string | undefined) || name;
  const wanted = plugin.min_agent_version as string | undefined;
  const programs = [
    extension(manifest),
    ...Object.entries(servers).map(([server, table]) => mcpServer(server, tableAt(table), context)),
  ];
  return {
    format: 'nexo',
    id: context.id,
    version: context.version,
    name,
    description,
    programs,
    tools: list(capabilities.tools).map((tool) => declaredTool(tool, description)),
    prompts: [],
    hooks: hooks(list(capabilities.hooks), (plugin.priority as number | undefined) ?? 0),
    needs: {
      binaries: [...new Set(list(tableAt(manifest.requires).bins))],
      ...(wanted === undefined ? {} : { hostVersion: wanted }),
    },
    slots: [...context.variables].map(slot),
    permissions: permissionsOf(programs),
    guardrails: noGuardrails,
    install: { kind: 'bundled' },
    announces: true,
    targets: [],
    facts: facts(manifest, servers),
  };
}

function list(value: Json | undefined): readonly string[] {
  return (value as readonly string[] | undefined) ?? [];
}

/** The standing profile is for what is started here; what answers elsewhere is only asked. */
function permissionsOf(programs: readonly Program[]): Permissions {
  if (programs.some((it) => it.target.kind === 'process')) {
    const network = { kind: 'public' } as const;
    return { origin: 'default', network, filesystem: 'read-write', stateDirectory: true, scopes: [] };
  }
  const hosts = programs.flatMap(({ target }) => {
    if (target.kind !== 'url') return [];
    const { hostname, port } = new URL(target.url);
    return [{ host: hostname, port: port === '' ? null : Number(port) }];
  });
  const network = hosts.length === 0 ? ({ kind: 'none' } as const) : ({ kind: 'hosts', hosts } as const);
  return { origin: 'default', network, filesystem: 'none', stateDirectory: false, scopes: [] };
}

function extension(manifest: JsonObject): Program {
  return {
    name: extensionProgram,
    role: 'extension',
    lifetime: 'persistent',
    protocol: 'nexo',
    target: extensionTarget(tableAt(manifest.transport)),
    callerContext: tableAt(manifest.context).passthrough === true,
  };
}

function extensionTarget(transport: JsonObject): ProgramTarget {
  const kind = kindOf(transport, transportKind);
  if (kind === 'nats') return { kind: 'nats', subjectPrefix: transport.subject_prefix as string };
  if (kind === 'http') return { kind: 'url', url: transport.url as string, headers: [] };
  return {
    ...started(transport, textTemplate),
    directory: '',
    environment: [],
  };
}

function mcpServer(name: string, server: JsonObject, context: ServerContext): Program {
  return {
    name,
    role: 'mcp-server',
    lifetime: 'persistent',
    protocol: 'mcp',
    target: serverProgram(server, context),
    callerContext: server.context_passthrough === true,
  };
}

function serverProgram(server: JsonObject, context: ServerContext): ProgramTarget {
  const directory = serverFolder(server, context) ?? '';
  const placeholders = placeholdersIn(directory, context);
  if (serverTarget(server) === 'url') {
    return {
      kind: 'url',
      url: fillKnown(server.url as string, placeholders),
      headers: variables(server.headers, placeholders),
    };
  }
  return {
    ...started(server, (it) => fill(it, placeholders)),
    directory,
    environment: variables(server.env, placeholders),
  };
}

/**
 * A command that is the bare name of an interpreter gets the one that the host finds, for a script of the package. One that
 * lies elsewhere belongs to what is installed there, and so does its interpreter.
 */
function started({ command, args }: JsonObject, word: (text: string) => Template) {
  const [script = ''] = list(args);
  const runtime = leadsOut(script) ? undefined : interpreterOf(command as string);
  const words = runtime === undefined ? [command as string, ...list(args)] : list(args);
  return {
    kind: 'process',
    command: words.map(word),
    ...(runtime === undefined ? {} : { runtime }),
  } as const;
}

function leadsOut(path: string): boolean {
  return /^[/\\]|^[A-Za-z]:|\\|\0/.test(path) || path.split('/').includes('..');
}

function variables(table: Json | undefined, placeholders: Placeholders): EnvironmentVariable[] {
  return Object.entries(tableAt(table)).map(([name, value]) => ({
    name,
    value: fill(value as string, placeholders),
  }));
}

/** The format says nothing of effects: the operator chooses at grant, and until then a call may write. */
function declaredTool(name: string, description: string): Tool {
  return {
    name,
    description,
    input: { type: 'object' },
    annotations: {},
    effect: 'write',
    effectDeclared: false,
    idempotent: false,
    untrustedInputs: [],
    approval: 'none',
    examples: [],
    action: { kind: 'upstream', program: extensionProgram, tool: name },
  };
}

function isHookPoint(name: string): name is HookPoint {
  return (hookPoints as readonly string[]).includes(name);
}

function hooks(names: readonly string[], priority: number): Hook[] {
  return names.filter(isHookPoint).map((point) => ({ point, program: extensionProgram, priority }));
}

/** The child receives these variables and no others. */
function slot(variable: string): Slot {
  return {
    name: variable,
    label: variable,
    secret: true,
    required: true,
    type: 'text',
    source: { kind: 'operator' },
    delivery: { kind: 'environment', variable },
    audience: { kind: 'unbound' },
  };
}

function facts(manifest: JsonObject, servers: JsonObject): Fact[] {
  const capabilities = tableAt(manifest.capabilities);
  const shown: Fact[] = capabilityLists
    .filter((it) => it !== 'tools' && it !== 'hooks' && list(capabilities[it]).length > 0)
    .map((it) => ({ label: it, value: capabilities[it] as Json }));
  const unasked = list(capabilities.hooks).filter((it) => !isHookPoint(it));
  if (unasked.length > 0) shown.push({ label: 'hooks this host never asks', value: unasked });
  if (manifest.outbound_bindings !== undefined)
    shown.push({ label: 'outbound bindings', value: manifest.outbound_bindings });
  for (const [name, server] of Object.entries(servers)) {
    const level = tableAt(server).log_level;
    if (level !== undefined) shown.push({ label: `log level of ${name}`, value: level });
  }
  const meta = Object.entries(tableAt(manifest.meta));
  return [...shown, ...meta.map(([label, value]) => ({ label: label.replaceAll('_', ' '), value }))];
}
