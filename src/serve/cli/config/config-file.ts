import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { digestOf } from '../../../bundle/folder.js';
import { Report } from '../../../formats/report.js';
import { suggest } from '../../../formats/suggest.js';
import { readTextFile } from '../../../formats/text-file.js';
import type { Bundle, BundleEntry } from '../../../model/bundle.js';
import { compareDiagnostics, type Diagnostic } from '../../../model/diagnostic.js';
import { isObject, type Json, type JsonObject, type JsonPath, valueAt } from '../../../model/json.js';
import type { Rule } from '../../../model/rule.js';
import {
  type ConfigKey,
  type ConfigKeyName,
  type ConfigValue,
  configKeys,
  configTables,
} from './config-keys.js';
import { checkValue } from './config-value.js';

export const projectFileName = 'toolwharf.toml';

export interface FileSetting {
  readonly value: ConfigValue;
  readonly line: number;
}

/** One configuration file with all its problems. */
export interface ConfigFile {
  readonly path: string;
  readonly kind: 'user' | 'project';
  readonly settings: ReadonlyMap<ConfigKeyName, FileSetting>;
  readonly diagnostics: readonly Diagnostic[];
}

/** The nearest project file in this folder or above it, but not above the home folder. */
export function findProjectFile(from: string, home: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, projectFileName);
    if (exists(path)) return path;
    if (folder === home || folder === dirname(folder)) return undefined;
  }
}

/** True unless the file is surely absent: an unreadable file must not be treated as missing. */
export function exists(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

/** Loads the TOML parser only if there is something to parse. `text`: what the file would contain. */
export async function readConfigFile(
  path: string,
  kind: ConfigFile['kind'],
  home: string,
  text?: string,
): Promise<ConfigFile> {
  const settings = new Map<ConfigKeyName, FileSetting>();
  const read = readTextFile(fileAlone(path, text), path);
  // An empty file is valid: it sets nothing.
  if (!read.ok)
    return { path, kind, settings, diagnostics: read.diagnostics.filter((it) => it.code !== 'file.empty') };
  const { parseToml } = await import('../../../formats/document/toml.js');
  const { SourceText } = await import('../../../formats/document/source-text.js');
  const document = parseToml(read.text);
  const report = new Report(path, document, {});
  const source = new SourceText(read.text);
  report.addSyntaxProblems((start, end) => source.range(start, end));
  if (isObject(document.value)) {
    for (const { key, at } of keysOf(document.value, report, kind)) {
      const value = valueAt(document.value, at) ?? null;
      if (key.kind === 'rules') await checkRules(value, kind, report);
      const checked = checkValue(key, value, { folder: dirname(path), home });
      if (!checked.ok) {
        for (const { code, message, hint, at: inside = [], spot } of checked.problems)
          report.at(code, [...at, ...inside], message, { hint, ...(spot === undefined ? {} : { spot }) });
      } else if (kind === 'project' && loosens(key, checked.value)) {
        report.at(
          'schema.const',
          at,
          `${key.name} = ${JSON.stringify(checked.value)} is less strict than the user's configuration`,
          {
            hint: onlyTightens,
          },
        );
      } else if (kind === 'project' && revokes(key, checked.value)) {
        report.at('schema.const', at, `${key.name} cannot be "revoke" in a project file`, {
          hint: 'revoking erases values of yours, so only your own config.toml can say it; "kill" is possible here',
        });
      } else {
        const lineOf = (index: number) => document.locate([...at, index]).line;
        settings.set(key.name as ConfigKeyName, {
          value:
            key.kind === 'rules'
              ? withOrigin(checked.value as readonly Rule[], path, kind, lineOf)
              : checked.value,
          line: document.locate(at, 'key').line,
        });
      }
    }
  }
  return { path, kind, settings, diagnostics: [...report.diagnostics].sort(compareDiagnostics) };
}

/** Whether this value in a project file would allow more than the default. */
function loosens({ project, choices = [] }: ConfigKey, value: ConfigValue): boolean {
  return project === 'switch-on' ? value === false : project === 'first-choice' && value !== choices[0];
}

/** Whether the value would erase what belongs to the user, not to the project. */
function revokes({ name }: ConfigKey, value: ConfigValue): boolean {
  if (name === 'on_violation') return value === 'revoke';
  const items: readonly unknown[] = name === 'packages.on_violation' && Array.isArray(value) ? value : [];
  return items.some((it) => String(it).endsWith('=revoke'));
}

/** Checks the inner schema of each rule, and that a project file allows nothing. */
async function checkRules(rules: Json, kind: ConfigFile['kind'], report: Report): Promise<void> {
  for (const [index, rule] of (Array.isArray(rules) ? rules : []).entries()) {
    if (!isObject(rule)) continue;
    if (isObject(rule.output_schema)) {
      const { checkInnerSchema } = await import('../../../formats/inner-schema.js');
      checkInnerSchema(report, rule.output_schema, ['rules', index, 'output_schema']);
    }
    if (kind === 'project' && rule.approval === 'allow')
      report.at(
        'schema.const',
        ['rules', index, 'approval'],
        'approval = "allow" is less strict than the user\'s configuration',
        {
          hint: onlyTightens,
        },
      );
  }
}

/** Each rule with its file and line, for explanations. */
function withOrigin(
  rules: readonly Rule[],
  file: string,
  kind: ConfigFile['kind'],
  lineOf: (index: number) => number,
): readonly Rule[] {
  return rules.map((rule, index) => ({ ...rule, origin: { kind, file, line: lineOf(index) } }));
}

const onlyTightens = `${projectFileName} can only make settings stricter; put this in your own config.toml, or remove it`;

/** The known keys that are allowed in this file; all others are reported. */
function keysOf(
  root: JsonObject,
  report: Report,
  kind: ConfigFile['kind'],
): { key: ConfigKey; at: readonly string[] }[] {
  const found: { key: ConfigKey; at: readonly string[] }[] = [];
  const visit = (name: string, at: readonly string[]) => {
    const key: ConfigKey | undefined = configKeys.find((it) => it.name === name);
    if (key === undefined) unknownKey(name, at, report);
    else if (kind === 'project' && key.project === undefined)
      report.at('schema.closed', at, `${name} cannot be set in a project file`, {
        hint: onlyTightens,
        spot: 'key',
      });
    else found.push({ key, at });
  };
  const walk = (table: JsonObject, above: readonly string[]) => {
    for (const [member, value] of Object.entries(table)) {
      const at = [...above, member];
      const name = at.join('.');
      if (!configTables.has(name)) visit(name, at);
      else if (isObject(value)) walk(value, at);
      else
        report.at('schema.type', at, `${name} is not a table`, {
          hint: `write [${name}] on a line of its own`,
        });
    }
  };
  walk(root, []);
  return found;
}

function unknownKey(name: string, at: JsonPath, report: Report): void {
  report.at('schema.closed', at, `unknown setting ${name}`, { hint: unknownKeyHint(name), spot: 'key' });
}

/** The setting that was probably meant, or all that are near. */
export function unknownKeyHint(name: string): string {
  const names = configKeys.map((it) => it.name);
  const last = name.slice(name.lastIndexOf('.') + 1);
  const table = name.includes('.') ? undefined : suggest(name, configTables);
  const meant =
    // The right key in the wrong table comes before a similar key.
    names.find((it) => it === last || it.endsWith(`.${last}`)) ??
    suggest(name, names) ??
    suggest(
      last,
      names.map((it) => it.slice(it.lastIndexOf('.') + 1)),
    );
  // If the table exists, suggest only its own keys.
  const inTable = names.filter((it) => it.startsWith(name.slice(0, name.lastIndexOf('.') + 1)));
  const near = name.includes('.') && inTable.length > 0 ? inTable : names;
  if (table !== undefined) return `did you mean [${table}]?`;
  return meant !== undefined
    ? `did you mean ${meant}?`
    : `see docs/config.md; the keys are ${near.join(', ')}`;
}

/** A single file as a bundle, to use the same text checks as for manifests. */
function fileAlone(path: string, text: string | undefined): Bundle {
  const content = (): BundleEntry =>
    text === undefined ? readEntry(path) : { kind: 'file', bytes: Buffer.from(text) };
  return {
    manifest: path,
    folder: dirname(path),
    display: () => path,
    files: () => [path],
    read: content,
    digest: () => digestOf(content()),
  };
}

function readEntry(path: string): BundleEntry {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return { kind: 'folder' };
    if (!found.isFile())
      return { kind: 'rejected', reason: 'not-regular', detail: 'this is not a regular file' };
    if (found.size > 1024 * 1024)
      return { kind: 'rejected', reason: 'too-large', detail: 'a configuration file can have at most 1 MiB' };
    return { kind: 'file', bytes: readFileSync(path) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      kind: 'rejected',
      reason: 'unreadable',
      detail: `it cannot be read (${code ?? 'unknown reason'})`,
    };
  }
}
