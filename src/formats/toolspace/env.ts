import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import type { Report } from '../report.js';
import { checkRegex } from './regex.js';

/** What tokens need to know of a declared variable. */
export interface Variable {
  readonly secret: boolean;
  /** It may have no value when a call is made. */
  readonly optional: boolean;
}

export type Variables = ReadonlyMap<string, Variable>;

/** The declared variables by name; of two with the same name a secret one counts. */
export function readVariables(manifest: JsonObject): Variables {
  const variables = new Map<string, Variable>();
  for (const entry of entriesOf(manifest.env)) {
    if (!isObject(entry) || typeof entry.name !== 'string') continue;
    const optional = entry.required === false && entry.default === undefined;
    const secret = entry.secret !== false || variables.get(entry.name)?.secret === true;
    variables.set(entry.name, { secret, optional });
  }
  return variables;
}

export function checkEnv(report: Report, env: Json | undefined): void {
  const seen = new Map<string, number>();
  for (const [index, entry] of entriesOf(env).entries()) {
    if (!isObject(entry)) continue;
    const { name } = entry;
    if (typeof name === 'string') {
      const earlier = seen.get(name);
      if (earlier === undefined) seen.set(name, index);
      else {
        const message = `env[${index}] has the name ${show(name)} that env[${earlier}] has`;
        report.at('toolspace.duplicate-env', ['env', index, 'name'], message, {
          hint: 'ask for each variable once',
        });
      }
    }
    if (entry.secret === true && entry.default !== undefined) {
      const message = `env[${index}] ${show(name)} is a secret and has a default, which everybody can read`;
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
