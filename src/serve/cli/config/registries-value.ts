import { resolve } from 'node:path';
import { suggest } from '../../../formats/suggest.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import {
  type RegistrySetting,
  registryNamePattern,
  registryNamespacePattern,
  rootFingerprintPattern,
} from '../../../model/registry-setting.js';
import { checkWebUrl } from './config-url.js';
import type { ValueProblem } from './value-problem.js';

const members = ['url', 'path', 'root', 'priority', 'namespaces', 'accept_expired', 'token_file'];
const maxRegistries = 20;
const maxPriority = 1000;

export type CheckedRegistries =
  | { readonly ok: true; readonly value: readonly RegistrySetting[] }
  | { readonly ok: false; readonly problems: readonly ValueProblem[] };

/** Checks the tables `[registries.NAME]`. */
export function checkRegistries(
  value: Json,
  { folder, home }: { readonly folder: string; readonly home: string },
): CheckedRegistries {
  if (!isObject(value) || !Object.values(value).every(isObject))
    return rejected(
      'schema.type',
      'registries is not a table of tables',
      'write [registries.NAME] before each',
    );
  const entries = Object.entries(value as Readonly<Record<string, JsonObject>>);
  if (entries.length > maxRegistries)
    return rejected('schema.range', `there are ${entries.length} registries`, `use at most ${maxRegistries}`);
  const pathOf = (text: string) =>
    text.startsWith('~/') ? resolve(home, text.slice(2)) : resolve(folder, text);
  const problems = entries.flatMap(([name, table]) =>
    problemsOf(name, table).map((it) => ({ ...it, at: [name, ...(it.at ?? [])] })),
  );
  if (problems.length > 0) return { ok: false, problems };
  const settings = entries.map(([name, table]) => settingOf(name, table, pathOf));
  const clash = clashOf(settings);
  return clash === undefined ? { ok: true, value: settings } : { ok: false, problems: [clash] };
}

function problemsOf(name: string, table: JsonObject): ValueProblem[] {
  const { url, path, root, priority, namespaces } = table;
  const { accept_expired: acceptExpired, token_file: tokenFile } = table;
  const problems: ValueProblem[] = [];
  const wrong = (code: ValueProblem['code'], message: string, hint: string, member?: string) =>
    problems.push({ code, message, hint, at: member === undefined ? [] : [member] });
  if (!registryNamePattern.test(name))
    wrong(
      'schema.pattern',
      `${JSON.stringify(name)} is not a name for a registry`,
      'use lower-case letters, digits and "-"',
    );
  for (const member of Object.keys(table).filter((it) => !members.includes(it))) {
    const meant = suggest(member, members);
    const hint = meant === undefined ? `write ${members.join(', ')}` : `did you mean ${meant}?`;
    problems.push({
      code: 'schema.closed',
      message: `unknown member ${member}`,
      hint,
      at: [member],
      spot: 'key',
    });
  }
  if ((url === undefined) === (path === undefined))
    wrong('schema.required', 'a registry has either url or path', 'write url = "https://…" or path = "…"');
  if (path !== undefined && (typeof path !== 'string' || path === ''))
    wrong('schema.type', 'path is not a string', 'write it in quotes', 'path');
  if (url !== undefined) {
    const checked = typeof url === 'string' ? checkWebUrl({ name: 'url' }, url) : undefined;
    if (checked === undefined) wrong('schema.type', 'url is not a string', 'write it in quotes', 'url');
    else if (typeof checked !== 'string') problems.push({ ...checked, at: ['url'] });
  }
  if (typeof root !== 'string' || root === '')
    wrong(
      root === undefined ? 'schema.required' : 'schema.type',
      'a registry needs root: without it, nothing that its server sends can be trusted',
      'write the SHA-256 that its operator gave you, or the path of its root file',
      root === undefined ? undefined : 'root',
    );
  if (priority !== undefined && !(Number.isInteger(priority) && Math.abs(Number(priority)) <= maxPriority))
    wrong(
      'schema.range',
      'priority is not a whole number',
      `write one from -${maxPriority} to ${maxPriority}`,
      'priority',
    );
  const list: unknown = namespaces ?? [];
  if (
    !Array.isArray(list) ||
    !list.every((it) => typeof it === 'string' && registryNamespacePattern.test(it))
  )
    wrong(
      'schema.pattern',
      'namespaces is not a list of namespaces',
      'write them in quotes, such as ["acme", "acme-*"]',
      'namespaces',
    );
  if (acceptExpired !== undefined && typeof acceptExpired !== 'boolean')
    wrong(
      'schema.type',
      'accept_expired is not true or false',
      'write true for an offline copy, else remove it',
      'accept_expired',
    );
  if (tokenFile !== undefined && (typeof tokenFile !== 'string' || tokenFile === '' || url === undefined))
    wrong(
      'schema.type',
      'token_file is for a registry with a url, and names a file',
      'write the path of the file with the token for reading, in quotes',
      'token_file',
    );
  return problems;
}

function settingOf(name: string, table: JsonObject, pathOf: (text: string) => string): RegistrySetting {
  const { url, path, priority, namespaces, accept_expired: acceptExpired, token_file: tokenFile } = table;
  const root = String(table.root);
  return {
    name,
    ...(typeof url === 'string' ? { url } : {}),
    ...(typeof path === 'string' ? { path: pathOf(path) } : {}),
    root: rootFingerprintPattern.test(root) ? root : pathOf(root),
    ...(typeof priority === 'number' ? { priority } : {}),
    ...(Array.isArray(namespaces) ? { namespaces: namespaces as readonly string[] } : {}),
    ...(acceptExpired === true ? { acceptExpired } : {}),
    ...(typeof tokenFile === 'string' ? { tokenFile: pathOf(tokenFile) } : {}),
  };
}

/** Which registry a name means must not depend on the order in a file. */
function clashOf(settings: readonly RegistrySetting[]): ValueProblem | undefined {
  const priorities = settings.map((it) => it.priority ?? 0);
  const twice = settings.find((_, index) => priorities.indexOf(priorities[index] as number) !== index);
  if (twice !== undefined)
    return {
      code: 'schema.const',
      message: `two registries have the priority ${twice.priority ?? 0}`,
      hint: 'write another priority for one of them; the higher one is asked first',
      at: [twice.name],
    };
  const owners = new Map<string, string>();
  for (const { name, namespaces = [] } of settings)
    for (const it of namespaces) {
      const owner = owners.get(it.toLowerCase());
      if (owner !== undefined)
        return {
          code: 'schema.const',
          message: `the namespace ${it} is bound to two registries, ${owner} and ${name}`,
          hint: 'bind it to one of them',
          at: [name, 'namespaces'],
        };
      owners.set(it.toLowerCase(), name);
    }
  return undefined;
}

function rejected(code: ValueProblem['code'], message: string, hint: string): CheckedRegistries {
  return { ok: false, problems: [{ code, message, hint }] };
}
