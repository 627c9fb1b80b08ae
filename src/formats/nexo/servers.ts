import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import type { NexoReport } from './codes.js';
import { asTable, checkForeignFields, checkKindField, readKind, serverKind } from './kind-field.js';
import {
  checkPlaceholders,
  fillKnown,
  type PlaceholderDestination,
  type Placeholders,
} from './placeholders.js';
import { checkCommand, checkUrl, resolveInFolder } from './target-rules.js';

/** Properties of the extension that its MCP servers refer to. */
export interface ServerContext {
  readonly id: string;
  readonly version: string;
  readonly agentVersion: string;
  /** Names in [requires] env. */
  readonly variables: ReadonlySet<string>;
}

const processFields = ['command', 'args', 'env', 'cwd'];
const urlFields = ['url', 'headers'];
const fieldsByKind: Readonly<Record<string, readonly string[]>> = {
  stdio: processFields,
  streamable_http: urlFields,
  sse: urlFields,
  auto: urlFields,
};

function ownFields(kind: string): readonly string[] {
  return Object.hasOwn(fieldsByKind, kind) ? (fieldsByKind[kind] as readonly string[]) : [];
}

/** How a server is reached. A sidecar may omit the kind; then `command` or `url` decides. */
export function serverTarget(server: JsonObject): 'process' | 'url' | undefined {
  const kind = readKind(server, serverKind);
  if (kind !== undefined) return kind === 'stdio' ? 'process' : 'url';
  if (typeof server.command === 'string') return 'process';
  return typeof server.url === 'string' ? 'url' : undefined;
}

/** The folder of the package in which a server starts; null when it is outside the package. */
export function serverFolder(server: JsonObject, context: ServerContext): string | null {
  if (typeof server.cwd !== 'string') return '';
  const path = fillKnown(server.cwd, placeholdersIn('', context));
  // On other systems, backslashes and drive letters can leave the folder.
  return /^\/|^[A-Za-z]:|[\\\0]/.test(path) ? null : resolveInFolder('', path);
}

/** EXTENSION_ROOT is relative to `folder`, where the process starts: so it is correct wherever the package is. */
export function placeholdersIn(folder: string, context: ServerContext): Placeholders {
  const up = folder === '' ? '.' : folder.replace(/[^/]+/g, '..');
  return {
    values: {
      EXTENSION_ROOT: up,
      EXTENSION_ID: context.id,
      EXTENSION_VERSION: context.version,
      AGENT_VERSION: context.agentVersion,
    },
    variables: context.variables,
  };
}

/** Checks the servers of a manifest or a sidecar. `closed`: unknown fields are errors (manifest only). */
export function checkServers(
  report: NexoReport,
  servers: Json | undefined,
  path: JsonPath,
  context: ServerContext & { readonly closed: boolean },
): void {
  for (const [name, value] of Object.entries(asTable(servers))) {
    const at = [...path, name];
    checkName(report, name, at);
    if (isObject(value)) checkServer(report, value, at, context);
  }
}

function checkName(report: NexoReport, name: string, at: JsonPath): void {
  if (!/^[a-z][a-z0-9_-]*$/.test(name)) {
    const hint = 'start with a lowercase letter, then use lowercase letters, digits, "_" and "-"';
    report.at('nexo.server-name', at, `the server name ${show(name)} is not valid`, { hint, spot: 'key' });
  }
  if ([...name].length > 32) {
    const message = `the server name ${show(name)} has ${[...name].length.toLocaleString('en')} characters; it must have at most 32`;
    report.at('nexo.server-name-length', at, message, { spot: 'key' });
  }
}

function checkServer(
  report: NexoReport,
  server: JsonObject,
  at: JsonPath,
  context: ServerContext & { readonly closed: boolean },
): void {
  checkKindField(report, server, serverKind, at);
  const kind = readKind(server, serverKind);
  const target = serverTarget(server);
  if (context.closed && kind !== undefined) checkForeignFields(report, server, kind, fieldsByKind, at);
  if (!context.closed && target !== undefined) checkUnused(report, server, at, target);
  if (!context.closed && target === undefined && kind === undefined) {
    report.at('nexo.server-without-target', at, `the server ${show(at.at(-1))} has neither command nor url`, {
      hint: 'add "command" to start a program, or "url" to reach one',
      spot: 'key',
    });
  }
  const folder = checkFolder(report, server, at, context);
  checkTarget(report, server, at, { folder, closed: context.closed, context });
  checkEnvironment(report, server, at);
  checkHeaders(report, server, at);
  checkServerPlaceholders(report, server, at, context.variables);
  if (kind === 'sse') {
    const message = 'this host does not support the old SSE transport; it uses streamable HTTP instead';
    report.at('field.not-acted-on', [...at, Object.hasOwn(server, 'type') ? 'type' : 'transport'], message);
  }
  if (Object.hasOwn(server, 'log_level')) {
    const message = 'this host does not set log levels; it only displays log_level';
    report.at('field.not-acted-on', [...at, 'log_level'], message, { spot: 'key' });
  }
}

/** Reports fields that are ignored because `command` or `url` takes precedence. */
function checkUnused(report: NexoReport, server: JsonObject, at: JsonPath, target: 'process' | 'url'): void {
  for (const key of target === 'process' ? urlFields : processFields) {
    if (!Object.hasOwn(server, key)) continue;
    const reason = target === 'process' ? 'the server has a command' : 'the server has a url';
    report.at('field.not-acted-on', [...at, key], `"${key}" is not used: ${reason}`, { spot: 'key' });
  }
}

function checkFolder(report: NexoReport, server: JsonObject, at: JsonPath, context: ServerContext): string {
  const folder = serverFolder(server, context);
  if (folder !== null) return folder;
  const where = [...at, 'cwd'];
  report.at('file.path-escape', where, `${pathName(where)} ${show(server.cwd)} is not inside the package`, {
    hint: 'name a folder of the package, or remove cwd to start in the package root',
  });
  return '';
}

function checkTarget(
  report: NexoReport,
  server: JsonObject,
  at: JsonPath,
  { folder, closed, context }: { folder: string; closed: boolean; context: ServerContext },
): void {
  const placeholders = placeholdersIn(folder, context);
  const { command, args, url } = server;
  const kind = readKind(server, serverKind);
  // In a closed table, fields of another kind are already reported.
  const applies = (key: string) => !closed || kind === undefined || ownFields(kind).includes(key);
  if (applies('command') && typeof command === 'string') {
    const hasArguments = Array.isArray(args) && args.length > 0;
    const text = fillKnown(command, placeholders);
    checkCommand(report, text, [...at, 'command'], { written: command, folder, hasArguments });
  }
  if (applies('url') && typeof url === 'string')
    checkUrl(report, fillKnown(url, placeholders), [...at, 'url']);
}

function checkEnvironment(report: NexoReport, server: JsonObject, at: JsonPath): void {
  for (const name of Object.keys(asTable(server.env))) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) continue;
    const message = `${show(name)} in ${pathName([...at, 'env'])} is not a valid variable name`;
    report.at('nexo.env-name', [...at, 'env', name], message, {
      hint: 'use letters, digits and "_", such as LOG_FILE',
      spot: 'key',
    });
  }
}

function checkHeaders(report: NexoReport, server: JsonObject, at: JsonPath): void {
  for (const [name, value] of Object.entries(asTable(server.headers))) {
    const where = [...at, 'headers', name];
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
      const message = `${show(name)} in ${pathName([...at, 'headers'])} is not a valid header name`;
      report.at('nexo.header', where, message, { hint: 'use letters, digits and "-"', spot: 'key' });
    }
    if (typeof value === 'string' && !/^[\t\x20-\x7e]*$/.test(value)) {
      const message = `the header ${show(name)} contains a character that is not allowed in a header`;
      report.at('nexo.header', where, message, { hint: 'use printable ASCII on one line' });
    }
  }
}

function checkServerPlaceholders(
  report: NexoReport,
  server: JsonObject,
  at: JsonPath,
  variables: ReadonlySet<string>,
): void {
  const check = (value: Json | undefined, where: JsonPath, destination: PlaceholderDestination) => {
    if (typeof value === 'string') checkPlaceholders(report, value, where, destination, variables);
  };
  check(server.command, [...at, 'command'], 'argument');
  check(server.cwd, [...at, 'cwd'], 'argument');
  check(server.url, [...at, 'url'], 'url');
  const args = Array.isArray(server.args) ? server.args : [];
  for (const [index, item] of args.entries()) check(item, [...at, 'args', index], 'argument');
  for (const [name, value] of Object.entries(asTable(server.env)))
    check(value, [...at, 'env', name], 'environment');
  for (const [name, value] of Object.entries(asTable(server.headers)))
    check(value, [...at, 'headers', name], 'header');
}
