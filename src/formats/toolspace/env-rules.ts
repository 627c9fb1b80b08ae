import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { uniqueNames } from '../unique-names.js';
import type { ToolspaceReport } from './codes.js';
import { checkRegex } from './regex-rules.js';

/** The properties of a declared variable that token checks need. */
export interface DeclaredVariable {
  readonly secret: boolean;
  /** The variable may have no value at call time. */
  readonly optional: boolean;
}

export type DeclaredVariables = ReadonlyMap<string, DeclaredVariable>;

/** The declared variables by name. With duplicate names, the variable is secret if any of them is. */
export function readVariables(manifest: JsonObject): DeclaredVariables {
  const variables = new Map<string, DeclaredVariable>();
  for (const entry of entriesOf(manifest.env)) {
    if (!isObject(entry) || typeof entry.name !== 'string') continue;
    const optional = entry.required === false && entry.default === undefined;
    const secret = entry.secret !== false || variables.get(entry.name)?.secret === true;
    variables.set(entry.name, { secret, optional });
  }
  return variables;
}

export function checkEnv(report: ToolspaceReport, env: Json | undefined): void {
  const checkName = uniqueNames(report, {
    code: 'toolspace.duplicate-env',
    member: 'name',
    hint: 'declare each variable once',
  });
  for (const [index, entry] of entriesOf(env).entries()) {
    if (!isObject(entry)) continue;
    const { name } = entry;
    if (typeof name === 'string') checkName(['env', index], name);
    if (entry.secret === true && entry.default !== undefined) {
      const message = `env[${index}] ${show(name)} is a secret, but its default is readable by everyone`;
      report.at('toolspace.default-on-secret', ['env', index, 'default'], message, {
        hint: 'remove the default; if the value may be public, set "secret": false',
        spot: 'key',
      });
    }
    checkRegex(report, entry.validation_regex, ['env', index, 'validation_regex']);
  }
}

function entriesOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
