// Reads fields of a manifest whose values can have any type: the rules also run when the schema reports errors.
import { isObject, type Json, type JsonObject, type JsonPath } from '../../model/json.js';

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function stringOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The objects of a list, with their indexes. */
export function objectsOf(value: Json | undefined): readonly (readonly [number, JsonObject])[] {
  return listOf(value).flatMap((it, index) => (isObject(it) ? [[index, it] as const] : []));
}

/** An own property; inherited ones are ignored. */
export function memberOf(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Reads a field that is either a string or an object with this member. */
export function stringOrMember(value: Json | undefined, member: string): string | undefined {
  return stringOf(value) ?? stringOf(memberOf(value, member));
}

/** The schema reports an error for more tools than this; the rules ignore the extra ones. */
const maxTools = 40;

/** The tools with their places. The skills of a code-bundle that have an input are tools of its code. */
export function toolEntries(manifest: JsonObject): readonly (readonly [JsonPath, JsonObject])[] {
  const tools = objectsOf(manifest.tools).map(([index, it]) => [['tools', index], it] as const);
  const skills = objectsOf(manifest.skills).flatMap(([index, it]) =>
    isSkillTool(manifest, it) ? [[['skills', index], skillTool(it)] as const] : [],
  );
  return [...tools.slice(0, maxTools), ...skills.slice(0, maxTools)];
}

/** Whether a skill is a tool instead of a text. */
export function isSkillTool(manifest: JsonObject, skill: JsonObject): boolean {
  return agentKind(manifest) === 'code-bundle' && memberOf(skill, 'input_schema') !== undefined;
}

/** The skill in the form of a tool. It has no action of its own: the code runs it. */
function skillTool(skill: JsonObject): JsonObject {
  const { action: _, ...fields } = skill;
  return { ...fields, name: skillToolName(skill) };
}

/** The id if it can be the name of a tool, else the name, else the name with underscores. */
function skillToolName(skill: JsonObject): string {
  const candidates = [stringOf(skill.id), stringOf(skill.name)].filter((it) => it !== undefined);
  const name = candidates.find((it) => /^[A-Za-z0-9_-]{1,64}$/.test(it));
  return name ?? slug(candidates.at(-1) ?? '').replaceAll('-', '_');
}

export function agentKind(manifest: JsonObject): string {
  return stringOf(manifest.kind) ?? 'static-recipe';
}

export type CodeMode = 'none' | 'wrap' | 'native';

/** How the package's code becomes MCP tools: `wrap` by this host, `native` by its own server, `none` without code. */
export function codeMode(manifest: JsonObject): CodeMode {
  if (agentKind(manifest) !== 'code-bundle') return 'none';
  return stringOrMember(manifest.mcp, 'mode') === 'native' ? 'native' : 'wrap';
}

/** The URL of the remote MCP server. */
export function remoteUrl(manifest: JsonObject): string | undefined {
  return stringOf(objectOf(objectOf(objectOf(manifest.delivery).mcp).remote).url);
}

/** The tool name of a code-bundle that declares no tools. */
export const defaultToolName = 'run';

/** Names of the tools; undefined when only a running server knows them. */
export function toolNames(manifest: JsonObject): readonly string[] | undefined {
  const names = toolEntries(manifest).flatMap(([, tool]) => stringOf(tool.name) ?? []);
  if (names.length > 0) return names;
  if (codeMode(manifest) === 'wrap') return [defaultToolName];
  return codeMode(manifest) === 'native' || remoteUrl(manifest) !== undefined ? undefined : [];
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Lowercase; every run of characters other than letters and digits becomes one dash; at most 64 characters. */
export function slug(name: string): string {
  const dashed = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const trimmed = dashed.replace(/^-/, '').slice(0, 64).replace(/-$/, '');
  return trimmed === '' ? 'agent' : trimmed;
}

/** The id of another package, given as its id or its name. */
export function packageId(agent: string): string {
  return idPattern.test(agent) ? agent : slug(agent);
}
