import { resolve } from 'node:path';
import { discover } from '../../bundle/discover.js';
import type { FormatDescriptor } from '../../formats/format-descriptor.js';
import { defaultParseOptions, inspect } from '../../formats/inspect.js';
import { suggest } from '../../formats/suggest.js';
import { readTextFile } from '../../formats/text-file.js';
import { HostError } from '../../model/host-error.js';
import type { Package, Prompt } from '../../model/package.js';
import { stripHidden, withoutFrontMatter } from './text.js';

/** A package with the texts of its prompts. Reading it runs and installs nothing. */
export interface Agent {
  readonly package: Package;
  /** Absolute path of the manifest. */
  readonly path: string;
  /** The author's instructions for the model; empty if there are none. */
  readonly instructions: string;
  readonly examples: readonly string[];
  readonly skills: readonly Skill[];
  readonly warnings: readonly string[];
}

export interface Skill {
  /** A name for a file or a folder, unique in the agent. */
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly text: string;
}

export interface AgentQuery {
  /** A path, or an id to search for in `folders`. */
  readonly name: string;
  readonly isPath: boolean;
  readonly folders: readonly string[];
  readonly cwd: string;
  readonly formats: readonly FormatDescriptor[];
}

export async function findAgent({ name, isPath, folders, cwd, formats }: AgentQuery): Promise<Agent> {
  const { found, missing } = discover(isPath ? [name] : folders, { cwd, formats });
  const [firstMissing] = missing;
  if (firstMissing !== undefined)
    throw new HostError('not_found', `no such file or folder: ${firstMissing}`, { hint: 'check the path' });
  const read = await Promise.all(
    found.map(async ({ file, path, format, bundle }) => {
      const { package: pkg } = inspect(await format.load(), bundle, defaultParseOptions);
      return { file, path, bundle, package: pkg };
    }),
  );
  const matches = isPath ? read : read.filter((it) => it.package?.id === name);
  const ids = read.flatMap((it) => it.package?.id ?? []);
  const [one, ...others] = matches;
  if (one === undefined) {
    const meant = suggest(name, ids);
    throw new HostError('not_found', `no agent named ${name}`, {
      hint:
        meant !== undefined
          ? `did you mean ${meant}?`
          : ids.length === 0
            ? 'no agents found here; name its path'
            : `agents here: ${ids.join(', ')}`,
    });
  }
  if (others.length > 0)
    throw new HostError('usage', `${matches.length} packages found at ${name}`, {
      hint: `name one: ${matches.map((it) => it.file).join(', ')}`,
    });
  if (one.package === undefined)
    throw new HostError('invalid_manifest', `${one.file} has errors and cannot be exported`, {
      hint: `show them: toolwharf validate ${one.file}`,
    });
  const bodyOf = ({ body }: Prompt) => {
    if (body.kind === 'text') return body.text;
    if (body.kind === 'stored') return undefined;
    const text = readTextFile(one.bundle, body.path);
    return text.ok ? text.text : undefined;
  };
  return agentOf(one.package, resolve(cwd, one.path), bodyOf);
}

function agentOf(pkg: Package, path: string, bodyOf: (prompt: Prompt) => string | undefined): Agent {
  const warnings: string[] = [];
  const clean = (text: string, what: string) => {
    const { text: cleaned, removed } = stripHidden(text);
    if (removed > 0)
      warnings.push(
        `removed ${removed} hidden ${removed === 1 ? 'character' : 'characters'} from ${what}; toolwharf validate shows them`,
      );
    return cleaned;
  };
  const instructions = pkg.prompts.find((it) => it.kind === 'instructions');
  const taken = new Set<string>();
  const skills = pkg.prompts
    .filter((it) => it.kind === 'skill')
    .flatMap((it): Skill[] => {
      const text = bodyOf(it);
      if (text === undefined) {
        warnings.push(`skipped the skill ${it.name}: its text is not in the package`);
        return [];
      }
      const slug = uniqueName(it.name, taken);
      const written = clean(withoutFrontMatter(text), `the skill ${it.name}`);
      return [{ slug, title: it.title, description: it.description || it.title, text: written }];
    });
  return {
    package: pkg,
    path,
    instructions: instructions === undefined ? '' : clean(bodyOf(instructions) ?? '', 'the instructions'),
    examples: (instructions?.examples ?? []).map((it) => clean(it, 'an example')),
    skills,
    warnings,
  };
}

/** A safe file name of letters, digits and dashes, so that an author's text cannot leave the folder. */
export function safeFileName(text: string): string {
  const safe = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return safe === '' ? 'agent' : safe;
}

function uniqueName(name: string, taken: Set<string>): string {
  const base = safeFileName(name);
  let slug = base;
  for (let count = 2; taken.has(slug); count++) slug = `${base}-${count}`;
  taken.add(slug);
  return slug;
}

export function hasTools({ package: pkg }: Agent): boolean {
  return pkg.announcesTools || pkg.tools.some((it) => it.action !== null);
}
