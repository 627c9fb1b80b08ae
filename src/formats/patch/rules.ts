import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import { isOfType } from '../json-type.js';
import type { Report } from '../report.js';
import { suggest } from '../suggest.js';

export const authProviders = ['gmail', 'google_calendar', 'slack', 'github', 'linear'];

const pythonKeywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** What the schema cannot say. Values of the wrong type were reported already and are passed over. */
export function checkRules(report: Report, manifest: JsonObject): void {
  checkInputs(report, manifest.inputs);
  checkOutputs(report, manifest.outputs);
  checkCapabilities(report, manifest);
  checkPackages(report, manifest.runtime);
  checkAuth(report, manifest);
  const made = manifest.generated_at;
  if (typeof made === 'string' && !isUtcTime(made)) {
    report.at('patch.generated-at', ['generated_at'], `generated_at ${show(made)} is not a UTC time`, {
      hint: 'write it like 2026-05-04T12:34:56Z',
    });
  }
}

function isUtcTime(text: string): boolean {
  const shaped = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|\+00:00)$/.test(text);
  return shaped && !Number.isNaN(Date.parse(text));
}

/** The result is checked against this at run time, so it must be a schema through and through. */
function checkOutputs(report: Report, outputs: Json | undefined): void {
  if (!isObject(outputs)) return;
  // What the manifest's own schema has a say in was reported already.
  const { type: _type, description: _description, items, properties, required, ...rest } = outputs;
  const schema = {
    ...rest,
    ...(isObject(items) ? { items } : {}),
    ...(isObject(properties) ? { properties } : {}),
    ...(Array.isArray(required) && required.every((it) => typeof it === 'string') ? { required } : {}),
  };
  checkInnerSchema(report, schema, ['outputs']);
}

function checkInputs(report: Report, inputs: Json | undefined): void {
  if (!Array.isArray(inputs)) return;
  const seen = new Map<string, number>();
  for (const [index, input] of inputs.entries()) {
    if (!isObject(input)) continue;
    const { name, type } = input;
    if (typeof name === 'string' && name !== '') {
      if (!isParameterName(name)) {
        const hint = 'use letters, digits and "_", and no word of the language';
        report.at(
          'patch.input-name',
          ['inputs', index, 'name'],
          `${show(name)} cannot be a parameter of main()`,
          { hint },
        );
      }
      if (seen.has(name)) {
        const message = `inputs[${index}] has the name ${show(name)} that inputs[${seen.get(name)}] has`;
        report.at('patch.duplicate-input', ['inputs', index, 'name'], message, {
          hint: 'give each input its own name',
        });
      } else {
        seen.set(name, index);
      }
    }
    if (
      Object.hasOwn(input, 'default') &&
      typeof type === 'string' &&
      input.default !== null &&
      !isOfType(input.default as Json, type)
    ) {
      const message = `the default ${show(input.default)} is not of type ${type}`;
      report.at('patch.default-type', ['inputs', index, 'default'], message);
    }
    if (input.required === true && Object.hasOwn(input, 'default')) {
      const message = `inputs[${index}] is required and has a default, which is then never used`;
      report.at('patch.default-on-required', ['inputs', index, 'default'], message, {
        hint: 'set required: false, or remove the default',
      });
    }
    if (Object.hasOwn(input, 'items') && type !== 'array') {
      report.at(
        'patch.items-without-array',
        ['inputs', index, 'items'],
        `inputs[${index}].items has a meaning for type array only`,
      );
    }
    if (isObject(input.items)) checkInnerSchema(report, input.items, ['inputs', index, 'items']);
  }
}

/** `__proto__` would not survive as a property of the input schema. */
export function isParameterName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !pythonKeywords.has(name) && name !== '__proto__';
}

function checkCapabilities(report: Report, manifest: JsonObject): void {
  const capabilities = isObject(manifest.capabilities) ? manifest.capabilities : {};
  if (capabilities.browser !== true) return;
  if (capabilities.network !== true) {
    report.at(
      'patch.browser-without-network',
      ['capabilities', 'browser'],
      'a browser without network can open nothing',
      {
        hint: 'set network: true, or remove browser',
      },
    );
  }
  report.at(
    'field.not-acted-on',
    ['capabilities', 'browser'],
    'this host has no browser to lend; the field is shown only',
    { spot: 'key' },
  );
}

function checkPackages(report: Report, runtime: Json | undefined): void {
  const packages = isObject(runtime) && Array.isArray(runtime.packages) ? runtime.packages : [];
  const seen = new Map<string, string>();
  for (const [index, requirement] of packages.entries()) {
    if (typeof requirement !== 'string') continue;
    const written = requirement.split('==', 1)[0] as string;
    if (/^[-._]|[-._]$/.test(written) && /^[\w.-]+$/.test(written)) {
      // An installer would take a name that begins with "-" for one of its options.
      const message = `${show(written)} cannot be the name of a package`;
      report.at('patch.package-name', ['runtime', 'packages', index], message, {
        hint: 'begin and end it with a letter or a digit',
      });
      continue;
    }
    const name = written.toLowerCase().replace(/[-_.]+/g, '-');
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      const message = `${show(requirement)} names the package of ${show(earlier)} again`;
      report.at('patch.package-twice', ['runtime', 'packages', index], message, { hint: 'keep one version' });
    }
    seen.set(name, requirement);
  }
}

function checkAuth(report: Report, manifest: JsonObject): void {
  const scopes = Array.isArray(manifest.external_auth) ? manifest.external_auth : [];
  for (const [index, scope] of scopes.entries()) {
    if (typeof scope !== 'string' || !scope.includes('.')) continue;
    const provider = scope.slice(0, scope.indexOf('.'));
    if (authProviders.includes(provider)) continue;
    const meant = suggest(provider, authProviders);
    const choices = `the providers are ${authProviders.join(', ')}`;
    report.at('patch.auth-provider', ['external_auth', index], `unknown provider ${show(provider)}`, {
      hint: meant === undefined ? choices : `did you mean "${meant}"? ${choices}`,
    });
  }
  const network = isObject(manifest.capabilities) && manifest.capabilities.network === true;
  if (scopes.length > 0 && !network) {
    report.at(
      'patch.auth-without-network',
      ['external_auth'],
      'the token is of no use to a tool without network',
      {
        hint: 'set capabilities.network: true, or remove external_auth',
        spot: 'key',
      },
    );
  }
}
