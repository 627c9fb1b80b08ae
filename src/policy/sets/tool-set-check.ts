import { isDeeperThan, isObject, type Json, type JsonObject } from '../../model/json.js';
import { reservedToolNames, splitToolName } from '../../model/tool-name.js';
import type { ToolSet, ToolView } from '../../model/tool-set.js';
import { codePointName, findHidden } from '../../model/unicode.js';
import { foldName } from './set-scope.js';

const maxEntries = 2000;
const maxPatterns = 1000;
const maxDescription = 4096;
const maxArgumentDepth = 50;
/** Characters of the whole set as JSON. */
const maxSize = 256 * 1024;

const setName = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** What all MCP clients accept. */
const clientName = /^[A-Za-z0-9_-]{1,64}$/;

/** The set that some data means, or the first thing that is wrong with it. */
export type ToolSetResult = { readonly set: ToolSet } | { readonly problem: string };

/** Reads a set from data of any origin. */
export function readToolSet(value: unknown): ToolSetResult {
  if (!isObject(value)) return { problem: 'a set must be an object' };
  if (isDeeperThan(value, maxArgumentDepth + 4)) return { problem: 'a set must not be nested that deeply' };
  if (JSON.stringify(value).length > maxSize) return { problem: 'a set must not be larger than 256 KiB' };
  const { name, packages, only, tools = {}, ...others } = value;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) return { problem: `a set has no member ${JSON.stringify(unknown)}` };
  const problem =
    setNameProblem(name) ??
    patternsProblem('packages', packages, false) ??
    patternsProblem('only', only, true) ??
    (isObject(tools) ? viewsProblem(tools) : 'tools must be an object');
  if (problem !== undefined) return { problem };
  return { set: orderedSet({ name, packages, only, tools } as unknown as ToolSet) };
}

/** What is wrong with the name of a set. */
export function setNameProblem(name: unknown): string | undefined {
  if (typeof name === 'string' && setName.test(name)) return undefined;
  return `${JSON.stringify(name)} is not a valid name of a set: use lower-case letters, digits, dots, dashes and underscores`;
}

/** Without absent members, so that equal sets have equal digests. */
function orderedSet({ name, packages, only, tools }: ToolSet): ToolSet {
  return {
    name,
    ...(packages === undefined ? {} : { packages: [...packages] }),
    ...(only === undefined ? {} : { only: [...only] }),
    tools: Object.fromEntries(
      Object.entries(tools)
        .map(([key, view]) => [key, orderedView(view)] as const)
        .filter(([, view]) => Object.keys(view).length > 0)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
  };
}

function orderedView({ hidden, name, description, arguments: fixed }: ToolView): ToolView {
  return {
    ...(hidden === undefined ? {} : { hidden }),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(fixed === undefined || Object.keys(fixed).length === 0 ? {} : { arguments: fixed }),
  };
}

function patternsProblem(member: string, value: Json | undefined, mayNameTools: boolean): string | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.some((it) => typeof it !== 'string' || it === ''))
    return `${member} must be a list of names`;
  if (value.length > maxPatterns) return `${member} must not have more than ${maxPatterns} names`;
  const tool = mayNameTools ? undefined : value.find((it) => String(it).includes('/'));
  return tool === undefined ? undefined : `packages names packages; write ${JSON.stringify(tool)} in only`;
}

function viewsProblem(tools: JsonObject): string | undefined {
  const entries = Object.entries(tools);
  if (entries.length > maxEntries) return `a set must not change more than ${maxEntries} tools`;
  const names = new Map<string, string>();
  for (const [key, view] of entries) {
    const problem = viewProblem(key, view);
    if (problem !== undefined) return `${key}: ${problem}`;
    const { name } = view as ToolView;
    const other = name === undefined ? undefined : names.get(foldName(name));
    if (other !== undefined) return `${key}: ${other} has the name ${JSON.stringify(name)} already`;
    if (name !== undefined) names.set(foldName(name), key);
  }
  return undefined;
}

function viewProblem(key: string, view: Json): string | undefined {
  const [packageId, tool] = splitToolName(key);
  if (packageId === '' || tool === undefined || tool === '' || packageId.includes('*'))
    return 'write a tool as PACKAGE/TOOL, or PACKAGE/* to hide a whole package';
  if (key === `${packageId}/__proto__` || packageId === '__proto__') return 'this name cannot be used';
  if (!isObject(view)) return 'what a set changes about a tool must be an object';
  const { hidden, name, description, arguments: fixed, ...others } = view;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined)
    return `unknown member ${JSON.stringify(unknown)}; use hidden, name, description or arguments`;
  if (hidden !== undefined && typeof hidden !== 'boolean') return 'hidden must be true or false';
  if (tool === '*' && [name, description, fixed].some((it) => it !== undefined))
    return 'only hidden can be said about all tools of a package';
  return nameProblem(name) ?? descriptionProblem(description) ?? argumentsProblem(fixed);
}

function nameProblem(name: Json | undefined): string | undefined {
  if (name === undefined) return undefined;
  if (typeof name !== 'string' || !clientName.test(name))
    return `${JSON.stringify(name)} is not a valid tool name: use 1 to 64 letters, digits, dashes and underscores`;
  return [...reservedToolNames].some((it) => foldName(it) === foldName(name))
    ? `the name ${name} is reserved for the host`
    : undefined;
}

function descriptionProblem(description: Json | undefined): string | undefined {
  if (description === undefined) return undefined;
  if (typeof description !== 'string' || description.trim() === '')
    return 'the description must be a text that is not empty';
  if (description.length > maxDescription)
    return `the description must not have more than ${maxDescription} characters`;
  const [hidden] = findHidden(description.replace(/[\n\t]/g, ' '));
  return hidden === undefined
    ? undefined
    : `the description contains the hidden character ${codePointName(hidden.codePoint)}`;
}

function argumentsProblem(fixed: Json | undefined): string | undefined {
  if (fixed === undefined) return undefined;
  if (!isObject(fixed)) return 'arguments must be an object';
  return Object.hasOwn(fixed, '__proto__') ? 'the argument __proto__ cannot be fixed' : undefined;
}
