import { isObject, type JsonObject } from '../../model/json.js';
import { isReservedVariable } from '../../model/reserved-variables.js';
import type { Audience, Slot } from '../../model/slot.js';
import { show } from '../check.js';
import type { McpReport } from './codes.js';
import { tableOf, targetOf, textOf, textsOf } from './manifest-fields.js';
import { placeholderNames } from './placeholders.js';

/** The names of all values that placeholders can use. */
export function valueNames(manifest: JsonObject): readonly string[] {
  return [...Object.keys(tableOf(manifest.env)), ...Object.keys(tableOf(manifest.values))];
}

/** Checks the names and defaults of values, and that something uses them. */
export function checkValues(report: McpReport, manifest: JsonObject): void {
  const env = tableOf(manifest.env);
  const used = new Set(
    [...textsOf(manifest.args), ...Object.values(tableOf(manifest.headers))].flatMap((it) =>
      typeof it === 'string' ? placeholderNames(it) : [],
    ),
  );
  for (const member of ['env', 'values'] as const) {
    for (const [name, value] of Object.entries(tableOf(manifest[member]))) {
      const at = [member, name];
      if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name))
        report.at('mcp.value-name', at, `${show(name)} is not a valid name for a value`, {
          hint: 'use letters, digits and "_", such as API_KEY',
          spot: 'key',
        });
      else if (member === 'env' && isReservedVariable(name))
        report.at('mcp.value-name', at, `the variable ${name} is set by the host`, {
          hint: 'remove it: it changes which code runs, where files are, or how the program connects',
          spot: 'key',
        });
      if (member === 'values' && Object.hasOwn(env, name))
        report.at('mcp.value-twice', at, `${name} is in "env" too`, {
          hint: 'keep one of them; arguments and headers can use both',
          spot: 'key',
        });
      if (isObject(value) && value.secret === true && value.default !== undefined)
        report.at('mcp.default-on-secret', [...at, 'default'], `${name} is a secret and has a default`, {
          hint: 'remove the default: everyone who has the manifest can read it',
          spot: 'key',
        });
      if (!used.has(name) && (member === 'values' || targetOf(manifest) === 'url'))
        report.at('mcp.value-unused', at, `nothing uses the value ${name}`, {
          hint: `use it as \${${name}} in an argument or header, or remove it`,
          spot: 'key',
        });
    }
  }
}

/** The values as slots: those of `env` are variables, the others are used by placeholders only. */
export function serverSlots(manifest: JsonObject, audience: Audience): Slot[] {
  const isUrl = targetOf(manifest) === 'url';
  return (['env', 'values'] as const).flatMap((member) =>
    Object.entries(tableOf(manifest[member])).map(([name, value]): Slot => {
      const entry = isObject(value) ? value : { default: value };
      const secret = entry.secret === true;
      const choices = entry.choices === undefined ? undefined : textsOf(entry.choices);
      const prompt = textOf(entry.description);
      const fallback = textOf(entry.default);
      const obtainUrl = textOf(entry.obtain_url);
      return {
        name,
        label: name,
        ...(prompt === undefined ? {} : { prompt }),
        secret,
        required: entry.required === true,
        type: choices === undefined ? 'text' : 'choice',
        ...(choices === undefined ? {} : { choices }),
        source: { kind: 'operator' },
        delivery: member === 'env' && !isUrl ? { kind: 'environment', variable: name } : { kind: 'context' },
        audience: secret ? audience : { kind: 'public' },
        ...(fallback === undefined ? {} : { default: fallback }),
        ...(obtainUrl === undefined ? {} : { obtainUrl }),
      };
    }),
  );
}
