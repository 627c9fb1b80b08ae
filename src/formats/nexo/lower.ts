import { noGuardrails } from '../../model/guardrails.js';
import type { Json, JsonObject } from '../../model/json.js';
import { type Fact, type Hook, type HookPoint, hookPoints, type Package } from '../../model/package.js';
import type { Permissions } from '../../model/permissions.js';
import type { EnvironmentVariable, Program, ProgramTarget } from '../../model/program.js';
import type { Slot } from '../../model/slot.js';
import { type Template, textTemplate } from '../../model/template.js';
import type { Tool } from '../../model/tool.js';
import { defaultPermissions, undeclaredEffect } from '../default-profile.js';
import { interpreterOf } from '../interpreter.js';
import { asTable, readKind, transportKind } from './kind-field.js';
import { fillKnown, type Placeholders, toTemplate } from './placeholders.js';
import { capabilityLists } from './rules.js';
import { placeholdersIn, type ServerContext, serverFolder, serverTarget } from './servers.js';

/** Program name of the extension itself. MCP server names cannot contain "@", so the names never collide. */
export const extensionProgram = '@extension';

/** Converts a manifest without errors to a package. Tool descriptions and schemas are announced when it starts. */
export function lower(manifest: JsonObject, servers: JsonObject, context: ServerContext): Package {
  const plugin = asTable(manifest.plugin);
  const capabilities = asTable(manifest.capabilities);
  const name = (plugin.name as string | undefined) || context.id;
  const description = (plugin.description as string | undefined) || name;
  const minAgentVersion = plugin.min_agent_version as string | undefined;
  const programs = [
    extension(manifest),
    ...Object.entries(servers).map(([server, table]) => mcpServer(server, asTable(table), context)),
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
      binaries: [...new Set(list(asTable(manifest.requires).bins))],
      ...(minAgentVersion === undefined ? {} : { hostVersion: minAgentVersion }),
    },
    slots: [...context.variables].map(slot),
    permissions: permissionsOf(programs),
    guardrails: noGuardrails,
    install: { kind: 'bundled' },
    announcesTools: true,
    targets: [],
    ...notServed(manifest),
    facts: facts(manifest, servers),
  };
}

function list(value: Json | undefined): readonly string[] {
  return (value as readonly string[] | undefined) ?? [];
}

/** The default permissions are for programs that this host starts. Remote programs only need their hosts. */
function permissionsOf(programs: readonly Program[]): Permissions {
  if (programs.some((it) => it.target.kind === 'process')) return defaultPermissions;
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
    target: extensionTarget(asTable(manifest.transport)),
    callerContext: asTable(manifest.context).passthrough === true,
  };
}

function extensionTarget(transport: JsonObject): ProgramTarget {
  const kind = readKind(transport, transportKind);
  if (kind === 'nats') return { kind: 'nats', subjectPrefix: transport.subject_prefix as string };
  if (kind === 'http') return { kind: 'url', url: transport.url as string, headers: [] };
  return {
    ...processTarget(transport, textTemplate),
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
    ...processTarget(server, (it) => toTemplate(it, placeholders)),
    directory,
    environment: variables(server.env, placeholders),
  };
}

/**
 * If the command is a bare interpreter name and the script is in the package, the host's interpreter runs it. A script
 * outside the package belongs to an installed program, so its command stays unchanged.
 */
function processTarget({ command, args }: JsonObject, toArgument: (text: string) => Template) {
  const [script = ''] = list(args);
  const runtime = leavesPackage(script) ? undefined : interpreterOf(command as string);
  const argv = runtime === undefined ? [command as string, ...list(args)] : list(args);
  return {
    kind: 'process',
    command: argv.map(toArgument),
    ...(runtime === undefined ? {} : { runtime }),
  } as const;
}

function leavesPackage(path: string): boolean {
  return /^[/\\]|^[A-Za-z]:|\\|\0/.test(path) || path.split('/').includes('..');
}

function variables(table: Json | undefined, placeholders: Placeholders): EnvironmentVariable[] {
  return Object.entries(asTable(table)).map(([name, value]) => ({
    name,
    value: toTemplate(value as string, placeholders),
  }));
}

function declaredTool(name: string, description: string): Tool {
  return {
    name,
    description,
    input: { type: 'object' },
    ...undeclaredEffect,
    action: { kind: 'upstream', program: extensionProgram, tool: name },
  };
}

function isHookPoint(name: string): name is HookPoint {
  return (hookPoints as readonly string[]).includes(name);
}

function hooks(names: readonly string[], priority: number): Hook[] {
  return names.filter(isHookPoint).map((point) => ({ point, program: extensionProgram, priority }));
}

/** The process receives only these environment variables. */
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

/** Capabilities that this host has no use for. */
function notServed(manifest: JsonObject): Pick<Package, 'notServed'> {
  const capabilities = asTable(manifest.capabilities);
  const result: Fact[] = capabilityLists
    .filter((it) => it !== 'tools' && it !== 'hooks' && list(capabilities[it]).length > 0)
    .map((it) => ({ label: it, value: capabilities[it] as Json }));
  const unknownHooks = list(capabilities.hooks).filter((it) => !isHookPoint(it));
  if (unknownHooks.length > 0) result.push({ label: 'hooks', value: unknownHooks });
  if (manifest.outbound_bindings !== undefined)
    result.push({ label: 'outbound bindings', value: manifest.outbound_bindings });
  return result.length === 0 ? {} : { notServed: result };
}

function facts(manifest: JsonObject, servers: JsonObject): Fact[] {
  const result: Fact[] = [];
  for (const [name, server] of Object.entries(servers)) {
    const level = asTable(server).log_level;
    if (level !== undefined) result.push({ label: `log level of ${name}`, value: level });
  }
  const meta = Object.entries(asTable(manifest.meta));
  return [...result, ...meta.map(([label, value]) => ({ label: label.replaceAll('_', ' '), value }))];
}
