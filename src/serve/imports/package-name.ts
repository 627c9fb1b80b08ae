import { canonicalJson, isObject } from '../../model/json.js';
import { answerLimits, tryParseBounded } from '../../model/json-bounds.js';

/** The id of a package for an entry: its name in the alphabet of ids, with a number if that is taken. */
export function freePackageName(entry: string, taken: ReadonlySet<string>): string {
  const base =
    entry
      .toLowerCase()
      .replace(/[^a-z0-9_-]+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '')
      .slice(0, 60) || 'server';
  let free = base;
  for (let number = 2; taken.has(free); number++) free = `${base}-${number}`;
  return free;
}

/** Whether two sources start the same server, whatever it is named and may use. */
export function sameServer(left: string, right: string): boolean {
  const [a, b] = [manifestOf(left), manifestOf(right)];
  return a !== undefined && a === b;
}

function manifestOf(source: string): string | undefined {
  if (!source.startsWith('mcp:')) return undefined;
  const value = tryParseBounded(source.slice('mcp:'.length), answerLimits);
  if (!isObject(value)) return undefined;
  const { name: _name, network: _network, files: _files, ...server } = value;
  return canonicalJson(server);
}
