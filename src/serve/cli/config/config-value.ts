import { isAbsolute, join, resolve } from 'node:path';
import { parseRule } from '../../../formats/rule-config.js';
import { suggest } from '../../../formats/suggest.js';
import type { Json } from '../../../model/json.js';
import type { Rule } from '../../../model/rule.js';
import { findHidden } from '../../../model/unicode.js';
import type { ConfigKey, ConfigValue } from './config-keys.js';
import { checkNatsUrl, checkWebUrl } from './config-url.js';
import { listItems } from './list-item.js';
import { checkNotifyTargets } from './notify-value.js';
import { checkRegistries } from './registries-value.js';
import type { ValueProblem } from './value-problem.js';

/** What relative paths and `~` are resolved against. */
export interface PathContext {
  readonly folder: string;
  readonly home: string;
}

export type CheckedValue =
  | { readonly ok: true; readonly value: ConfigValue }
  | { readonly ok: false; readonly problems: readonly ValueProblem[] };

/** Checks one value and makes its paths absolute. Reports all problems of a list at once. */
export function checkValue(key: ConfigKey, value: Json, context: PathContext): CheckedValue {
  switch (key.kind) {
    case 'switch':
      return typeof value === 'boolean' ? accepted(value) : wrongType(key, 'true or false', value);
    case 'whole-number':
      return checkNumber(key, value);
    case 'url':
      return typeof value === 'string'
        ? oneText(checkWebUrl(key, value))
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
        ? oneText(checkText(key, value, context))
        : wrongType(key, 'a string in quotes', value);
    case 'rules':
      return checkRules(key, value);
    case 'notify':
      return checkNotifyTargets(value);
    case 'registries':
      return checkRegistries(value, context);
    case 'version':
      return typeof value === 'string'
        ? oneText(checkVersion(key, value))
        : wrongType(key, 'a version in quotes', value);
    default:
      return checkList(key, value, context);
  }
}

function checkChoice(key: ConfigKey, value: Json): CheckedValue {
  const choices = key.choices ?? [];
  if (typeof value === 'string' && choices.includes(value)) return accepted(value);
  return rejected({
    code: 'schema.enum',
    message: `${key.name} is ${JSON.stringify(value)}`,
    hint: `write one of ${choices.map((it) => JSON.stringify(it)).join(', ')}`,
  });
}

function checkNumber(key: ConfigKey, value: Json): CheckedValue {
  if (typeof value !== 'number') return wrongType(key, 'a whole number', value);
  const most = key.max ?? Number.MAX_SAFE_INTEGER;
  if (Number.isInteger(value) && value >= 1 && value <= most) return accepted(value);
  return rejected({
    code: 'schema.range',
    message: `${key.name} is ${value}`,
    hint: `write a whole number from 1 to ${most.toLocaleString('en')}`,
  });
}

/** The origin is a placeholder; `readConfigFile` replaces it with file and line. */
function checkRules(key: ConfigKey, value: Json): CheckedValue {
  if (!Array.isArray(value)) return wrongType(key, '[[rules]] before each rule', value);
  const rules: Rule[] = [];
  const problems = (value as readonly Json[]).flatMap((it, index) => {
    const read = parseRule(it);
    if (!read.ok) return read.problems.map((found) => ({ ...found, at: [index, ...found.at] }));
    rules.push({ ...read.rule, origin: { kind: 'session' } });
    return [];
  });
  return problems.length > 0 ? { ok: false, problems } : accepted(rules);
}

function checkList(key: ConfigKey, value: Json, context: PathContext): CheckedValue {
  if (!Array.isArray(value)) return wrongType(key, 'a list of strings', value);
  const problems: ValueProblem[] = [];
  const kept: string[] = [];
  for (const [item, text] of (value as readonly Json[]).entries()) {
    const result: ValueProblem | string =
      typeof text === 'string'
        ? checkText(key, text, context)
        : {
            code: 'schema.type',
            message: `${key.name} contains ${kindOf(text)}`,
            hint: 'write strings in quotes',
          };
    if (typeof result === 'string') kept.push(result);
    else problems.push({ ...result, at: [item] });
  }
  return problems.length > 0 ? { ok: false, problems } : accepted([...new Set(kept)]);
}

function checkText(key: ConfigKey, text: string, context: PathContext): ValueProblem | string {
  if (text.trim() === '' || findHidden(text).length > 0) {
    const message = `${key.name} contains ${text.trim() === '' ? 'an empty string' : 'hidden characters'}`;
    return { code: 'schema.pattern', message };
  }
  switch (key.kind) {
    case 'text':
      return text;
    case 'path':
    case 'paths':
      return checkPath(key, text, context);
    case 'grants':
      return checkGrant(text, context);
    case 'denials':
      return checkDenial(text, context);
    default: {
      const { isValid, is, hint } = listItems[key.kind] ?? listItems.names;
      if (isValid(text)) return text;
      return { code: 'schema.pattern', message: `${JSON.stringify(text)} ${is}`, hint };
    }
  }
}

function checkPath(key: ConfigKey, text: string, context: PathContext): ValueProblem | string {
  const path = absolutePath(text, context);
  if (path !== undefined) return path;
  const message = `${key.name} contains ${JSON.stringify(text)}, the home folder of another user`;
  return { code: 'schema.pattern', message, hint: 'write the full path' };
}

/** `~` is the home folder; undefined for `~otheruser`. */
function absolutePath(text: string, { folder, home }: PathContext): string | undefined {
  if (text === '~') return home;
  if (text.startsWith('~/')) return join(home, text.slice(2));
  if (text.startsWith('~')) return undefined;
  return isAbsolute(text) ? resolve(text) : resolve(folder, text);
}

/** Like a grant, but `*` may replace the host, path or name and matches all of them. */
function checkDenial(text: string, context: PathContext): ValueProblem | string {
  const all = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*=)?(?:net|read|write|env):\*$/;
  return all.test(text) ? text : checkGrant(text, context);
}

const grantKinds = ['net', 'read', 'write', 'env'];

/** Checks syntax and paths, not which hosts may be granted. A grant with a `PACKAGE=` prefix is for that package only. */
function checkGrant(text: string, context: PathContext): ValueProblem | string {
  const named = /^([A-Za-z0-9][A-Za-z0-9._-]*=)(.*)$/s.exec(text);
  if (named === null) return checkPlainGrant(text, context);
  const [, owner = '', rest = ''] = named;
  const checked = checkPlainGrant(rest, context);
  return typeof checked === 'string' ? `${owner}${checked}` : checked;
}

function checkPlainGrant(text: string, context: PathContext): ValueProblem | string {
  const colon = text.indexOf(':');
  const kind = colon < 1 ? text : text.slice(0, colon);
  const value = colon < 1 ? '' : text.slice(colon + 1);
  const grammar = 'write net:HOST[:PORT], read:PATH, write:PATH or env:NAME';
  const wrong = (hint: string): ValueProblem => ({
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
      : wrong('write env:NAME with the name of an environment variable');
  }
  if (kind === 'net') {
    return /^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/@[\]*]+)(?::\d{1,5})?$/.test(value)
      ? text
      : wrong('write a host name or address, such as net:api.example.com or net:127.0.0.1:8080');
  }
  const path = absolutePath(value, context);
  return path === undefined ? wrong('write the full path') : `${kind}:${path}`;
}

function checkVersion(key: ConfigKey, text: string): ValueProblem | string {
  if (/^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/.test(text)) return text;
  return {
    code: 'schema.pattern',
    message: `${key.name} is ${JSON.stringify(text)}`,
    hint: 'write three numbers, such as "1.4.0"',
  };
}

function accepted(value: ConfigValue): CheckedValue {
  return { ok: true, value };
}

function rejected(problem: ValueProblem): CheckedValue {
  return { ok: false, problems: [problem] };
}

function oneText(result: ValueProblem | string): CheckedValue {
  return typeof result === 'string' ? accepted(result) : rejected(result);
}

function wrongType(key: ConfigKey, expected: string, value: Json): CheckedValue {
  return rejected({
    code: 'schema.type',
    message: `${key.name} is ${kindOf(value)}`,
    hint: `write ${expected}`,
  });
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'a list';
  if (value !== null && typeof value === 'object') return 'a table';
  return (
    { string: 'a string', number: 'a number', boolean: String(value) }[typeof value as string] ?? 'nothing'
  );
}
