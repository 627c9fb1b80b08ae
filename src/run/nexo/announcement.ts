// The announcement of an extension at its start. It is untrusted input: all parts have limits.
import type { AnnouncedTool } from '../../model/action.js';
import { HostError } from '../../model/host-error.js';
import { isDeeperThan, isObject, type Json, type JsonObject, type JsonSchema } from '../../model/json.js';
import { type HookPoint, hookPoints, type Package } from '../../model/package.js';
import type { UpstreamAnnouncement } from '../upstream/upstream.js';

export interface ReadAnnouncement {
  readonly announced: UpstreamAnnouncement;
  /** Problems that do not make it unusable, one sentence each. */
  readonly remarks: readonly string[];
}

const maxTools = 1000;
const maxRemarks = 20;
const maxDescription = 16 * 1024;
const maxVersion = 64;
const maxSchemaDepth = 64;

/** Reads the result of `initialize`. If two tools have the same name, the first one counts. */
export function readAnnouncement(pkg: Package, result: Json): ReadAnnouncement {
  if (!isObject(result) || !isList(result.tools) || !isList(result.hooks)) {
    throw new HostError(
      'tool_bad_output',
      `the extension ${pkg.id} returned no valid announcement to initialize`,
      { hint: 'the result must be {"server_version"?, "tools": [{"name", …}], "hooks": []}' },
    );
  }
  const remarks: string[] = [];
  const tools = readTools(result.tools ?? [], remarks);
  const names = new Set(tools.map((it) => it.name));
  const declared = new Set(
    pkg.tools.flatMap((it) => (it.action?.kind === 'upstream' ? [it.action.tool] : [])),
  );
  const undeclared = [...names].filter((it) => !declared.has(it));
  if (undeclared.length > 0)
    remarks.push(
      `it announces ${list(undeclared)}, which its manifest does not declare; they are never called`,
    );
  const version = result.server_version;
  return {
    announced: {
      ...(typeof version === 'string' ? { version: version.slice(0, maxVersion) } : {}),
      tools,
      hooks: readHooks(pkg, result.hooks ?? [], remarks),
    },
    remarks: remarks.slice(0, maxRemarks),
  };
}

function readTools(entries: readonly Json[], remarks: string[]): AnnouncedTool[] {
  if (entries.length > maxTools)
    remarks.push(`it announces more than ${maxTools} tools; the others are ignored`);
  const tools = new Map<string, AnnouncedTool>();
  for (const it of entries.slice(0, maxTools)) {
    const tool = isObject(it) ? readTool(it) : undefined;
    if (tool === undefined) remarks.push('one of the announced tools has no valid name');
    else if (tools.has(tool.name)) remarks.push(`it announces ${JSON.stringify(tool.name)} twice`);
    else if (isDeeperThan(tool.input ?? true, maxSchemaDepth))
      remarks.push(`the schema of ${JSON.stringify(tool.name)} is nested too deeply; the tool is ignored`);
    else tools.set(tool.name, tool);
  }
  return [...tools.values()];
}

function readTool({ name, description, input_schema: input }: JsonObject): AnnouncedTool | undefined {
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(name)) return undefined;
  return {
    name,
    ...(typeof description === 'string' ? { description: description.slice(0, maxDescription) } : {}),
    // The schema is checked when it is used; a value of another type counts as no schema.
    ...(isObject(input) || typeof input === 'boolean' ? { input: input as JsonSchema } : {}),
  };
}

/** Hooks that the manifest does not declare are not called. */
function readHooks(pkg: Package, entries: readonly Json[], remarks: string[]): HookPoint[] {
  const declared = new Set<Json>(pkg.hooks.map((it) => it.point));
  const undeclared = entries.filter((it) => hookPoints.includes(it as HookPoint) && !declared.has(it));
  if (undeclared.length > 0)
    remarks.push(
      `it announces the hooks ${list(undeclared.map(String))}, which its manifest does not declare`,
    );
  return hookPoints.filter((it) => declared.has(it) && entries.includes(it));
}

function isList(value: Json | undefined): value is readonly Json[] | undefined {
  return value === undefined || Array.isArray(value);
}

function list(names: readonly string[]): string {
  const rest = names.length - 5;
  const named = names.slice(0, 5).join(', ');
  return rest > 0 ? `${named} and ${rest} more` : named;
}
