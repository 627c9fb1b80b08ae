import { isObject, type Json, type JsonObject } from '../../model/json.js';

export function tableOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** The strings of a list; everything else is left out, because the schema reports it. */
export function textsOf(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((it) => typeof it === 'string') : [];
}

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** How the server is reached. Undefined if the manifest does not say. */
export function targetOf(manifest: JsonObject): 'process' | 'image' | 'url' | undefined {
  if (manifest.url !== undefined) return 'url';
  if (tableOf(manifest.install).image !== undefined) return 'image';
  return manifest.command === undefined ? undefined : 'process';
}
