// What an extension says of itself when it comes up. A stranger wrote it: everything is read with bounds.
import type { AnnouncedTool } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject, type JsonSchema } from '../../model/json.js';
import { type HookPoint, hookPoints, type Package } from '../../model/package.js';
import type { UpstreamAnnouncement } from '../upstream/upstream.js';

export interface ReadAnnouncement {
  readonly announced: UpstreamAnnouncement;
  /** What is wrong with it without making it useless, one sentence each. */
  readonly remarks: readonly string[];
}

const maxTools = 1000;
const maxRemarks = 20;
const maxDescription = 16 * 1024;
const maxVersion = 64;
const maxSchemaDepth = 64;

/** Reads the answer to `initialize`. Tools are told apart by name; the first of a name counts. */
export function readAnnouncement(of: Package, said: Json): ReadAnnouncement {
  if (!isObject(said) || !isList(said.tools) || !isList(said.hooks)) {
    throw new HostError(
      'tool_bad_output',
      `the extension ${of.id} did not say what it offers when it was asked to initialize`,
      { hint: 'its answer must be {"server_version"?, "tools": [{"name", …}], "hooks": []}' },
    );
  }
  const remarks: string[] = [];
  const tools = readTools(said.tools ?? [], remarks);
  const names = new Set(tools.map((it) => it.name));
  const declared = new Set(
    of.tools.flatMap((it) => (it.action?.kind === 'upstream' ? [it.action.tool] : [])),
  );
  const undeclared = [...names].filter((it) => !declared.has(it));
  if (undeclared.length > 0)
    remarks.push(`it announces ${list(undeclared)}, which its manifest does not declare; never called`);
  const version = said.server_version;
  return {
    announced: {
      ...(typeof version === 'string' ? { version: version.slice(0, maxVersion) } : {}),
      tools,
      hooks: readHooks(of, said.hooks ?? [], remarks),
    },
    remarks: remarks.slice(0, maxRemarks),
  };
}

function readTools(said: readonly Json[], remarks: string[]): AnnouncedTool[] {
  if (said.length > maxTools)
    remarks.push(`it announces more than ${maxTools} tools; the others are left out`);
  const tools = new Map<string, AnnouncedTool>();
  for (const it of said.slice(0, maxTools)) {
    const tool = isObject(it) ? readTool(it) : undefined;
    if (tool === undefined) remarks.push('one of the tools it announces has no name that fits');
    else if (tools.has(tool.name)) remarks.push(`it announces ${JSON.stringify(tool.name)} twice`);
    else if (depthOf(tool.input ?? true) > maxSchemaDepth)
      remarks.push(`the schema of ${JSON.stringify(tool.name)} is nested too deeply; the tool is left out`);
    else tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

function readTool({ name, description, input_schema: input }: JsonObject): AnnouncedTool | undefined {
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(name)) return undefined;
  return {
    name,
    ...(typeof description === 'string' ? { description: description.slice(0, maxDescription) } : {}),
    // Whether it is sound is judged where it is used; something that cannot be a schema is none.
    ...(isObject(input) || typeof input === 'boolean' ? { input: input as JsonSchema } : {}),
  };
}

/** Hooks that the manifest does not declare are not asked. */
function readHooks(of: Package, said: readonly Json[], remarks: string[]): HookPoint[] {
  const declared = new Set<Json>(of.hooks.map((it) => it.point));
  const undeclared = said.filter((it) => hookPoints.includes(it as HookPoint) && !declared.has(it));
  if (undeclared.length > 0)
    remarks.push(`it wants to be asked ${list(undeclared.map(String))}, which its manifest does not declare`);
  return hookPoints.filter((it) => declared.has(it) && said.includes(it));
}

function isList(value: Json | undefined): value is readonly Json[] | undefined {
  return value === undefined || Array.isArray(value);
}

function list(names: readonly string[]): string {
  const rest = names.length - 5;
  const named = names.slice(0, 5).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}

/** Counted without recursion: the value may be nested more deeply than a stack. */
function depthOf(value: Json): number {
  let level: Json[] = [value];
  for (let depth = 0; ; depth++) {
    const next = level.flatMap((it): Json[] =>
      it !== null && typeof it === 'object' ? Object.values(it) : [],
    );
    if (next.length === 0 || depth > maxSchemaDepth) return depth;
    level = next;
  }
}
