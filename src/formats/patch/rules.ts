import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { show } from '../check.js';
import { checkInnerSchema } from '../inner-schema.js';
import { isOfType } from '../json-type.js';
import { suggest } from '../suggest.js';
import { uniqueNames } from '../unique-names.js';
import type { PatchReport } from './codes.js';

export const authProviders = ['gmail', 'google_calendar', 'slack', 'github', 'linear'];

const pythonKeywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

/** Checks rules that the schema cannot express. Values of the wrong type were already reported and are skipped. */
export function checkRules(report: PatchReport, manifest: JsonObject): void {
  checkInputs(report, manifest.inputs);
  checkOutputs(report, manifest.outputs);
  checkCapabilities(report, manifest);
  checkPackages(report, manifest.runtime);
  checkAuth(report, manifest);
  const generatedAt = manifest.generated_at;
  if (typeof generatedAt === 'string' && !isUtcTime(generatedAt)) {
    report.at('patch.generated-at', ['generated_at'], `generated_at ${show(generatedAt)} is not a UTC time`, {
      hint: 'use the form 2026-05-04T12:34:56Z',
    });
  }
}

function isUtcTime(text: string): boolean {
  const matches = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|\+00:00)$/.test(text);
  return matches && !Number.isNaN(Date.parse(text));
}

/** Results are compared with this schema at run time, so all of it must be valid. */
function checkOutputs(report: PatchReport, outputs: Json | undefined): void {
  if (!isObject(outputs)) return;
  // Errors in these members were already reported by the manifest's schema.
  const { type: _type, description: _description, items, properties, required, ...rest } = outputs;
  const schema = {
    ...rest,
    ...(isObject(items) ? { items } : {}),
    ...(isObject(properties) ? { properties } : {}),
    ...(Array.isArray(required) && required.every((it) => typeof it === 'string') ? { required } : {}),
  };
  checkInnerSchema(report, schema, ['outputs']);
}

function checkInputs(report: PatchReport, inputs: Json | undefined): void {
  if (!Array.isArray(inputs)) return;
  const checkName = uniqueNames(report, {
    code: 'patch.duplicate-input',
    member: 'name',
    hint: 'give each input its own name',
  });
  for (const [index, input] of inputs.entries()) {
    if (!isObject(input)) continue;
    const { name, type } = input;
    if (typeof name === 'string' && name !== '') {
      if (!isParameterName(name)) {
        const hint = 'use letters, digits and "_", and no Python keyword';
        report.at(
          'patch.input-name',
          ['inputs', index, 'name'],
          `${show(name)} is not a valid name for a parameter of main()`,
          { hint },
        );
      }
      checkName(['inputs', index], name);
    }
    if (
      Object.hasOwn(input, 'default') &&
      typeof type === 'string' &&
      input.default !== null &&
      !isOfType(input.default as Json, type)
    ) {
      const message = `the default ${show(input.default)} is not of type ${type}`;
      report.at('patch.default-type', ['inputs', index, 'default'], message, {
        hint: 'change the default or the type',
      });
    }
    if (typeof input.default === 'number' && !isExact(input.default, type)) {
      const message = `the default of inputs[${index}] cannot be represented exactly`;
      report.at('patch.default-type', ['inputs', index, 'default'], message, {
        hint: 'use a smaller number, or text',
      });
    }
    if (input.required === true && Object.hasOwn(input, 'default')) {
      const message = `inputs[${index}] is required, so its default is never used`;
      report.at('patch.default-on-required', ['inputs', index, 'default'], message, {
        hint: 'set required: false, or remove the default',
      });
    }
    if (Object.hasOwn(input, 'items') && type !== 'array') {
      report.at(
        'patch.items-without-array',
        ['inputs', index, 'items'],
        `inputs[${index}].items has no effect unless the type is array`,
      );
    }
    if (isObject(input.items)) checkInnerSchema(report, input.items, ['inputs', index, 'items']);
  }
}

/** Whole numbers above 2^53 and numbers that are infinite here were changed when the manifest was read. */
function isExact(value: number, type: Json | undefined): boolean {
  return Number.isFinite(value) && (type !== 'integer' || Math.abs(value) <= Number.MAX_SAFE_INTEGER);
}

/** Whether a name can be a parameter of main(). `__proto__` cannot be a property of the input schema. */
export function isParameterName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !pythonKeywords.has(name) && name !== '__proto__';
}

function checkCapabilities(report: PatchReport, manifest: JsonObject): void {
  const capabilities = isObject(manifest.capabilities) ? manifest.capabilities : {};
  if (capabilities.browser !== true) return;
  if (capabilities.network !== true) {
    report.at(
      'patch.browser-without-network',
      ['capabilities', 'browser'],
      'browser requires network access',
      {
        hint: 'set network: true, or remove browser',
      },
    );
  }
  report.at(
    'field.not-acted-on',
    ['capabilities', 'browser'],
    'this host provides no browser; the field is only displayed',
    { spot: 'key' },
  );
}

function checkPackages(report: PatchReport, runtime: Json | undefined): void {
  const packages = isObject(runtime) && Array.isArray(runtime.packages) ? runtime.packages : [];
  const seen = new Map<string, string>();
  for (const [index, requirement] of packages.entries()) {
    if (typeof requirement !== 'string') continue;
    const written = requirement.split('==', 1)[0] as string;
    if (/^[-._]|[-._]$/.test(written) && /^[\w.-]+$/.test(written)) {
      // An installer would parse a name that starts with "-" as an option.
      const message = `${show(written)} is not a valid package name`;
      report.at('patch.package-name', ['runtime', 'packages', index], message, {
        hint: 'start and end it with a letter or a digit',
      });
      continue;
    }
    const name = written.toLowerCase().replace(/[-_.]+/g, '-');
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      const message = `${show(requirement)} repeats the package of ${show(earlier)}`;
      report.at('patch.package-twice', ['runtime', 'packages', index], message, {
        hint: 'remove one of them',
      });
    }
    seen.set(name, requirement);
  }
}

function checkAuth(report: PatchReport, manifest: JsonObject): void {
  const scopes = Array.isArray(manifest.external_auth) ? manifest.external_auth : [];
  for (const [index, scope] of scopes.entries()) {
    if (typeof scope !== 'string' || !scope.includes('.')) continue;
    const provider = scope.slice(0, scope.indexOf('.'));
    if (authProviders.includes(provider)) continue;
    const meant = suggest(provider, authProviders);
    const choices = `use one of ${authProviders.join(', ')}`;
    report.at('patch.auth-provider', ['external_auth', index], `unknown provider ${show(provider)}`, {
      hint: meant === undefined ? choices : `did you mean "${meant}"? ${choices}`,
    });
  }
  const network = isObject(manifest.capabilities) && manifest.capabilities.network === true;
  if (scopes.length > 0 && !network) {
    report.at(
      'patch.auth-without-network',
      ['external_auth'],
      'external_auth has no effect without network access',
      {
        hint: 'set capabilities.network: true, or remove external_auth',
        spot: 'key',
      },
    );
  }
}
