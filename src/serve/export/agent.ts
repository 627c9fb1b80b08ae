import { resolve } from 'node:path';
import { discover } from '../../bundle/discover.js';
import { defaultParseOptions, inspect } from '../../formats/inspect.js';
import { readText } from '../../formats/source.js';
import { suggest } from '../../formats/suggest.js';
import { HostError } from '../../model/host-error.js';
import type { Package, Prompt } from '../../model/package.js';
import { cleanText, withoutHeader } from './text.js';

/** A package with its words at hand. Nothing of it is run, linked or installed for this. */
export interface Agent {
  readonly package: Package;
  /** Absolute path of the manifest. */
  readonly path: string;
  /** What the author wants the model to be told; empty where there is nothing. */
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

export interface Wanted {
  /** A path, or an id that is looked for below `folders`. */
  readonly name: string;
  readonly isPath: boolean;
  readonly folders: readonly string[];
  readonly cwd: string;
}

export async function findAgent({ name, isPath, folders, cwd }: Wanted): Promise<Agent> {
  const { found, missing } = discover(isPath ? [name] : folders, { cwd });
  const [lost] = missing;
  if (lost !== undefined)
    throw new HostError('not_found', `there is nothing at ${lost}`, { hint: 'check the path' });
  const read = await Promise.all(
    found.map(async ({ file, path, format, bundle }) => {
      const { package: understood } = inspect(await format.load(), bundle, defaultParseOptions);
      return { file, path, bundle, package: understood };
    }),
  );
  const fitting = isPath ? read : read.filter((it) => it.package?.id === name);
  const ids = read.flatMap((it) => it.package?.id ?? []);
  const [one, ...others] = fitting;
  if (one === undefined) {
    const meant = suggest(name, ids);
    throw new HostError('not_found', `there is no agent ${name}`, {
      hint:
        meant !== undefined
          ? `did you mean ${meant}?`
          : ids.length === 0
            ? 'none was found; name its path'
            : `agents here: ${ids.join(', ')}`,
    });
  }
  if (others.length > 0)
    throw new HostError('usage', `${fitting.length} packages are at ${name}`, {
      hint: `name one: ${fitting.map((it) => it.file).join(', ')}`,
    });
  if (one.package === undefined)
    throw new HostError('invalid_manifest', `${one.file} has errors and cannot be exported`, {
      hint: `see them: toolwharf validate ${one.file}`,
    });
  const bodyOf = ({ body }: Prompt) => {
    if (body.kind === 'text') return body.text;
    const text = readText(one.bundle, body.path);
    return text.ok ? text.text : undefined;
  };
  return agentOf(one.package, resolve(cwd, one.path), bodyOf);
}

function agentOf(of: Package, path: string, bodyOf: (prompt: Prompt) => string | undefined): Agent {
  const warnings: string[] = [];
  const clean = (text: string, what: string) => {
    const { text: cleaned, removed } = cleanText(text);
    if (removed > 0)
      warnings.push(`${removed} hidden characters were left out of ${what}; toolwharf validate shows them`);
    return cleaned;
  };
  const instructions = of.prompts.find((it) => it.kind === 'instructions');
  const taken = new Set<string>();
  const skills = of.prompts
    .filter((it) => it.kind === 'skill')
    .flatMap((it): Skill[] => {
      const text = bodyOf(it);
      if (text === undefined) {
        warnings.push(`the words of the skill ${it.name} are not in the package; it was left out`);
        return [];
      }
      const slug = uniqueName(it.name, taken);
      const written = clean(withoutHeader(text), `the skill ${it.name}`);
      return [{ slug, title: it.title, description: it.description || it.title, text: written }];
    });
  return {
    package: of,
    path,
    instructions: instructions === undefined ? '' : clean(bodyOf(instructions) ?? '', 'the instructions'),
    examples: (instructions?.examples ?? []).map((it) => clean(it, 'an example')),
    skills,
    warnings,
  };
}

/** Letters, digits and dashes; what an author wrote never leads out of a folder. */
export function fileName(text: string): string {
  const safe = text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return safe === '' ? 'agent' : safe;
}

function uniqueName(name: string, taken: Set<string>): string {
  const base = fileName(name);
  let slug = base;
  for (let count = 2; taken.has(slug); count++) slug = `${base}-${count}`;
  taken.add(slug);
  return slug;
}

export function hasTools({ package: of }: Agent): boolean {
  return of.announces || of.tools.some((it) => it.action !== null);
}
