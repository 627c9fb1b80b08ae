import { existsSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import type { ServerRequest } from '../../host/host.js';
import { isObject, type Json } from '../../model/json.js';
import type { Client } from '../clients/client.js';
import { configuredServer } from '../clients/configured-server.js';
import { isToolwharfEntry } from '../clients/settings-edit.js';
import { type ReferencePlace, resolveReferences } from './variable-reference.js';

/** What one entry of a client's file means for an import. */
export type ConfiguredEntry =
  | { readonly kind: 'ours' }
  /** It stays in the file. */
  | { readonly kind: 'outside'; readonly reason: string; readonly isUsed: boolean }
  | {
      readonly kind: 'server';
      readonly request: Omit<ServerRequest, 'name'>;
      /** Folders that its values and its working folder name, in the syntax of `--allow`. */
      readonly folders: readonly string[];
      readonly notes: readonly string[];
    };

/** Reads one entry. Looks only at whether paths exist. */
export function configuredEntry(value: Json, client: Client, place: ReferencePlace): ConfiguredEntry {
  if (isToolwharfEntry(value)) return { kind: 'ours' };
  const server = configuredServer(value);
  if (server.kind === 'other') return outside(server.reason, false);
  if (server.isDisabled) return outside('it is turned off in the client', false);
  const notes = lostMembers(value);
  if (server.kind === 'url') {
    if (server.isSse || isOlderUrl(value, client))
      return outside('it uses the older SSE transport, which the host does not support');
    const url = resolveReferences(server.url, place);
    if (url.kind === 'unresolved') return outside(url.reason);
    const [variable] = hiddenVariables(url.from, place);
    if (variable !== undefined)
      return outside(`its URL refers to the variable ${variable}, and a URL cannot be sealed`);
    const headers = resolvedValues(server.headers, place);
    if ('reason' in headers) return outside(headers.reason);
    return { kind: 'server', request: { url: url.text, headers: headers.values }, folders: [], notes };
  }
  const env = resolvedValues(server.env, place);
  if ('reason' in env) return outside(env.reason);
  const passed = resolvedValues(Object.fromEntries(server.passedEnv.map((it) => [it, `\${${it}}`])), place);
  if ('reason' in passed) return outside(passed.reason);
  const argv: string[] = [];
  const secretArguments: string[] = [];
  for (const argument of [server.command, ...server.args]) {
    const resolved = resolveReferences(argument, place);
    if (resolved.kind === 'unresolved') return outside(resolved.reason);
    argv.push(resolved.text);
    if (hiddenVariables(resolved.from, place).length > 0) secretArguments.push(resolved.text);
  }
  const cwd = server.cwd === undefined ? undefined : resolveReferences(server.cwd, place);
  if (cwd?.kind === 'unresolved') return outside(cwd.reason);
  const folder = cwd === undefined ? place.project : resolve(place.project ?? place.home, cwd.text);
  const values = { ...env.values, ...passed.values };
  const folders = [
    ...(cwd === undefined || folder === undefined || !existsSync(folder) ? [] : [folder]),
    ...Object.values(values).flatMap(folderOf),
  ];
  return {
    kind: 'server',
    request: {
      command:
        folder === undefined
          ? argv
          : argv.map((it) => (secretArguments.includes(it) ? it : absolutePath(it, folder))),
      env: values,
      secrets: [...env.referring, ...passed.referring],
      ...(secretArguments.length === 0 ? {} : { secretArguments }),
    },
    folders: [...new Set(folders)].map((it) => `read:${it}`),
    notes: [...notes, ...(cwd === undefined ? [] : [`it starts in a folder of its own, not in ${folder}`])],
  };
}

function outside(reason: string, isUsed = true): ConfiguredEntry {
  return { kind: 'outside', reason, isUsed };
}

function resolvedValues(values: Readonly<Record<string, string>>, place: ReferencePlace) {
  const found: Record<string, string> = {};
  const referring: string[] = [];
  for (const [name, text] of Object.entries(values)) {
    const resolved = resolveReferences(text, place);
    if (resolved.kind === 'unresolved') return { reason: resolved.reason };
    found[name] = resolved.text;
    if (hiddenVariables(resolved.from, place).length > 0) referring.push(name);
  }
  return { values: found, referring };
}

/** Who keeps a value out of the file has a reason: these are secrets. A path that exists is not one. */
function hiddenVariables(names: readonly string[], { environment }: ReferencePlace): string[] {
  return names.filter((it) => {
    const value = environment[it] ?? '';
    return !isAbsolute(value) || value.includes('\0') || !existsSync(value);
  });
}

function isOlderUrl(value: Json, { sseMember }: Client): boolean {
  return (
    sseMember !== undefined && isObject(value) && value[sseMember] !== undefined && value.type === undefined
  );
}

/** A path that is written relative to the folder where the client starts the server. */
function absolutePath(argument: string, folder: string): string {
  const [, option = '', text = argument] = /^(--?[A-Za-z][\w-]*=)(.*)$/s.exec(argument) ?? [];
  if (isAbsolute(text) || text.includes('\0') || !/^\.{1,2}(?:\/|$)|^[^-/][^/]*\/|\.[a-z]{1,4}$/i.test(text))
    return argument;
  const path = resolve(folder, text);
  return existsSync(path) ? `${option}${path}` : argument;
}

/** The folder that an absolute path names or is in; none if there is no such folder. */
function folderOf(text: string): string[] {
  if (!isAbsolute(text) || text.includes('\0')) return [];
  const found = [text, dirname(text)].find(
    (it) => statSync(it, { throwIfNoEntry: false })?.isDirectory() === true,
  );
  return found === undefined || found === '/' ? [] : [found];
}

const carriedMembers = new Set([
  ...['name', 'type', 'transport', 'command', 'cmd', 'args', 'env', 'envs', 'environment', 'env_keys'],
  ...['env_vars', 'cwd', 'workingDirectory', 'url', 'httpUrl', 'serverUrl', 'uri', 'headers', 'http_headers'],
  ...[
    'env_http_headers',
    'bearer_token_env_var',
    'requestOptions',
    'disabled',
    'enabled',
    'config',
    'source',
  ],
  ...['description', 'timeout', 'startup_timeout_sec', 'tool_timeout_sec', 'bundled', 'display_name'],
]);

/** Members that the client reads and the host does not, such as tools that need no question. */
function lostMembers(value: Json): string[] {
  const lost = isObject(value) ? Object.keys(value).filter((it) => !carriedMembers.has(it)) : [];
  return lost.length === 0 ? [] : [`these settings of the client are not used: ${lost.join(', ')}`];
}
