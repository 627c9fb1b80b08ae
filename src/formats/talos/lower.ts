import { noGuardrails } from '../../model/guardrails.js';
import type { Json, JsonObject, JsonSchema } from '../../model/json.js';
import type { Fact, Package, Prompt } from '../../model/package.js';
import type { Slot } from '../../model/slot.js';
import { textTemplate } from '../../model/template.js';
import type { Tool } from '../../model/tool.js';
import { defaultPermissions, undeclaredEffect } from '../default-profile.js';
import { optionValue, settingKind } from './settings.js';

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
    tools: functions.map(tool),
    prompts: files.prompt === null ? [] : [instructions(manifest, files.prompt)],
    hooks: [],
    needs: { binaries: [] },
    slots: [...credentials.map(credential), ...settings.map(setting)],
    permissions: defaultPermissions,
    guardrails: noGuardrails,
    install: { kind: 'bundled' },
    announcesTools: false,
    targets: [],
    facts: facts(manifest),
  };
}

function tool(it: JsonObject): Tool {
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
  const kind = settingKind(it) ?? 'text';
  const secret = kind === 'secret';
  const choices = kind === 'choice' ? ((it.options ?? []) as readonly Json[]).flatMap(choice) : [];
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
    ...(it.default === undefined || it.default === null ? {} : { default: String(it.default) }),
  };
}

function prompt(it: JsonObject): { prompt?: string } {
  return typeof it.description === 'string' && it.description !== '' ? { prompt: it.description } : {};
}

function choice(option: Json): string[] {
  const value = optionValue(option);
  return value === undefined ? [] : [value];
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
