import { isAbsolute, join, resolve } from 'node:path';
import { isToolPattern, readRule } from '../../formats/rule.js';
import { suggest } from '../../formats/suggest.js';
import type { DiagnosticCode } from '../../model/codes.js';
import type { Json, JsonPath } from '../../model/json.js';
import type { Rule } from '../../model/rule.js';
import { findHidden } from '../../model/unicode.js';
import type { ConfigKey, ConfigValue } from './config-keys.js';

/** What relative paths and `~` are measured from. */
export interface Surroundings {
  readonly folder: string;
  readonly home: string;
}

export interface Complaint {
  readonly code: DiagnosticCode;
  readonly message: string;
  readonly hint?: string;
  /** Where in the value; the whole of it unless told. */
  readonly at?: JsonPath;
  readonly spot?: 'key';
}

export type CheckedValue =
  | { readonly ok: true; readonly value: ConfigValue }
  | { readonly ok: false; readonly complaints: readonly Complaint[] };

/** One value, checked and made absolute. Everything that is wrong with a list is said at once. */
export function checkValue(key: ConfigKey, value: Json, around: Surroundings): CheckedValue {
  switch (key.kind) {
    case 'switch':
      return typeof value === 'boolean' ? taken(value) : wrongType(key, 'true or false', value);
    case 'whole-number':
      return checkNumber(key, value);
    case 'url':
      return typeof value === 'string'
        ? oneText(checkUrl(key, value))
        : wrongType(key, 'a URL in quotes', value);
    case 'choice':
      return checkChoice(key, value);
    case 'nats-url':
      return typeof value === 'string'
        ? oneText(checkNatsUrl(key, value))
        : wrongType(key, 'a URL in quotes', value);
    case 'path':
    case 'text':
      return typeof value === 'string'
        ? oneText(checkText(key, value, around))
        : wrongType(key, 'a text in quotes', value);
    case 'rules':
      return checkRules(key, value);
    case 'version':
      return typeof value === 'string'
        ? oneText(checkVersion(key, value))
        : wrongType(key, 'a version in quotes', value);
    default:
      return checkList(key, value, around);
  }
}

function checkChoice(key: ConfigKey, value: Json): CheckedValue {
  const choices = key.choices ?? [];
  if (typeof value === 'string' && choices.includes(value)) return taken(value);
  return refused({
    code: 'schema.enum',
    message: `${key.name} is ${JSON.stringify(value)}`,
    hint: `write one of ${choices.map((it) => JSON.stringify(it)).join(', ')}`,
  });
}

function checkNumber(key: ConfigKey, value: Json): CheckedValue {
  if (typeof value !== 'number') return wrongType(key, 'a whole number', value);
  const most = key.most ?? Number.MAX_SAFE_INTEGER;
  if (Number.isInteger(value) && value >= 1 && value <= most) return taken(value);
  return refused({
    code: 'schema.range',
    message: `${key.name} is ${value}`,
    hint: `write a whole number from 1 to ${most.toLocaleString('en')}`,
  });
}

/** Where each was written is added by whoever read the file. */
function checkRules(key: ConfigKey, value: Json): CheckedValue {
  if (!Array.isArray(value)) return wrongType(key, '[[rules]] before each of them', value);
  const rules: Rule[] = [];
  const complaints = (value as readonly Json[]).flatMap((it, index) => {
    const read = readRule(it);
    if (!read.ok) return read.complaints.map((found) => ({ ...found, at: [index, ...found.at] }));
    rules.push({ ...read.rule, origin: { kind: 'session' } });
    return [];
  });
  return complaints.length > 0 ? { ok: false, complaints } : taken(rules);
}

function checkList(key: ConfigKey, value: Json, around: Surroundings): CheckedValue {
  if (!Array.isArray(value)) return wrongType(key, 'a list of texts', value);
  const complaints: Complaint[] = [];
  const kept: string[] = [];
  for (const [item, text] of (value as readonly Json[]).entries()) {
    const result: Complaint | string =
      typeof text === 'string'
        ? checkText(key, text, around)
        : {
            code: 'schema.type',
            message: `${key.name} holds ${kindOf(text)}`,
            hint: 'write texts in quotes',
          };
    if (typeof result === 'string') kept.push(result);
    else complaints.push({ ...result, at: [item] });
  }
  return complaints.length > 0 ? { ok: false, complaints } : taken([...new Set(kept)]);
}

function checkText(key: ConfigKey, text: string, around: Surroundings): Complaint | string {
  if (text.trim() === '' || findHidden(text).length > 0) {
    const message = `${key.name} holds ${text.trim() === '' ? 'an empty text' : 'hidden characters'}`;
    return { code: 'schema.pattern', message };
  }
  switch (key.kind) {
    case 'text':
      return text;
    case 'path':
    case 'paths':
      return checkPath(key, text, around);
    case 'grants':
      return checkGrant(text, around);
    case 'denials':
      return checkDenial(text, around);
    case 'tools':
      if (isToolPattern(text)) return text;
      return {
        code: 'schema.pattern',
        message: `${JSON.stringify(text)} names no tool`,
        hint: 'write a package or "package/tool"; * stands for any characters',
      };
    case 'folder-names':
      if (!/[/\\]/.test(text) && text !== '.' && text !== '..') return text;
      return {
        code: 'schema.pattern',
        message: `${JSON.stringify(text)} is not the name of a folder`,
        hint: 'write names such as "vendor"; every folder of that name is passed over',
      };
    default:
      if (!/[\s/]/.test(text)) return text;
      return {
        code: 'schema.pattern',
        message: `${JSON.stringify(text)} is not the id of a package`,
        hint: 'see the ids with "toolwharf list"',
      };
  }
}

function checkPath(key: ConfigKey, text: string, around: Surroundings): Complaint | string {
  const path = absolutePath(text, around);
  if (path !== undefined) return path;
  const message = `${key.name} holds ${JSON.stringify(text)}, the home folder of somebody else`;
  return { code: 'schema.pattern', message, hint: 'write the whole path' };
}

/** `~` is the home folder; undefined for `~somebody`. */
function absolutePath(text: string, { folder, home }: Surroundings): string | undefined {
  if (text === '~') return home;
  if (text.startsWith('~/')) return join(home, text.slice(2));
  if (text.startsWith('~')) return undefined;
  return isAbsolute(text) ? resolve(text) : resolve(folder, text);
}

/** Like a grant; `*` in the place of a host, a path or a name means all of them. */
function checkDenial(text: string, around: Surroundings): Complaint | string {
  const all = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*=)?(?:net|read|write|env):\*$/;
  return all.test(text) ? text : checkGrant(text, around);
}

const grantKinds = ['net', 'read', 'write', 'env'];

/** Its shape and its paths; which hosts may be granted is not decided here. With the id of a package before it, a grant is for that package only. */
function checkGrant(text: string, around: Surroundings): Complaint | string {
  const named = /^([A-Za-z0-9][A-Za-z0-9._-]*=)(.*)$/s.exec(text);
  if (named === null) return checkPlainGrant(text, around);
  const [, owner = '', rest = ''] = named;
  const checked = checkPlainGrant(rest, around);
  return typeof checked === 'string' ? `${owner}${checked}` : checked;
}

function checkPlainGrant(text: string, around: Surroundings): Complaint | string {
  const colon = text.indexOf(':');
  const kind = colon < 1 ? text : text.slice(0, colon);
  const value = colon < 1 ? '' : text.slice(colon + 1);
  const grammar = 'write net:HOST[:PORT], read:PATH, write:PATH or env:NAME';
  const wrong = (hint: string): Complaint => ({
    code: 'schema.pattern',
    message: `${JSON.stringify(text)} is not a grant`,
    hint,
  });
  if (!grantKinds.includes(kind)) {
    const meant = suggest(kind, grantKinds);
    return wrong(meant === undefined ? grammar : `did you mean "${meant}:"? ${grammar}`);
  }
  if (value === '') return wrong(grammar);
  if (kind === 'env') {
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(value)
      ? text
      : wrong('write env:NAME with the name of a variable');
  }
  if (kind === 'net') {
    return /^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/@[\]*]+)(?::\d{1,5})?$/.test(value)
      ? text
      : wrong('write a plain name or address, such as net:api.example.com or net:127.0.0.1:8080');
  }
  const path = absolutePath(value, around);
  return path === undefined ? wrong('write the whole path') : `${kind}:${path}`;
}

function checkUrl(key: ConfigKey, text: string): Complaint | string {
  const wrong = (message: string, hint: string): Complaint => ({ code: 'schema.format', message, hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return wrong(`${key.name} is not a URL: ${JSON.stringify(text)}`, 'write it with https://');
  if (url.username !== '' || url.password !== '')
    return wrong(
      `${key.name} holds a name or a password`,
      'leave them out: this value is shown and recorded',
    );
  if (url.protocol === 'http:' && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(url.hostname))
    return wrong(`${key.name} is not encrypted: ${JSON.stringify(text)}`, 'write it with https://');
  return text;
}

/** Whether it may be reached is the operator's own word: there is one server, and they name it. */
function checkNatsUrl(key: ConfigKey, text: string): Complaint | string {
  const wrong = (message: string, hint: string): Complaint => ({ code: 'schema.format', message, hint });
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.username !== '' || url.password !== ''))
    return wrong(
      `${key.name} holds a name or a password`,
      'this value is shown; put them into the variable TOOLWHARF_NATS_LOGIN, as NAME:PASSWORD or TOKEN',
    );
  const fits = url !== undefined && /^(?:nats|tls):$/.test(url.protocol) && url.hostname !== '';
  if (!fits || !/^\/?$/.test(url.pathname) || url.search !== '' || url.hash !== '')
    return wrong(
      `${key.name} is not the address of a NATS server: ${JSON.stringify(text)}`,
      'write nats://127.0.0.1:4222, or tls://HOST:PORT where the server has a certificate',
    );
  return text;
}

function checkVersion(key: ConfigKey, text: string): Complaint | string {
  if (/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(text)) return text;
  return {
    code: 'schema.pattern',
    message: `${key.name} is ${JSON.stringify(text)}`,
    hint: 'write three numbers, such as "1.4.0"',
  };
}

function taken(value: ConfigValue): CheckedValue {
  return { ok: true, value };
}

function refused(complaint: Complaint): CheckedValue {
  return { ok: false, complaints: [complaint] };
}

function oneText(result: Complaint | string): CheckedValue {
  return typeof result === 'string' ? taken(result) : refused(result);
}

function wrongType(key: ConfigKey, wanted: string, value: Json): CheckedValue {
  return refused({
    code: 'schema.type',
    message: `${key.name} is ${kindOf(value)}`,
    hint: `write ${wanted}`,
  });
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'a table';
  return (
    { string: 'a text', number: 'a number', boolean: String(value) }[typeof value as string] ?? 'nothing'
  );
}
