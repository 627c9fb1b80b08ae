import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';
import { checkCommand, checkUrl, insidePackage } from './address.js';
import { checkForeign, checkKind, kindOf, serverKind, tableAt } from './kind.js';
import { checkPlaceholders, type Destination, fillKnown, type Placeholders } from './placeholders.js';

/** What is known of the extension while its MCP servers are read. */
export interface ServerContext {
  readonly id: string;
  readonly version: string;
  readonly agentVersion: string;
  readonly variables: ReadonlySet<string>;
}

const local = ['command', 'args', 'env', 'cwd'];
const remote = ['url', 'headers'];
const fields: Readonly<Record<string, readonly string[]>> = {
  stdio: local,
  streamable_http: remote,
  sse: remote,
  auto: remote,
};

function ownFields(kind: string): readonly string[] {
  return Object.hasOwn(fields, kind) ? (fields[kind] as readonly string[]) : [];
}

/** How a server is reached; a sidecar may leave its kind out. */
export function serverTarget(server: JsonObject): 'process' | 'url' | undefined {
  const kind = kindOf(server, serverKind);
  if (kind !== undefined) return kind === 'stdio' ? 'process' : 'url';
  if (typeof server.command === 'string') return 'process';
  return typeof server.url === 'string' ? 'url' : undefined;
}

/** The folder of the package in which a server starts; null when it is none. */
export function serverFolder(server: JsonObject, context: ServerContext): string | null {
  if (typeof server.cwd !== 'string') return '';
  const path = fillKnown(server.cwd, placeholdersIn('', context));
  // Backslashes and drive letters are ways out of a folder on other systems.
  return /^\/|^[A-Za-z]:|[\\\0]/.test(path) ? null : insidePackage('', path);
}

/** A process starts in `folder`, so the way to the root is a relative one that holds wherever it is mounted. */
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

/** Rules for the servers of a manifest, or of a sidecar, whose fields are not closed. */
export function checkServers(
  report: Report,
  servers: Json | undefined,
  path: JsonPath,
  context: ServerContext & { readonly closed: boolean },
): void {
  for (const [name, value] of Object.entries(tableAt(servers))) {
    const at = [...path, name];
    checkName(report, name, at);
    if (isObject(value)) checkServer(report, value, at, context);
  }
}

function checkName(report: Report, name: string, at: JsonPath): void {
  if (!/^[a-z][a-z0-9_-]*$/.test(name)) {
    const hint = 'start with a lower-case letter; go on with lower-case letters, digits, "_" and "-"';
    report.at('nexo.server-name', at, `the server name ${show(name)} is not allowed`, { hint, spot: 'key' });
  }
  if ([...name].length > 32) {
    const message = `the server name ${show(name)} has ${[...name].length.toLocaleString('en')} characters; at most 32`;
    report.at('nexo.server-name-length', at, message, { spot: 'key' });
  }
}

function checkServer(
  report: Report,
  server: JsonObject,
  at: JsonPath,
  context: ServerContext & { readonly closed: boolean },
): void {
  checkKind(report, server, serverKind, at);
  const kind = kindOf(server, serverKind);
  const target = serverTarget(server);
  if (context.closed && kind !== undefined) checkForeign(report, server, kind, fields, at);
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
  checkFilled(report, server, at, context.variables);
  if (kind === 'sse') {
    const message = 'the old SSE transport is not spoken here; the server is asked over streamable HTTP';
    report.at('field.not-acted-on', [...at, Object.hasOwn(server, 'type') ? 'type' : 'transport'], message);
  }
  if (Object.hasOwn(server, 'log_level')) {
    const message = 'this host sets no log levels; log_level is shown only';
    report.at('field.not-acted-on', [...at, 'log_level'], message, { spot: 'key' });
  }
}

/** Other clients put both into one file; here one of them decides. */
function checkUnused(report: Report, server: JsonObject, at: JsonPath, target: 'process' | 'url'): void {
  for (const key of target === 'process' ? remote : local) {
    if (!Object.hasOwn(server, key)) continue;
    const reason =
      target === 'process' ? 'the server is started by its command' : 'the server is reached by its url';
    report.at('field.not-acted-on', [...at, key], `"${key}" is not used: ${reason}`, { spot: 'key' });
  }
}

function checkFolder(report: Report, server: JsonObject, at: JsonPath, context: ServerContext): string {
  const folder = serverFolder(server, context);
  if (folder !== null) return folder;
  const where = [...at, 'cwd'];
  report.at('file.path-escape', where, `${nameOf(where)} ${show(server.cwd)} is not inside the package`, {
    hint: 'name a folder of the package, or leave it out to start in its root',
  });
  return '';
}

function checkTarget(
  report: Report,
  server: JsonObject,
  at: JsonPath,
  { folder, closed, context }: { folder: string; closed: boolean; context: ServerContext },
): void {
  const placeholders = placeholdersIn(folder, context);
  const { command, args, url } = server;
  const kind = kindOf(server, serverKind);
  // In a closed table, a field of another kind was refused as such.
  const speaks = (key: string) => !closed || kind === undefined || ownFields(kind).includes(key);
  if (speaks('command') && typeof command === 'string') {
    const hasArguments = Array.isArray(args) && args.length > 0;
    const text = fillKnown(command, placeholders);
    checkCommand(report, text, [...at, 'command'], { written: command, folder, hasArguments });
  }
  if (speaks('url') && typeof url === 'string')
    checkUrl(report, fillKnown(url, placeholders), [...at, 'url']);
}

function checkEnvironment(report: Report, server: JsonObject, at: JsonPath): void {
  for (const name of Object.keys(tableAt(server.env))) {
    if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) continue;
    const message = `${show(name)} in ${nameOf([...at, 'env'])} cannot name a variable`;
    report.at('nexo.env-name', [...at, 'env', name], message, {
      hint: 'use letters, digits and "_", such as LOG_FILE',
      spot: 'key',
    });
  }
}

function checkHeaders(report: Report, server: JsonObject, at: JsonPath): void {
  for (const [name, value] of Object.entries(tableAt(server.headers))) {
    const where = [...at, 'headers', name];
    if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) {
      const message = `${show(name)} in ${nameOf([...at, 'headers'])} cannot name a header`;
      report.at('nexo.header', where, message, { hint: 'use letters, digits and "-"', spot: 'key' });
    }
    if (typeof value === 'string' && !/^[\t\x20-\x7e]*$/.test(value)) {
      const message = `the header ${show(name)} holds a character that no header can carry`;
      report.at('nexo.header', where, message, { hint: 'use printable ASCII on one line' });
    }
  }
}

function checkFilled(report: Report, server: JsonObject, at: JsonPath, variables: ReadonlySet<string>): void {
  const check = (value: Json | undefined, where: JsonPath, destination: Destination) => {
    if (typeof value === 'string') checkPlaceholders(report, value, where, destination, variables);
  };
  check(server.command, [...at, 'command'], 'argument');
  check(server.cwd, [...at, 'cwd'], 'argument');
  check(server.url, [...at, 'url'], 'address');
  const args = Array.isArray(server.args) ? server.args : [];
  for (const [index, item] of args.entries()) check(item, [...at, 'args', index], 'argument');
  for (const [name, value] of Object.entries(tableAt(server.env)))
    check(value, [...at, 'env', name], 'environment');
  for (const [name, value] of Object.entries(tableAt(server.headers)))
    check(value, [...at, 'headers', name], 'header');
}
