import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import { suggest } from '../suggest.js';
import { uniqueNames } from '../unique-names.js';
import type { TalosCode, TalosReport } from './codes.js';
import { settingKind, talosSetting } from './settings.js';

/** Checks rules that the schema cannot express. Values of the wrong type were already reported and are skipped. */
export function checkRules(report: TalosReport, manifest: JsonObject, folder: string): void {
  const { id } = manifest;
  // Without a folder name, as at the root of an archive, there is nothing to compare.
  if (typeof id === 'string' && folder !== '' && id !== folder) {
    report.at('talos.folder-name', ['id'], `the id is ${show(id)}, but the folder is named ${show(folder)}`, {
      hint: `rename the folder to ${show(id)}, or write "id": ${show(folder)}`,
    });
  }
  checkFunctions(report, manifest.functions);
  checkSlots(report, manifest);
  checkSettings(report, manifest.settings);
  checkUnused(report, manifest);
}

/** JavaScript treats a module with an export `then` as a promise. The other two are the names of handler tables. */
const reservedNames = new Set(['then', 'default', 'handlers']);

function checkFunctions(report: TalosReport, functions: Json | undefined): void {
  if (!Array.isArray(functions)) return;
  const checkName = uniqueNames(report, {
    code: 'talos.duplicate-function',
    member: 'name',
    hint: 'give each function its own name',
  });
  for (const [index, it] of functions.entries()) {
    if (!isObject(it)) continue;
    const at: JsonPath = ['functions', index];
    if (typeof it.name === 'string') {
      if (reservedNames.has(it.name)) {
        report.at(
          'talos.function-name',
          [...at, 'name'],
          `${show(it.name)} is a reserved name and cannot be used for a function`,
          {
            hint: 'choose another name',
          },
        );
      }
      checkName(at, it.name);
    }
    if (isObject(it.parameters)) checkParameters(report, it.parameters, [...at, 'parameters']);
  }
}

function checkParameters(report: TalosReport, parameters: JsonObject, at: JsonPath): void {
  // A wrong type at the top level was already reported by the manifest's schema.
  const valid = checkInnerSchema(report, { ...parameters, type: 'object' }, at);
  if (!valid || !Array.isArray(parameters.required)) return;
  const properties = isObject(parameters.properties) ? parameters.properties : {};
  // These keywords may define further properties.
  const elsewhere = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas'];
  if (elsewhere.some((it) => Object.hasOwn(parameters, it))) return;
  for (const [index, name] of parameters.required.entries()) {
    if (typeof name !== 'string' || Object.hasOwn(properties, name)) continue;
    const meant = suggest(name, Object.keys(properties));
    report.at(
      'talos.required-unknown',
      [...at, 'required', index],
      `${show(name)} is required, but not defined in properties`,
      { hint: meant === undefined ? 'add it to "properties"' : `did you mean "${meant}"?` },
    );
  }
}

/** Credentials and settings are passed to the handler in one object, so their names must differ. */
function checkSlots(report: TalosReport, manifest: JsonObject): void {
  const checkName = uniqueNames(report, {
    code: 'talos.duplicate-slot',
    member: 'name',
    hint: 'give each of them its own name',
  });
  for (const field of ['credentials', 'settings']) {
    const entries = manifest[field];
    if (!Array.isArray(entries)) continue;
    for (const [index, it] of entries.entries()) {
      if (isObject(it) && typeof it.name === 'string') checkName([field, index], it.name);
    }
  }
}

function checkSettings(report: TalosReport, settings: Json | undefined): void {
  if (!Array.isArray(settings)) return;
  for (const [index, it] of settings.entries()) {
    if (!isObject(it)) continue;
    const at: JsonPath = ['settings', index];
    const kind = settingKind(it);
    if (typeof it.type === 'string' && kind === undefined) {
      const meant = suggest(it.type, ['string', 'number', 'boolean', 'select', 'password']);
      const choices = 'use string, number, boolean, select or password';
      report.at(
        'talos.setting-type',
        [...at, 'type'],
        `unknown setting type ${show(it.type)}; it is treated as string`,
        {
          hint: meant === undefined ? choices : `did you mean "${meant}"? ${choices}`,
        },
      );
    }
    checkValues(report, it, at);
  }
}

/** Such settings work, as text or with one more choice. Only a published password is rejected. */
function checkValues(report: TalosReport, setting: JsonObject, at: JsonPath): void {
  const { declared, default: text, choices, problem } = talosSetting(setting);
  const atDefault: JsonPath = [...at, 'default'];
  if (declared === 'secret' && text !== undefined) {
    const message = 'a password must not have a default: it would be published with the package';
    report.at('talos.password-default', atDefault, message, { hint: 'remove the default' });
  }
  if (problem === undefined) return;
  const given = show(setting.default);
  const { code, place, message, hint } = {
    'no-options': {
      code: 'talos.setting-options',
      place: at,
      message: `${pathName(at)} has the type select but no options; it is treated as string`,
      hint: 'add "options": ["…"]',
    },
    'default-not-an-option': {
      code: 'talos.setting-default',
      place: atDefault,
      message: `the default ${given} is not among the options; it is added to them`,
      hint: `use one of ${choices.slice(0, Math.min(choices.length - 1, 8)).join(', ')}`,
    },
    'default-of-other-kind': {
      code: 'talos.setting-default',
      place: atDefault,
      message: `the default ${given} is not a ${declared}; the setting is treated as string`,
      hint: declared === 'boolean' ? 'use "true" or "false"' : 'change the default or the type',
    },
  }[problem] as { code: TalosCode; place: JsonPath; message: string; hint: string };
  report.at(code, place, message, { hint });
}

function checkUnused(report: TalosReport, manifest: JsonObject): void {
  const reasons: Readonly<Record<string, string>> = {
    oauth: 'this host does not sign in for the tool; the operator sets its refresh_token',
    modules: 'this host offers each function by itself',
    triggers: 'this host calls functions only on request',
    sidecar: 'this host starts no process except the handlers',
  };
  for (const [field, reason] of Object.entries(reasons)) {
    if (!Object.hasOwn(manifest, field)) continue;
    report.at('field.not-acted-on', [field], `"${field}" is only displayed: ${reason}`, { spot: 'key' });
  }
  if (manifest.defaultEnabled === false) {
    const message = '"defaultEnabled" is only displayed: the operator decides which packages are enabled';
    report.at('field.not-acted-on', ['defaultEnabled'], message, { spot: 'key' });
  }
}
