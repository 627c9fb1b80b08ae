// Makes a skills-bundle from a repository that has skills or rules for agents, but no manifest.
import type { Json, JsonObject } from '../../model/json.js';
import { replaceHidden } from '../../model/unicode.js';
import type { ImportedBundle, RepositoryFiles } from '../repository-import.js';
import { readFrontmatter } from './frontmatter.js';
import { slug } from './manifest-fields.js';

interface FoundSkill {
  readonly path: string;
  /** Becomes the id, in a form that is allowed. */
  readonly label: string;
  /** Used if the file does not describe itself. */
  readonly description: string;
}

const maxSkills = 500;
const maxDescription = 1000;

/** Undefined if the repository has neither skills nor rules. */
export function importRepository(files: RepositoryFiles): ImportedBundle | undefined {
  const found = [...files.paths].sort().flatMap((path) => recognize(path) ?? []);
  if (found.length === 0) return undefined;
  const ids = new IdChoice(files.paths);
  const added: { path: string; text: string }[] = [];
  const skills: JsonObject[] = [];
  for (const skill of found.slice(0, maxSkills)) {
    const text = files.read(skill.path);
    if (text === undefined) continue;
    const id = ids.next(skill);
    const place = `skills/${id}/SKILL.md`;
    if (place !== skill.path) added.push({ path: place, text });
    skills.push(describeSkill(id, skill, text));
  }
  if (skills.length === 0) return undefined;
  const manifest = manifestOf(files, skills);
  const json = `${JSON.stringify(manifest, null, 2)}\n`;
  return { manifest, added: [...added, { path: 'findagent.json', text: json }], skills: skills.length };
}

/** What a file is, by its place. Dependencies of the repository have their own skills, which do not count. */
function recognize(path: string): FoundSkill | undefined {
  const parts = path.split('/');
  if (parts.some((it) => it === 'node_modules' || it === 'vendor' || it === '.venv')) return undefined;
  const file = parts.at(-1) as string;
  const folder = parts.slice(0, -1).join('/');
  const stem = file.replace(/\.[^.]+$/, '');
  const within = (name: string) => `/${folder}/`.includes(`/${name}/`);
  if (/^skill\.md$/i.test(file))
    return { path, label: parts.at(-2) ?? 'skill', description: 'A skill of this repository.' };
  if (within('.cursor/rules') && /\.mdc?$/.test(file)) return rule(path, stem, 'Cursor');
  if (within('.windsurf/rules') && /\.md$/.test(file)) return rule(path, stem, 'Windsurf');
  if (within('.continue/rules') && /\.md$/.test(file)) return rule(path, stem, 'Continue');
  if (file === '.cursorrules') return rule(path, 'cursor-rules', 'Cursor');
  if (file === '.windsurfrules') return rule(path, 'windsurf-rules', 'Windsurf');
  if (path === '.github/copilot-instructions.md') return rule(path, 'copilot-instructions', 'Copilot');
  if (file === 'AGENTS.md') {
    const label = folder === '' ? 'agents' : `agents-${folder}`;
    const where = folder === '' ? 'this repository' : folder;
    return { path, label, description: `Instructions for agents that work in ${where}.` };
  }
  return undefined;
}

function rule(path: string, label: string, product: string): FoundSkill {
  return { path, label, description: `A rule for ${product}.` };
}

function describeSkill(id: string, skill: FoundSkill, text: string): JsonObject {
  const { fields, body } = readFrontmatter(text);
  const name = textOf(fields.name) ?? textOf(fields.title) ?? headingOf(body) ?? skill.label;
  const tags = tagsOf(fields.tags ?? fields.keywords);
  return {
    id,
    name: name.slice(0, 100),
    description: (textOf(fields.description) ?? firstParagraph(body) ?? skill.description).slice(
      0,
      maxDescription,
    ),
    ...(tags.length === 0 ? {} : { tags }),
  };
}

function manifestOf({ name, version }: RepositoryFiles, skills: readonly JsonObject[]): JsonObject {
  const title = plain(name).slice(0, 70);
  return {
    name: [...title].length < 3 ? `${title} skills`.trim() : title,
    ...(version === undefined ? {} : { version }),
    description: `${skills.length} ${skills.length === 1 ? 'skill' : 'skills'} from ${title}.`,
    kind: 'skills-bundle',
    system_prompt:
      'You have a collection of skills. Each one says in its description when it applies. Read the text of a skill before you use it, and follow it only for the task that it describes.',
    example_prompts: [`Which of your skills helps with this task?`],
    skills: [...skills],
    delivery: 'prompt',
  };
}

/** Chooses ids. An id is also the name of a folder, which must not be in the way of another file. */
class IdChoice {
  readonly #taken: Set<string>;

  constructor(paths: readonly string[]) {
    this.#taken = new Set(
      paths.flatMap((it) => /^skills\/([^/]+)(?:\/|$)/i.exec(it)?.[1]?.toLowerCase() ?? []),
    );
  }

  next({ path, label }: FoundSkill): string {
    const own = /^skills\/([A-Za-z0-9_-][A-Za-z0-9_.-]{0,127})\/SKILL\.md$/.exec(path)?.[1];
    if (own !== undefined) return own;
    const base = slug(label);
    let id = base;
    for (let count = 2; this.#taken.has(id); count += 1) id = `${base}-${count}`;
    this.#taken.add(id);
    return id;
  }
}

function headingOf(body: string): string | undefined {
  return textOf(/^#{1,2}[ \t]+(.+?)[ \t#]*$/m.exec(body.slice(0, 4000))?.[1]);
}

/** The first paragraph that is not a heading, a list, code or a link of badges. */
function firstParagraph(body: string): string | undefined {
  const paragraphs = body.slice(0, 8000).split(/\r?\n\s*\r?\n/);
  return textOf(
    paragraphs.find((it) => /^\s*[\p{L}\p{N}"'(*_]/u.test(it) && !/^\s*(?:[*+-]|\d+\.)\s/.test(it)),
  );
}

function tagsOf(value: Json | undefined): readonly string[] {
  const list = typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return [...new Set(list.flatMap((it) => textOf(it) ?? []))].slice(0, 20);
}

/** One line without characters that cannot be seen. Undefined if nothing is left. */
function textOf(value: Json | undefined): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = plain(value);
  return text === '' ? undefined : text;
}

function plain(text: string): string {
  return replaceHidden(text.replace(/\s+/g, ' '), () => '').trim();
}
