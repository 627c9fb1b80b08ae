// Computes the new text of a client's configuration file. Does not access the disk.
import { basename, posix, win32 } from 'node:path';
import { getNodeValue, type Node } from 'jsonc-parser';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Client } from './client.js';
import {
  jsoncErrorAt,
  keyOf,
  memberValue,
  objectMembers,
  parseJsonc,
  removeMember,
  setMember,
} from './jsonc.js';
import { managedMembers } from './server-entry.js';

/** The environment variable that an entry refers to if the token itself must not be in the file. */
export const tokenVariable = 'TOOLWHARF_TOKEN';

export interface ClientSettings {
  /** Path for messages. */
  readonly file: string;
  /** Undefined if the file does not exist. */
  readonly text: string | undefined;
}

export interface ServerEntryRef {
  readonly client: Client;
  readonly name: string;
}

export interface SettingsEdit {
  readonly status: 'added' | 'changed' | 'unchanged' | 'removed' | 'absent';
  readonly text: string;
}

const byteOrderMark = '\uFEFF';

/** The entry with that name; undefined if there is none. Fails if the file cannot be parsed. */
export function findEntry(
  settings: ClientSettings,
  { client, name }: ServerEntryRef,
): JsonObject | undefined {
  const text = bare(settings.text);
  const parsed = parseJsonc(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.error;
    throw unparsable(settings.file, `line ${line}, column ${column}`, message);
  }
  const servers = objectAt(settings.file, text, parsed.root, client.container);
  const entry = servers && only(settings.file, text, servers, name);
  if (entry === undefined) return undefined;
  const value = getNodeValue(entry) as Json;
  if (!isObject(value)) throw wrongAt(settings.file, text, entry, `${JSON.stringify(name)} is not an object`);
  return value;
}

/** Adds the entry or updates it. Members that a person added stay. */
export function addEntry(
  settings: ClientSettings,
  ref: ServerEntryRef,
  entry: JsonObject,
  force: boolean,
): SettingsEdit {
  const present = findEntry(settings, ref);
  const path = [ref.client.container, ref.name];
  const text = bare(settings.text);
  const done = (status: SettingsEdit['status'], newText: string): SettingsEdit => ({
    status,
    text: lead(settings) + newText,
  });
  if (present === undefined) return done('added', setMember(text, path, entry));
  if (!isToolwharfEntry(present)) {
    if (!force)
      throw foreign(
        settings.file,
        ref.name,
        'choose another name with --name, or replace the entry with --force',
      );
    return done('changed', setMember(text, path, entry));
  }
  let newText = text;
  for (const member of managedMembers) {
    const value = Object.hasOwn(entry, member) ? entry[member] : undefined;
    const before = Object.hasOwn(present, member) ? present[member] : undefined;
    const next =
      member === 'headers' && isObject(value) && isObject(before) ? { ...before, ...value } : value;
    if (next === undefined)
      newText = before === undefined ? newText : removeMember(newText, [...path, member]);
    else if (before === undefined || canonicalJson(before) !== canonicalJson(next))
      newText = setMember(newText, [...path, member], next);
  }
  return done(newText === text ? 'unchanged' : 'changed', newText);
}

/** Removes the entry and nothing else. */
export function removeEntry(settings: ClientSettings, ref: ServerEntryRef, force: boolean): SettingsEdit {
  const present = findEntry(settings, ref);
  const text = settings.text ?? '';
  if (present === undefined) return { status: 'absent', text };
  if (!isToolwharfEntry(present) && !force)
    throw foreign(
      settings.file,
      ref.name,
      'name the Toolwharf entry with --name, or remove this one with --force',
    );
  return {
    status: 'removed',
    text: lead(settings) + removeMember(bare(settings.text), [ref.client.container, ref.name]),
  };
}

/** Whether Toolwharf wrote the entry: it has our command or one of our tokens. */
export function isToolwharfEntry(entry: JsonObject): boolean {
  const { command, args } = entry;
  if (typeof command === 'string' && Array.isArray(args)) {
    const strings = args.filter((it): it is string => typeof it === 'string');
    const program = nameOf(command);
    if (program === 'toolwharf') return strings[0] === 'mcp';
    const [script = '', verb] = strings;
    return program === 'node' && verb === 'mcp' && /(?:^|[\\/])dist[\\/]main\.c?js$/.test(script);
  }
  const authorization = authorizationOf(entry) ?? '';
  return (
    /^Bearer tw_[\w-]+$/.test(authorization) ||
    (authorization.startsWith('Bearer ') && authorization.includes(tokenVariable))
  );
}

/** The token in an entry; undefined if the entry refers to a variable or has none. */
export function tokenOf(entry: JsonObject | undefined): string | undefined {
  return /^Bearer (tw_[\w-]+)$/.exec((entry && authorizationOf(entry)) ?? '')?.[1];
}

export function urlOf(entry: JsonObject): string | undefined {
  const url = entry.url ?? entry.httpUrl ?? entry.serverUrl;
  return typeof url === 'string' ? url : undefined;
}

function authorizationOf(entry: JsonObject): string | undefined {
  const value = isObject(entry.headers) ? entry.headers.Authorization : undefined;
  return typeof value === 'string' ? value : undefined;
}

function nameOf(command: string): string {
  const name = command.includes('\\') ? win32.basename(command) : posix.basename(command);
  return basename(name.toLowerCase()).replace(/\.(?:exe|cmd)$/, '');
}

/** The text without its byte order mark, which a JSON parser rejects. */
function bare(text: string | undefined): string {
  return text?.startsWith(byteOrderMark) ? text.slice(1) : (text ?? '');
}

function lead({ text }: ClientSettings): string {
  return text?.startsWith(byteOrderMark) ? byteOrderMark : '';
}

function objectAt(file: string, text: string, root: Node | undefined, key: string): Node | undefined {
  if (root === undefined) return undefined;
  if (root.type !== 'object') throw wrongAt(file, text, root, 'the file is not a JSON object');
  const node = only(file, text, root, key);
  if (node === undefined || node.type === 'object') return node;
  throw wrongAt(file, text, node, `${JSON.stringify(key)} is not an object`);
}

/** Fails on duplicate keys: programs differ in which one they use, so neither is edited. */
function only(file: string, text: string, object: Node, key: string): Node | undefined {
  const [first, second] = objectMembers(object).filter((it) => keyOf(it) === key);
  if (second !== undefined) throw wrongAt(file, text, second, `${JSON.stringify(key)} occurs twice`);
  return first && memberValue(first);
}

function wrongAt(file: string, text: string, node: Node, message: string): HostError {
  const { line, column } = jsoncErrorAt(text, node.offset, message);
  return unparsable(file, `line ${line}, column ${column}`, message);
}

function unparsable(file: string, place: string, message: string): HostError {
  return new HostError('invalid_config', `${file}, ${place}: ${message}; nothing was written`, {
    hint: 'fix the file, then run this again; --print shows what to add by hand',
  });
}

function foreign(file: string, name: string, hint: string): HostError {
  return new HostError(
    'usage',
    `${file} already has a server ${JSON.stringify(name)} that Toolwharf did not write`,
    {
      hint,
    },
  );
}
