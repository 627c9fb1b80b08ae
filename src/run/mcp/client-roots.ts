import { isAbsolute, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, type Json, type JsonObject } from '../../model/json.js';

/** The workspace of a session, and where a server sees it. */
export interface SharedWorkspace {
  readonly outside: string;
  readonly inside: string;
}

const maxRoots = 64;
const maxName = 200;

/** The part of a client's roots that is in the workspace, as the server sees it. */
export function rootsWithin(offered: Json | undefined, workspace: SharedWorkspace | null): JsonObject[] {
  if (workspace === null || !Array.isArray(offered)) return [];
  const found = new Map<string, JsonObject>();
  for (const root of offered.slice(0, maxRoots)) {
    const path = isObject(root) ? pathOf(root.uri) : undefined;
    const shared = path === undefined ? undefined : sharedPath(path, workspace);
    if (shared === undefined || found.has(shared)) continue;
    const name = isObject(root) && typeof root.name === 'string' ? { name: root.name.slice(0, maxName) } : {};
    found.set(shared, { uri: fileUri(shared), ...name });
  }
  return [...found.values()];
}

export function fileUri(path: string): string {
  return `file://${path.split('/').map(encodeURIComponent).join('/')}`;
}

function pathOf(uri: Json | undefined): string | undefined {
  try {
    return typeof uri === 'string' && uri.startsWith('file://') ? resolve(fileURLToPath(uri)) : undefined;
  } catch {
    return undefined;
  }
}

/** The workspace itself if the root contains it; a folder of the workspace if that is the root. */
function sharedPath(path: string, { outside, inside }: SharedWorkspace): string | undefined {
  if (contains(path, outside)) return inside;
  return contains(outside, path) ? resolve(inside, relative(outside, path)) : undefined;
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith('../'));
}
