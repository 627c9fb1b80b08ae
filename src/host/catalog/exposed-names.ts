import { sha256 } from '../../files/sha256.js';
import { reservedToolNames } from '../../model/tool-name.js';

const maxLength = 64;

export interface ToolToExpose {
  readonly packageId: string;
  readonly tool: string;
  /** Whether it is the only tool of its package. */
  readonly only: boolean;
}

/**
 * Tool names for clients that do not allow slashes: `<package>_<tool>`, or just the tool name if it is the package's only
 * tool and has the same name. A name that is too long, taken or reserved gets a suffix that depends only on the tool.
 */
export function exposedNames(tools: readonly ToolToExpose[]): string[] {
  const plain = tools.map((it) =>
    clean(it.only && it.tool === it.packageId ? it.tool : `${it.packageId}_${it.tool}`),
  );
  const isAllowed = (name: string) => name.length <= maxLength && !reservedToolNames.has(name);
  const long = tools.map((it, index) => suffixed(plain[index] as string, it));
  // A plain name that another tool also has, plain or with suffix, goes to neither: one could pass for the other.
  const uses = new Map<string, number>();
  for (const name of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  const suffixes = new Set(long);
  return plain.map((name, index) =>
    isAllowed(name) && uses.get(name) === 1 && !suffixes.has(name) ? name : (long[index] as string),
  );
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '_');
}

function suffixed(name: string, { packageId, tool }: ToolToExpose): string {
  const digest = sha256(`${packageId}\0${tool}`).slice(0, 6);
  return `${name.slice(0, maxLength - 7)}_${digest}`;
}
