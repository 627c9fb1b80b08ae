// What the file of a client becomes. Nothing here touches a disk.
import { basename, posix, win32 } from 'node:path';
import { getNodeValue, type Node } from 'jsonc-parser';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Client } from './client.js';
import { keyOf, membersOf, memberValue, mistakeAt, parseJsonc, removeMember, setMember } from './jsonc.js';
import { ownMembers } from './shape.js';

/** The variable that an entry refers to where the token itself must not be in the file. */
export const tokenVariable = 'TOOLWHARF_TOKEN';

export interface Settings {
  /** As people know the file. */
  readonly file: string;
  /** Undefined where there is no file. */
  readonly text: string | undefined;
}

export interface Slot {
  readonly client: Client;
  readonly name: string;
}

export interface Planned {
  readonly status: 'added' | 'changed' | 'unchanged' | 'removed' | 'absent';
  readonly text: string;
}

const mark = '\uFEFF';

/** The entry of that name; undefined where there is none. Refuses a file that it cannot understand. */
export function entryIn(settings: Settings, { client, name }: Slot): JsonObject | undefined {
  const text = bare(settings.text);
  const parsed = parseJsonc(text);
  if (!parsed.ok) {
    const { line, column, message } = parsed.mistake;
    throw refusal(settings.file, `line ${line}, column ${column}`, message);
  }
  const servers = objectAt(settings.file, text, parsed.root, client.container);
  const entry = servers && only(settings.file, text, servers, name);
  if (entry === undefined) return undefined;
  const value = getNodeValue(entry) as Json;
  if (!isObject(value)) throw wrongAt(settings.file, text, entry, `${JSON.stringify(name)} is no object`);
  return value;
}

/** Adds the entry, or brings it up to date; what a person added to it stays. */
export function withEntry(settings: Settings, slot: Slot, wanted: JsonObject, force: boolean): Planned {
  const present = entryIn(settings, slot);
  const path = [slot.client.container, slot.name];
  const text = bare(settings.text);
  const done = (status: Planned['status'], made: string): Planned => ({
    status,
    text: lead(settings) + made,
  });
  if (present === undefined) return done('added', setMember(text, path, wanted));
  if (!isOurs(present)) {
    if (!force)
      throw foreign(
        settings.file,
        slot.name,
        'give ours another name with --name, or replace it with --force',
      );
    return done('changed', setMember(text, path, wanted));
  }
  let made = text;
  for (const member of ownMembers) {
    const value = Object.hasOwn(wanted, member) ? wanted[member] : undefined;
    const before = Object.hasOwn(present, member) ? present[member] : undefined;
    const next =
      member === 'headers' && isObject(value) && isObject(before) ? { ...before, ...value } : value;
    if (next === undefined) made = before === undefined ? made : removeMember(made, [...path, member]);
    else if (before === undefined || canonicalJson(before) !== canonicalJson(next))
      made = setMember(made, [...path, member], next);
  }
  return done(made === text ? 'unchanged' : 'changed', made);
}

/** Takes out the entry and nothing else. */
export function withoutEntry(settings: Settings, slot: Slot, force: boolean): Planned {
  const present = entryIn(settings, slot);
  const text = settings.text ?? '';
  if (present === undefined) return { status: 'absent', text };
  if (!isOurs(present) && !force)
    throw foreign(settings.file, slot.name, 'name ours with --name, or take this one out with --force');
  return {
    status: 'removed',
    text: lead(settings) + removeMember(bare(settings.text), [slot.client.container, slot.name]),
  };
}

/** Whether an entry has the shape that Toolwharf writes: our command, or one of our tokens. */
export function isOurs(entry: JsonObject): boolean {
  const { command, args } = entry;
  if (typeof command === 'string' && Array.isArray(args)) {
    const words = args.filter((it): it is string => typeof it === 'string');
    const program = nameOf(command);
    if (program === 'toolwharf') return words[0] === 'mcp';
    const [script = '', verb] = words;
    return program === 'node' && verb === 'mcp' && /(?:^|[\\/])dist[\\/]main\.c?js$/.test(script);
  }
  const held = authorizationOf(entry) ?? '';
  return /^Bearer tw_[\w-]+$/.test(held) || (held.startsWith('Bearer ') && held.includes(tokenVariable));
}

/** The token that is written in an entry; undefined for a reference to one. */
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

/** The text without its byte order mark, which no parser of JSON wants to see. */
function bare(text: string | undefined): string {
  return text?.startsWith(mark) ? text.slice(1) : (text ?? '');
}

function lead({ text }: Settings): string {
  return text?.startsWith(mark) ? mark : '';
}

function objectAt(file: string, text: string, root: Node | undefined, key: string): Node | undefined {
  if (root === undefined) return undefined;
  if (root.type !== 'object') throw wrongAt(file, text, root, 'the whole of it is no object');
  const node = only(file, text, root, key);
  if (node === undefined || node.type === 'object') return node;
  throw wrongAt(file, text, node, `${JSON.stringify(key)} is no object`);
}

/** Programs differ in which of two equal names counts, so neither is edited. */
function only(file: string, text: string, object: Node, key: string): Node | undefined {
  const [first, second] = membersOf(object).filter((it) => keyOf(it) === key);
  if (second !== undefined) throw wrongAt(file, text, second, `${JSON.stringify(key)} occurs twice`);
  return first && memberValue(first);
}

function wrongAt(file: string, text: string, node: Node, message: string): HostError {
  const { line, column } = mistakeAt(text, node.offset, message);
  return refusal(file, `line ${line}, column ${column}`, message);
}

function refusal(file: string, place: string, message: string): HostError {
  return new HostError('invalid_config', `${file}, ${place}: ${message}; nothing was written`, {
    hint: 'mend it there, then run this again; --print shows what to add by hand',
  });
}

function foreign(file: string, name: string, hint: string): HostError {
  return new HostError('usage', `${file} has a server ${JSON.stringify(name)} that Toolwharf did not write`, {
    hint,
  });
}
