// MCP Apps: pages at `ui://` addresses that clients show beside the results of tools.
import { isObject, type Json, type JsonObject } from './json.js';

/** The extension of MCP, as clients and servers declare it. */
export const appExtension = 'io.modelcontextprotocol/ui';
export const appScheme = 'ui://';
export const appMimeType = 'text/html;profile=mcp-app';
/** What is declared for the extension. */
export const appSettings: JsonObject = { mimeTypes: [appMimeType] };

/** The page of an app, as its server gave it when it announced its tools. */
export interface AnnouncedApp {
  /** The server's own address. */
  readonly uri: string;
  /** Digest of its content, with its type and `ui`. Absent: it could not be read, and is not served. */
  readonly content?: string;
  /** Characters of its content. */
  readonly length?: number;
  /** The `_meta.ui` of its content: what the page may load and connect to, and what it wants from the browser. */
  readonly ui?: JsonObject;
}

/** The older place of the address in the metadata of a tool. */
const oldKey = 'ui/resourceUri';

export function isAppAddress(uri: string): boolean {
  return /^ui:\/\//i.test(uri);
}

/** The addresses in the metadata of a tool, in both places. */
export function appAddresses(meta: JsonObject | undefined): string[] {
  const ui = isObject(meta?.ui) ? meta.ui.resourceUri : undefined;
  return [ui, meta?.[oldKey]].filter((it) => typeof it === 'string');
}

/** The metadata of a tool with other addresses. `address` returns undefined for one that is left out. */
export function withAppAddresses(meta: JsonObject, address: (uri: string) => string | undefined): JsonObject {
  const replaced = (members: JsonObject, key: string): JsonObject => {
    if (!Object.hasOwn(members, key)) return members;
    const given = members[key];
    const found = typeof given === 'string' ? address(given) : undefined;
    return Object.fromEntries(
      Object.entries(members).flatMap(([name, value]) =>
        name !== key ? [[name, value]] : found === undefined ? [] : [[name, found]],
      ),
    );
  };
  const flat = replaced(meta, oldKey);
  return isObject(flat.ui) ? { ...flat, ui: replaced(flat.ui, 'resourceUri') } : flat;
}

/** Whether a tool is for apps, and not for the model. */
export function isAppOnly({ meta }: { readonly meta?: JsonObject | undefined }): boolean {
  const visibility = isObject(meta?.ui) ? meta.ui.visibility : undefined;
  return Array.isArray(visibility) && !visibility.includes('model');
}

/** Whether a client shows apps, by its capabilities. */
export function showsApps(capabilities: Json | undefined): boolean {
  const extensions = isObject(capabilities) ? capabilities.extensions : undefined;
  const settings = isObject(extensions) ? extensions[appExtension] : undefined;
  if (!isObject(settings)) return false;
  return !Array.isArray(settings.mimeTypes) || settings.mimeTypes.includes(appMimeType);
}
