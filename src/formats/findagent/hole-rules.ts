import { isObject, type JsonObject, type JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';
import { type DeclaredInputs, declaredInputs } from './inputs.js';
import { memberOf, objectOf } from './shape.js';

/** What is known of a tool's inputs. `unreadable`: its schema is none, which was said already. */
export type KnownInputs = DeclaredInputs | 'undescribed' | 'unreadable';

export function knownInputs(tool: JsonObject): KnownInputs {
  const schema = memberOf(tool, 'input_schema');
  if (schema !== undefined && !isObject(schema)) return 'unreadable';
  return declaredInputs(schema) ?? 'undescribed';
}

/** Beyond these nobody reads suggestions, and making them costs time. */
const maxSuggestions = 20;

/** Every hole must be an input. */
export function checkHoles(report: Report, known: KnownInputs, at: JsonPath, names: readonly string[]): void {
  if (known === 'unreadable') return;
  let told = 0;
  for (const name of names) {
    if (known === 'undescribed') {
      const message = `{${name}} in ${nameOf(at)} is filled from an input that nothing describes`;
      report.at('findagent.undescribed-param', at, message, {
        hint: `describe ${show(name)} under "properties" of input_schema`,
      });
    } else if (!known.names.has(name)) {
      const meant = ++told > maxSuggestions ? undefined : suggest(name, [...known.names].slice(0, 100));
      report.at('findagent.undeclared-param', at, `{${name}} in ${nameOf(at)} is no input of the tool`, {
        hint:
          meant === undefined
            ? `add ${show(name)} to "properties" of input_schema, or remove the placeholder`
            : `did you mean {${meant}}?`,
      });
    }
  }
}

export function checkSuspects(report: Report, at: JsonPath, suspects: readonly string[]): void {
  for (const suspect of suspects) {
    const message = `${show(suspect)} in ${nameOf(at)} is no placeholder and is sent as it stands`;
    report.at('findagent.placeholder-suspect', at, message, {
      hint: 'a placeholder is {name}: one pair of braces around letters, digits and "_"',
    });
  }
}

/** An input that nothing uses has no effect, which is hardly what its author meant. */
export function checkUnused(
  report: Report,
  tool: JsonObject,
  path: JsonPath,
  used: ReadonlySet<string>,
): void {
  for (const name of Object.keys(objectOf(objectOf(tool.input_schema).properties))) {
    if (used.has(name)) continue;
    const message = `input ${show(name)} of tool ${show(tool.name)} is used nowhere in its action`;
    report.at('findagent.unused-input', [...path, 'input_schema', 'properties', name], message, {
      hint: `put {${name}} where it belongs, or remove the input`,
      spot: 'key',
    });
  }
}
