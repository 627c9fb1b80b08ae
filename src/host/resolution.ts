import { suggest } from '../formats/suggest.js';
import { HostError } from '../model/host-error.js';
import type { Judged } from './readiness.js';
import { notReady } from './served-tool.js';
import type { ServedTool } from './tool.js';

/** By the list they were made from, which is never changed: another list is another array. */
const indexes = new WeakMap<readonly ServedTool[], ReadonlyMap<string, ServedTool>>();

/** The tool of a name: `package/tool`, its exposed name, or whatever can mean only one. */
export function findTool(tools: readonly ServedTool[], name: string): ServedTool | undefined {
  let index = indexes.get(tools);
  if (index === undefined) {
    index = indexOf(tools);
    indexes.set(tools, index);
  }
  return index.get(name) ?? soleTool(tools, name);
}

/** `package/tool` wins where another tool is exposed under the same word, the first where two have one name. */
function indexOf(tools: readonly ServedTool[]): ReadonlyMap<string, ServedTool> {
  const index = new Map<string, ServedTool>();
  for (const it of tools.toReversed()) index.set(it.exposed, it);
  for (const it of tools.toReversed()) index.set(it.name, it);
  return index;
}

/**
 * A package names its only tool, and a tool's own name is enough where no other package has it. What reads as
 * `package/tool` names that package: a server must not answer for one that is not here by calling its tool so.
 */
function soleTool(tools: readonly ServedTool[], name: string): ServedTool | undefined {
  if (name.includes('/')) return undefined;
  for (const mine of [
    tools.filter((it) => it.package.id === name),
    tools.filter((it) => it.tool.name === name),
  ]) {
    if (mine.length === 1) return mine[0];
  }
  return undefined;
}

/** The package that must be meant although its tools are not known yet: by its id, or by a tool that it alone declares. */
export function namedPackage(judged: readonly Judged[], name: string): Judged | undefined {
  const declares = (it: Judged) => it.loaded.catalog?.package.tools.some((tool) => tool.name === name);
  const id = (it: Judged) => it.loaded.catalog?.package.id;
  const named = judged.find((it) => id(it) === name || name.startsWith(`${id(it)}/`));
  const declaring = judged.filter(declares);
  return named ?? (declaring.length === 1 ? declaring[0] : undefined);
}

/** Why there is no tool of a name, with what is near. */
export function noSuchTool(tools: readonly ServedTool[], judged: readonly Judged[], name: string): HostError {
  const [only] = judged;
  if (tools.length === 0 && judged.length === 1 && only?.fixed) return notReady(name, only.fixed);
  // What is near comes first: tools of the package that was named, and names that are almost the same.
  const near = tools.filter((it) => name.startsWith(`${it.package.id}/`) || it.name.includes(name));
  const meant = nearest(tools, name);
  const shown = [...new Set([...near, ...tools])].slice(0, 8).map((it) => it.name);
  const hint =
    tools.length === 0
      ? 'no package here has tools'
      : `${meant === undefined ? '' : `did you mean ${meant}? `}tools here: ${shown.join(', ')}${tools.length > shown.length ? ', …' : ''}`;
  return new HostError('tool_not_found', `there is no tool ${JSON.stringify(name)}`, { hint });
}

/** The tool whose full or short name was probably meant. */
function nearest(tools: readonly ServedTool[], name: string): string | undefined {
  const full = suggest(
    name,
    tools.map((it) => it.name),
  );
  if (full !== undefined) return full;
  const short = suggest(
    name,
    tools.map((it) => it.tool.name),
  );
  return tools.find((it) => it.tool.name === short)?.name;
}

/** A package that was understood; throws with what is there when there is none of that id. */
export function findPackage(judged: readonly Judged[], id: string): Judged {
  const known = judged.filter((it) => it.loaded.catalog !== undefined);
  const found = known.find((it) => it.loaded.catalog?.package.id === id);
  if (found !== undefined) return found;
  const ids = known.map((it) => it.loaded.catalog?.package.id).slice(0, 8);
  throw new HostError('not_found', `there is no sound package ${JSON.stringify(id)} here`, {
    hint: ids.length === 0 ? 'name the folder that has it with --dir' : `packages here: ${ids.join(', ')}`,
  });
}
