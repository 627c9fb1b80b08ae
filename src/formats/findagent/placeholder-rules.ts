import { isObject, type JsonObject, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import { suggest } from '../suggest.js';
import type { FindagentReport } from './codes.js';
import { type DeclaredInputs, declaredInputs } from './inputs.js';
import { memberOf, objectOf } from './manifest-fields.js';

/**
 * The inputs of a tool. `undescribed`: the schema lists no properties. `unreadable`: the schema is not an object, which
 * is already reported.
 */
export type KnownInputs = DeclaredInputs | 'undescribed' | 'unreadable';

export function knownInputs(tool: JsonObject): KnownInputs {
  const schema = memberOf(tool, 'input_schema');
  if (schema !== undefined && !isObject(schema)) return 'unreadable';
  return declaredInputs(schema) ?? 'undescribed';
}

/** Suggestions cost time, so the number is limited. */
const maxSuggestions = 20;

/** Reports placeholders that are not inputs of the tool. */
export function checkPlaceholderNames(
  report: FindagentReport,
  known: KnownInputs,
  at: JsonPath,
  names: readonly string[],
): void {
  if (known === 'unreadable') return;
  let reported = 0;
  for (const name of names) {
    if (known === 'undescribed') {
      const message = `{${name}} in ${pathName(at)} uses an input that input_schema does not describe`;
      report.at('findagent.undescribed-param', at, message, {
        hint: `describe ${show(name)} under "properties" of input_schema`,
      });
    } else if (!known.names.has(name)) {
      const meant = ++reported > maxSuggestions ? undefined : suggest(name, [...known.names].slice(0, 100));
      report.at(
        'findagent.undeclared-param',
        at,
        `{${name}} in ${pathName(at)} is not an input of the tool`,
        {
          hint:
            meant === undefined
              ? `add ${show(name)} to "properties" of input_schema, or remove the placeholder`
              : `did you mean {${meant}}?`,
        },
      );
    }
  }
}

export function checkSuspects(report: FindagentReport, at: JsonPath, suspects: readonly string[]): void {
  for (const suspect of suspects) {
    const message = `${show(suspect)} in ${pathName(at)} is not a placeholder and is sent literally`;
    report.at('findagent.placeholder-suspect', at, message, {
      hint: 'a placeholder is {name}: one pair of braces around letters, digits and "_"',
    });
  }
}

/** Reports inputs that no placeholder uses. */
export function checkUnused(
  report: FindagentReport,
  tool: JsonObject,
  path: JsonPath,
  used: ReadonlySet<string>,
): void {
  for (const name of Object.keys(objectOf(objectOf(tool.input_schema).properties))) {
    if (used.has(name)) continue;
    const message = `input ${show(name)} of tool ${show(tool.name)} is not used in its action`;
    report.at('findagent.unused-input', [...path, 'input_schema', 'properties', name], message, {
      hint: `use {${name}} in the action, or remove the input`,
      spot: 'key',
    });
  }
}
