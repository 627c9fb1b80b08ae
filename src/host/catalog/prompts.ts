import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText } from '../../model/clean-text.js';
import { isObject } from '../../model/json.js';
import type { Prompt } from '../../model/package.js';
import type { Tool } from '../../model/tool.js';
import type { ListedPrompt, PromptArgument } from '../host.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { Stage } from '../packages/stage.js';
import type { PackageUpstreams } from '../upstream/package-upstreams.js';
import type { ReadableContent } from '../upstream/readable-content.js';
import type { ReadTarget } from '../upstream/reading-rules.js';
import { completePrompt, readPrompt, type UpstreamPrompt } from '../upstream/upstream-content.js';
import { packageOf } from '../upstream/upstream-program.js';
import type { SessionTool } from './session-tool.js';
import { readStoredText, type StoreOf } from './stored-text.js';

/** How the text of a prompt is produced. */
export type PromptSource =
  | {
      readonly kind: 'text';
      readonly target: ReadTarget;
      /** It is in a folder or bucket outside the package, where it may change. */
      readonly isStored: boolean;
      read(): Promise<string>;
    }
  /** A template: filling it is a normal call of the tool. */
  | { readonly kind: 'tool'; readonly tool: string }
  | ({ readonly kind: 'server' } & ReadableContent);

export interface OfferedPrompt {
  readonly listed: ListedPrompt;
  readonly source: PromptSource;
}

/** All prompts of packages under unique names: declared ones, template tools, and prompts of upstream servers. */
export function offeredPrompts(
  packages: readonly CheckedPackage[],
  tools: readonly SessionTool[],
  stage: Stage,
  upstreamPrompts: readonly UpstreamPrompt[],
  upstreams: PackageUpstreams,
  storeOf: StoreOf,
): OfferedPrompt[] {
  const taken = new Set<string>();
  const uniqueName = (preferred: string): string => {
    let name = preferred;
    for (let count = 2; taken.has(name); count++) name = `${preferred}_${count}`;
    taken.add(name);
    return name;
  };
  return packages.flatMap((it) => {
    const pkg = it.loaded.catalog?.package;
    if (pkg === undefined) return [];
    const declared = [...pkg.prompts].sort((a, b) => Number(b.first) - Number(a.first));
    const prompts = declared.map((prompt): OfferedPrompt => {
      const name = uniqueName(prompt.kind === 'instructions' ? pkg.id : `${pkg.id}_${prompt.name}`);
      const { kind, title, description, examples, tags } = prompt;
      return {
        listed: { name, package: pkg.id, kind, title, description, arguments: [], examples, tags },
        source: {
          kind: 'text',
          target: { package: pkg, file: it.loaded.file, name: `prompt:${prompt.name}` },
          isStored: prompt.body.kind === 'stored',
          read: () => promptText(prompt, it, stage, storeOf),
        },
      };
    });
    const templates = tools.filter((tool) => tool.checked === it && tool.tool.action?.kind === 'prompt');
    const ofServers = upstreamPrompts.filter((prompt) => prompt.checked === it);
    return [
      ...prompts,
      ...templates.map((tool) => templatePrompt(tool, uniqueName(tool.exposed), pkg.id)),
      ...ofServers.map((prompt) => serverPrompt(prompt, uniqueName(prompt.listed.name), upstreams)),
    ];
  });
}

function serverPrompt(prompt: UpstreamPrompt, name: string, upstreams: PackageUpstreams): OfferedPrompt {
  const { listed, program, checked, upstreamName } = prompt;
  const source: PromptSource = {
    kind: 'server',
    target: { package: packageOf(checked), file: checked.loaded.file, name: `prompt:${upstreamName}` },
    program,
    checkForSecrets: (args) => upstreams.checkForSecrets(checked, program, args),
    read: (args, signal, client) => readPrompt(prompt, args, upstreams, signal, client),
    complete: (request, signal) => completePrompt(prompt, request, upstreams, signal),
  };
  return { listed: { ...listed, name }, source };
}

function templatePrompt(
  { name, view: { shown: tool } }: SessionTool,
  exposed: string,
  packageId: string,
): OfferedPrompt {
  return {
    listed: {
      name: exposed,
      package: packageId,
      kind: 'template',
      title: tool.annotations.title ?? tool.name,
      description: tool.description,
      arguments: argumentsOf(tool),
      examples: [],
      tags: [],
    },
    source: { kind: 'tool', tool: name },
  };
}

function argumentsOf({ input }: Tool): PromptArgument[] {
  const properties = isObject(input) && isObject(input.properties) ? input.properties : {};
  const required = isObject(input) && Array.isArray(input.required) ? input.required : [];
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    description: isObject(schema) && typeof schema.description === 'string' ? schema.description : '',
    required: required.includes(name),
  }));
}

/** A file is read from the staged copy, so a later edit of it has no effect. */
async function promptText(
  { body }: Prompt,
  checked: CheckedPackage,
  stage: Stage,
  storeOf: StoreOf,
): Promise<string> {
  switch (body.kind) {
    case 'text':
      return cleanText(body.text);
    case 'file':
      return cleanText(readFileSync(join(await stage.folderFor(checked.loaded), body.path), 'utf8'));
    case 'stored':
      return cleanText(await readStoredText(body.keys, await storeOf(checked, body.slot)));
  }
}
