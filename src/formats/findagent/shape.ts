// Reads places of a manifest that may have any shape, since the rules also see what the schema refused.
import { isObject, type Json, type JsonObject } from '../../model/json.js';

export function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The objects of a list, with their places in it. */
export function objectsOf(value: Json | undefined): readonly (readonly [number, JsonObject])[] {
  return listOf(value).flatMap((it, index) => (isObject(it) ? [[index, it] as const] : []));
}

/** A member of its own; what a prototype has does not count. */
export function memberOf(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Some fields may be written as one text or as an object with this member. */
export function shortOf(value: Json | undefined, member: string): string | undefined {
  return textOf(value) ?? textOf(memberOf(value, member));
}

/** As many tools as a manifest may have; what is beyond is an error of its own and not looked at. */
const maxTools = 40;

export function toolEntries(manifest: JsonObject): readonly (readonly [number, JsonObject])[] {
  return objectsOf(listOf(manifest.tools).slice(0, maxTools));
}

export function kindOf(manifest: JsonObject): string {
  return textOf(manifest.kind) ?? 'static-recipe';
}

export type CodeMode = 'none' | 'wrap' | 'native';

/** Who makes the MCP face of the package's own code; `none` where it has no code. */
export function codeMode(manifest: JsonObject): CodeMode {
  if (kindOf(manifest) !== 'code-bundle') return 'none';
  return shortOf(manifest.mcp, 'mode') === 'native' ? 'native' : 'wrap';
}

/** The URL of an MCP server elsewhere that does the work. */
export function remoteUrl(manifest: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(objectOf(manifest.delivery).mcp).remote).url);
}

/** The tool that stands for code which declares none. */
export const onlyTool = 'run';

/** Names under which rules may speak of tools; undefined where only a running server knows them. */
export function toolNames(manifest: JsonObject): readonly string[] | undefined {
  const names = toolEntries(manifest).flatMap(([, tool]) => textOf(tool.name) ?? []);
  if (names.length > 0) return names;
  if (codeMode(manifest) === 'wrap') return [onlyTool];
  return codeMode(manifest) === 'native' || remoteUrl(manifest) !== undefined ? undefined : [];
}

const idLike = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Lower case, everything but letters and digits turned to single dashes, at most 64 characters. */
export function slug(name: string): string {
  const dashed = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const trimmed = dashed.replace(/^-/, '').slice(0, 64).replace(/-$/, '');
  return trimmed === '' ? 'agent' : trimmed;
}

/** Another package, by its id or by the name its id is made of. */
export function packageId(agent: string): string {
  return idLike.test(agent) ? agent : slug(agent);
}
