import { tryPackageName } from '../names/package-name.js';

/**
 * The name of a package in the API of the official MCP registry, which has exactly one slash and no "_" before it. Two
 * namespaces that differ only in their separators cannot be in one registry, so no two packages get the same name.
 */
export function serverNameOf(name: string): string {
  const { namespace, name: own } = tryPackageName(name) ?? { namespace: name, name: undefined };
  return `${namespace.replaceAll('_', '-')}/${own ?? namespace}`;
}
