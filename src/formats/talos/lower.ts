import { noGuardrails } from '../../model/guardrails.js';
import { isObject, type JsonObject, type JsonSchema } from '../../model/json.js';
import type { Fact, Package, Prompt } from '../../model/package.js';
import type { Slot } from '../../model/slot.js';
import { textTemplate } from '../../model/template.js';
import type { Tool } from '../../model/tool.js';
import { defaultPermissions, undeclaredEffect } from '../default-profile.js';
import { talosSetting } from './settings.js';

/** Files of the bundle that the manifest does not name. */
export interface PackageFiles {
  readonly handlers: string;
  readonly prompt: string | null;
}

/** Converts a manifest without errors to a package whose functions share one persistent process. */
export function lower(manifest: JsonObject, files: PackageFiles): Package {
  const functions = manifest.functions as readonly JsonObject[];
  const credentials = (manifest.credentials ?? []) as readonly JsonObject[];
  const settings = (manifest.settings ?? []) as readonly JsonObject[];
  // A declared function of this name is a tool, and is called only as one.
  const startWith = ['init', 'start'].filter((name) => functions.every((it) => it.name !== name));
  const slots = [...credentials.map(credential), ...settings.map(setting)];
  return {
    format: 'talos',
    id: manifest.id as string,
    version: manifest.version as string,
    name: manifest.name as string,
    description: manifest.description as string,
    programs: [
      {
        name: 'handlers',
        role: 'tool',
        lifetime: 'persistent',
        protocol: 'function',
        callerContext: false,
        target: {
          kind: 'process',
          command: [textTemplate(files.handlers)],
          runtime: { language: 'node', packages: [] },
          directory: '',
          inWorkspace: true,
          environment: [],
        },
      },
    ],
    tools: functions.map((it) => tool(it, startWith)),
    prompts: files.prompt === null ? [] : [instructions(manifest, files.prompt)],
    hooks: [],
    needs: { binaries: [] },
    slots: [...slots, ...signIn(manifest, slots)],
    permissions: defaultPermissions,
    guardrails: noGuardrails,
    install: { kind: 'bundled' },
    announcesTools: false,
    targets: [],
    facts: facts(manifest),
  };
}

function tool(it: JsonObject, startWith: readonly string[]): Tool {
  return {
    name: it.name as string,
    description: it.description as string,
    input: it.parameters as JsonSchema,
    ...undeclaredEffect,
    action: {
      kind: 'function',
      program: 'handlers',
      export: it.name as string,
      convention: 'arguments-context',
      ...(startWith.length === 0 ? {} : { startWith }),
    },
  };
}

function instructions(manifest: JsonObject, path: string): Prompt {
  return {
    kind: 'instructions',
    name: manifest.id as string,
    title: manifest.name as string,
    description: manifest.description as string,
    body: { kind: 'file', path },
    examples: [],
    tags: [],
    first: true,
  };
}

function credential(it: JsonObject): Slot {
  const secret = it.secret !== false;
  return {
    name: it.name as string,
    label: it.label as string,
    ...prompt(it),
    secret,
    required: it.required as boolean,
    type: 'text',
    source: { kind: 'operator' },
    delivery: { kind: 'context' },
    audience: { kind: secret ? 'unbound' : 'public' },
  };
}

function setting(it: JsonObject): Slot {
  const { kind, choices, default: text } = talosSetting(it);
  const secret = kind === 'secret';
  return {
    name: it.name as string,
    label: it.label as string,
    ...prompt(it),
    secret,
    required: false,
    type: kind === 'secret' ? 'text' : kind,
    ...(kind === 'choice' ? { choices } : {}),
    source: { kind: 'operator' },
    delivery: { kind: 'context' },
    audience: { kind: secret ? 'unbound' : 'public' },
    ...(text === undefined ? {} : { default: text }),
  };
}

/** Tools with a sign-in expect the token that it gives among their values, and cannot answer without it. */
function signIn(manifest: JsonObject, declared: readonly Slot[]): Slot[] {
  const name = 'refresh_token';
  if (!isObject(manifest.oauth) || declared.some((it) => it.name === name)) return [];
  const { provider, scopes } = manifest.oauth;
  const where = typeof provider === 'string' ? ` at ${provider}` : '';
  const asked = Array.isArray(scopes) ? scopes.filter((it) => typeof it === 'string') : [];
  return [
    {
      name,
      label: 'Refresh token of the sign-in',
      prompt: `Sign in${where}${asked.length === 0 ? '' : ` with these scopes: ${asked.join(' ')}`}`,
      secret: true,
      required: true,
      type: 'text',
      source: { kind: 'operator' },
      delivery: { kind: 'context' },
      audience: { kind: 'unbound' },
    },
  ];
}

function prompt(it: JsonObject): { prompt?: string } {
  return typeof it.description === 'string' && it.description !== '' ? { prompt: it.description } : {};
}

const shown: Readonly<Record<string, string>> = {
  category: 'category',
  author: 'author',
  license: 'license',
  homepage: 'homepage',
  repository: 'repository',
  icon: 'icon',
  tags: 'tags',
  defaultEnabled: 'enabled by default',
  logName: 'name in logs',
  modules: 'modules (not acted on)',
  oauth: 'sign-in (not acted on)',
  triggers: 'triggers (not acted on)',
  sidecar: 'sidecar (not acted on)',
};

function facts(manifest: JsonObject): Fact[] {
  return Object.entries(manifest).flatMap(([field, value]) => {
    const label = Object.hasOwn(shown, field) ? shown[field] : undefined;
    return label === undefined ? [] : [{ label, value }];
  });
}
