import { noGuardrails } from '../../model/guardrails.js';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../model/json.js';
import type { Fact, Package } from '../../model/package.js';
import type { FilesystemAccess } from '../../model/permissions.js';
import type { Slot } from '../../model/slot.js';
import { textTemplate } from '../../model/template.js';
import type { Effect, Tool } from '../../model/tool.js';
import { hostsOf } from './provider-hosts.js';

const tokenVariable = 'PATCH_ACCESS_TOKEN';

/** Converts a manifest without errors to a package with one tool, which runs the file once per call. */
export function lower(manifest: JsonObject, file: string, waitsForInput: boolean): Package {
  const name = manifest.name as string;
  const description = manifest.description as string;
  const capabilities = manifest.capabilities as JsonObject;
  const runtime = manifest.runtime as JsonObject;
  const network = capabilities.network === true;
  const filesystem = (capabilities.filesystem ?? 'none') as FilesystemAccess;
  const inputs = manifest.inputs as readonly JsonObject[];
  const effect = effectOf(network, filesystem);
  const tool: Tool = {
    name,
    description,
    input: inputSchema(inputs),
    describedOutput: outputSchema(manifest.outputs as JsonObject),
    // What a tool does with the network is not declared, so nothing is claimed about it.
    annotations: { ...(network ? {} : { readOnlyHint: effect !== 'write' }), openWorldHint: network },
    effect,
    effectDeclared: !network,
    idempotent: effect !== 'write',
    untrustedInputs: inputs.filter((it) => it.tainted_ok === true).map((it) => it.name as string),
    approval: capabilities.human_confirm === true ? 'human' : 'none',
    examples: [],
    action: {
      kind: 'exec',
      program: 'script',
      arguments: [],
      stdin: 'json',
      ...(waitsForInput ? { waitsForInput: true } : {}),
      output: { format: 'line', errorEnvelope: false },
    },
  };
  return {
    format: 'patch',
    id: name,
    version: (manifest.version as string | undefined) ?? '0.0.0',
    name,
    description,
    programs: [
      {
        name: 'script',
        role: 'tool',
        lifetime: 'call',
        protocol: 'argv',
        callerContext: false,
        target: {
          kind: 'process',
          command: [textTemplate(file)],
          runtime: {
            language: 'python',
            version: (runtime.python_version as string | undefined) ?? '3.12',
            packages: (runtime.packages as readonly string[] | undefined) ?? [],
          },
          directory: '',
          inWorkspace: true,
          environment: [],
        },
      },
    ],
    tools: [tool],
    prompts: [],
    hooks: [],
    needs: { binaries: [] },
    slots: slots((manifest.external_auth as readonly string[] | undefined) ?? []),
    permissions: {
      origin: 'declared',
      network: network ? { kind: 'public' } : { kind: 'none' },
      filesystem,
      stateDirectory: false,
      scopes: [],
    },
    guardrails: noGuardrails,
    install: { kind: 'bundled' },
    announcesTools: false,
    targets: [],
    facts: facts(manifest),
  };
}

/** The format has no field for effects, so they follow from what the sandbox allows. */
function effectOf(network: boolean, filesystem: FilesystemAccess): Effect {
  if (network || filesystem === 'read-write') return 'write';
  return filesystem === 'read-only' ? 'read' : 'none';
}

function inputSchema(inputs: readonly JsonObject[]): JsonSchema {
  const properties: Record<string, Json> = {};
  for (const input of inputs) {
    properties[input.name as string] = {
      type: input.type as Json,
      description: input.description as Json,
      ...(input.items === undefined ? {} : { items: itemSchema(input.items) }),
      ...(hasDefault(input) ? { default: input.default as Json } : {}),
      ...(input.tainted_ok === true ? { 'x-tainted-ok': true } : {}),
    };
  }
  const required = inputs
    .filter((it) => it.required !== false && it.default === undefined)
    .map((it) => it.name as string);
  return {
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** A null default means that main() has its own default. */
function hasDefault(input: JsonObject): boolean {
  return input.default !== undefined && input.default !== null;
}

/** `items: object` is short for `items: {type: object}`. */
function itemSchema(items: Json): Json {
  return isObject(items) ? items : { type: items };
}

function outputSchema(outputs: JsonObject): JsonSchema {
  return outputs.items === undefined ? outputs : { ...outputs, items: itemSchema(outputs.items) };
}

/** One token for each provider. The first provider's token is also in the variable without a provider's name. */
function slots(scopes: readonly string[]): Slot[] {
  const providers = [...new Set(scopes.map(providerOf))];
  return providers.map((provider, index) => {
    const own = `${tokenVariable}_${provider.toUpperCase()}`;
    const name = index === 0 ? tokenVariable : own;
    return {
      name,
      label: `Access to ${provider}`,
      secret: true,
      required: true,
      type: 'text',
      source: { kind: 'broker', provider, scopes: scopes.filter((it) => providerOf(it) === provider) },
      delivery: {
        kind: 'environment',
        variable: name,
        ...(index === 0 ? { otherVariables: [own] } : {}),
      },
      audience: { kind: 'hosts', hosts: hostsOf(provider) },
    };
  });
}

function providerOf(scope: string): string {
  return scope.slice(0, scope.indexOf('.'));
}

function facts(manifest: JsonObject): Fact[] {
  const shown: readonly (readonly [string, string])[] = [
    ['generated_by', 'generated by'],
    ['generated_at', 'generated at'],
  ];
  const known = shown.flatMap(([field, label]) =>
    manifest[field] === undefined ? [] : [{ label, value: manifest[field] }],
  );
  const browser = isObject(manifest.capabilities) && manifest.capabilities.browser === true;
  return browser ? [...known, { label: 'browser', value: 'requested; this host provides none' }] : known;
}
