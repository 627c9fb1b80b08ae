import { hash } from 'node:crypto';
import { reservedToolNames } from '../model/tool-name.js';

const maxLength = 64;

export interface NamedTool {
  readonly packageId: string;
  readonly tool: string;
  /** Whether the package has no other tool. */
  readonly only: boolean;
}

/**
 * Names for clients that know no slashes: `<package>_<tool>`, or just the name where a package has one tool
 * called like itself. Too long, taken or reserved names get a suffix that depends on nothing but the tool.
 */
export function exposedNames(tools: readonly NamedTool[]): string[] {
  const plain = tools.map((it) =>
    clean(it.only && it.tool === it.packageId ? it.tool : `${it.packageId}_${it.tool}`),
  );
  const isFree = (name: string) => name.length <= maxLength && !reservedToolNames.has(name);
  const long = tools.map((it, index) => suffixed(plain[index] as string, it));
  // A plain name that another tool has, plain or with its suffix, is nobody's: else one could pass for the other.
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  const suffixes = new Set(long);
  return plain.map((name, index) =>
    isFree(name) && uses.get(name) === 1 && !suffixes.has(name) ? name : (long[index] as string),
  );
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

function suffixed(name: string, of: NamedTool): string {
  const digest = hash('sha256', `${of.packageId}\0${of.tool}`).slice(0, 6);
  return `${name.slice(0, maxLength - 7)}_${digest}`;
}
