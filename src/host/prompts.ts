import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanText } from '../model/clean-text.js';
import { isObject } from '../model/json.js';
import type { Prompt } from '../model/package.js';
import type { Tool } from '../model/tool.js';
import type { ListedPrompt, PromptArgument } from './host.js';
import type { PackageUpstreams } from './package-upstreams.js';
import type { Judged } from './readiness.js';
import type { Reading } from './reading.js';
import type { ReadWhat } from './reading-rules.js';
import type { Stage } from './stage.js';
import type { ServedTool } from './tool.js';
import { readPrompt, type UpstreamPrompt } from './upstream-content.js';
import { packageOf } from './upstream-program.js';

/** Where the words of a prompt come from. */
export type PromptSource =
  | { readonly kind: 'words'; readonly what: ReadWhat; read(): Promise<string> }
  /** Filling it is a call like any other. */
  | { readonly kind: 'tool'; readonly tool: string }
  | ({ readonly kind: 'server' } & Reading);

export interface OfferedPrompt {
  readonly listed: ListedPrompt;
  readonly source: PromptSource;
}

/** Prompts of packages, and their text-filling tools, each under a name of its own. */
export function offeredPrompts(
  judged: readonly Judged[],
  tools: readonly ServedTool[],
  stage: Stage,
  upstream: readonly UpstreamPrompt[],
  announcing: PackageUpstreams,
): OfferedPrompt[] {
  const taken = new Set<string>();
  const own = (wanted: string): string => {
    let name = wanted;
    for (let count = 2; taken.has(name); count++) name = `${wanted}_${count}`;
    taken.add(name);
    return name;
  };
  return judged.flatMap((it) => {
    const of = it.loaded.catalog?.package;
    if (of === undefined) return [];
    const first = [...of.prompts].sort((a, b) => Number(b.first) - Number(a.first));
    const prompts = first.map((prompt): OfferedPrompt => {
      const name = own(prompt.kind === 'instructions' ? of.id : `${of.id}_${prompt.name}`);
      const { kind, title, description, examples, tags } = prompt;
      return {
        listed: { name, package: of.id, kind, title, description, arguments: [], examples, tags },
        source: {
          kind: 'words',
          what: { of, file: it.loaded.file, name: `prompt:${prompt.name}` },
          read: () => wordsOf(prompt, it, stage),
        },
      };
    });
    const templates = tools.filter((tool) => tool.judged === it && tool.tool.action?.kind === 'prompt');
    const servers = upstream.filter((prompt) => prompt.judged === it);
    return [
      ...prompts,
      ...templates.map((tool) => template(tool, own(tool.exposed), of.id)),
      ...servers.map((prompt) => serverPrompt(prompt, own(prompt.listed.name), announcing)),
    ];
  });
}

function serverPrompt(prompt: UpstreamPrompt, name: string, announcing: PackageUpstreams): OfferedPrompt {
  const { listed, program, judged, own } = prompt;
  const source: PromptSource = {
    kind: 'server',
    what: { of: packageOf(judged), file: judged.loaded.file, name: `prompt:${own}` },
    program,
    screen: (given) => announcing.screen(judged, program, given),
    read: (given, signal) => readPrompt(prompt, given, announcing, signal),
  };
  return { listed: { ...listed, name }, source };
}

function template({ name, tool }: ServedTool, exposed: string, packageId: string): OfferedPrompt {
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

/** As it was when the package was checked, whatever lies there now. */
async function wordsOf({ body }: Prompt, { loaded }: Judged, stage: Stage): Promise<string> {
  return cleanText(
    body.kind === 'text' ? body.text : readFileSync(join(await stage.place(loaded), body.path), 'utf8'),
  );
}
