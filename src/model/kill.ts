import { splitToolName } from './tool-name.js';

/** What can be stopped at once: everything, a package, one of its tools, or what one caller does. */
export type KillTarget =
  | { readonly kind: 'all' }
  | { readonly kind: 'package'; readonly package: string }
  | { readonly kind: 'tool'; readonly package: string; readonly tool: string }
  | { readonly kind: 'principal'; readonly principal: string };

/** Who calls what; without a tool, anything of the package; without a package, anything at all. */
export interface KillSubject {
  readonly principal: string;
  readonly package?: string | undefined;
  readonly tool?: string | undefined;
}

const principalPrefix = 'principal:';
const longest = 300;

/** `all`, `PACKAGE`, `PACKAGE/TOOL` or `principal:NAME`; undefined for anything else. */
export function parseKillTarget(text: string): KillTarget | undefined {
  if (text.length > longest || text !== text.trim() || /\p{Cc}/u.test(text)) return undefined;
  if (text === 'all') return { kind: 'all' };
  if (text.startsWith(principalPrefix)) {
    const principal = text.slice(principalPrefix.length);
    return principal === '' ? undefined : { kind: 'principal', principal };
  }
  const [packageId, tool] = splitToolName(text);
  if (/[\s:]/.test(text) || packageId === '' || tool === '') return undefined;
  return tool === undefined
    ? { kind: 'package', package: packageId }
    : { kind: 'tool', package: packageId, tool };
}

export function killTargetText(target: KillTarget): string {
  switch (target.kind) {
    case 'all':
      return 'all';
    case 'package':
      return target.package;
    case 'tool':
      return `${target.package}/${target.tool}`;
    case 'principal':
      return `${principalPrefix}${target.principal}`;
  }
}

/**
 * Whether something is stopped by a target. A user's name stands for all programs of that user, and that of a token for
 * all tokens that were ever called so.
 */
export function isKilled(target: KillTarget, subject: KillSubject): boolean {
  switch (target.kind) {
    case 'all':
      return true;
    case 'package':
      return subject.package === target.package;
    case 'tool':
      return subject.package === target.package && subject.tool === target.tool;
    case 'principal':
      return (
        subject.principal === target.principal ||
        subject.principal.startsWith(`${target.principal}/`) ||
        subject.principal.startsWith(`${target.principal}#`)
      );
  }
}
