// Computes the new text of a client's configuration file. Does not access the disk.
import { basename, posix, win32 } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import type { Client } from './client.js';
import { configuredServer } from './configured-server.js';
import { type SettingsPath, SettingsProblem } from './syntax/settings-syntax.js';

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
export function findEntry(settings: ClientSettings, ref: ServerEntryRef): JsonObject | undefined {
  const value = located(settings, () =>
    ref.client.syntax.find(bare(settings.text), entryPath(settings, ref)),
  );
  if (value === undefined || isObject(value)) return value;
  throw unparsable(settings.file, undefined, `${JSON.stringify(ref.name)} is not an object`);
}

/** All entries of the file, by name. */
export function entriesOf(settings: ClientSettings, client: Client): ReadonlyMap<string, Json> {
  const value = located(settings, () =>
    client.syntax.find(bare(settings.text), containerOf(settings, client)),
  );
  if (client.isList === true)
    return new Map(
      (Array.isArray(value) ? value : []).flatMap((it) =>
        isObject(it) && typeof it.name === 'string' ? [[it.name, it]] : [],
      ),
    );
  return new Map(isObject(value) ? Object.entries(value) : []);
}

/** Names that several elements of a list have. Members of an object have different names. */
export function repeatedNames(settings: ClientSettings, client: Client): readonly string[] {
  if (client.isList !== true) return [];
  const value = located(settings, () =>
    client.syntax.find(bare(settings.text), containerOf(settings, client)),
  );
  const names = (Array.isArray(value) ? value : []).map((it) => (isObject(it) ? it.name : undefined));
  return names.filter((it, at): it is string => typeof it === 'string' && names.indexOf(it) !== at);
}

/** The text with one more entry, exactly as it is given. */
export function withEntry(settings: ClientSettings, ref: ServerEntryRef, entry: Json): string {
  const text = bare(settings.text);
  const path = entryPath(settings, ref);
  return lead(settings) + located(settings, () => ref.client.syntax.set(text, path, entry));
}

/** Where an entry is in the file. */
export function entryPath(settings: ClientSettings, { client, name }: ServerEntryRef): SettingsPath {
  return [...containerOf(settings, client), client.isList === true ? { named: name } : name];
}

function containerOf(
  settings: ClientSettings,
  { syntax, container, earlierContainer }: Client,
): readonly string[] {
  if (earlierContainer === undefined) return container;
  const value = located(settings, () => syntax.find(bare(settings.text), earlierContainer));
  const isUsed = isObject(value) && Object.values(value).some((it) => configuredServer(it).kind !== 'other');
  return isUsed ? earlierContainer : container;
}

/** Adds the entry or updates it. Members that a person added stay. */
export function addEntry(
  settings: ClientSettings,
  ref: ServerEntryRef,
  entry: JsonObject,
  force: boolean,
): SettingsEdit {
  const present = findEntry(settings, ref);
  const path = entryPath(settings, ref);
  const { syntax } = ref.client;
  const text = bare(settings.text);
  const done = (status: SettingsEdit['status'], newText: string): SettingsEdit => ({
    status,
    text: lead(settings) + newText,
  });
  const set = (at: SettingsPath, value: Json) => (before: string) =>
    located(settings, () => syntax.set(before, at, value));
  if (present === undefined) return done('added', set(path, entry)(text));
  if (!isToolwharfEntry(present)) {
    if (!force)
      throw foreign(
        settings.file,
        ref.name,
        'choose another name with --name, or replace the entry with --force',
      );
    return done('changed', set(path, entry)(text));
  }
  let newText = text;
  for (const member of ref.client.managed) {
    const value = Object.hasOwn(entry, member) ? entry[member] : undefined;
    const before = Object.hasOwn(present, member) ? present[member] : undefined;
    const next = isObject(value) && isObject(before) ? { ...before, ...value } : value;
    if (next === undefined)
      newText = before === undefined ? newText : syntax.remove(newText, [...path, member]);
    else if (before === undefined || canonicalJson(before) !== canonicalJson(next))
      newText = set([...path, member], next)(newText);
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
  const removed = located(settings, () =>
    ref.client.syntax.remove(bare(settings.text), entryPath(settings, ref)),
  );
  return { status: 'removed', text: lead(settings) + removed };
}

/**
 * Whether the entry looks like one that Toolwharf wrote: our command or one of our tokens. Anybody can write such an entry;
 * see own-program.ts.
 */
export function isToolwharfEntry(entry: Json): boolean {
  const server = configuredServer(entry);
  if (server.kind === 'program') {
    const program = nameOf(server.command);
    if (program === 'toolwharf') return server.args[0] === 'mcp';
    const [script = '', verb] = server.args;
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
  const server = configuredServer(entry);
  return server.kind === 'url' ? server.url : undefined;
}

function authorizationOf(entry: Json): string | undefined {
  const server = configuredServer(entry);
  return server.kind === 'url' ? server.headers.Authorization : undefined;
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

/** Adds the file to a problem with its text. */
function located<T>({ file }: ClientSettings, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SettingsProblem) throw unparsable(file, error, error.message);
    throw error;
  }
}

function unparsable(
  file: string,
  place: { readonly line: number; readonly column: number } | undefined,
  message: string,
): HostError {
  const where = place === undefined ? file : `${file}, line ${place.line}, column ${place.column}`;
  return new HostError('invalid_config', `${where}: ${message}; nothing was written`, {
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
