import { splitToolName } from './tool-name.js';

/** What the kill switch can stop: everything, a package, one tool, or all calls of one principal. */
export type KillTarget =
  | { readonly kind: 'all' }
  | { readonly kind: 'package'; readonly package: string }
  | { readonly kind: 'tool'; readonly package: string; readonly tool: string }
  | { readonly kind: 'principal'; readonly principal: string };

/** A call, or a set of calls, that may be stopped. An absent tool or package means any. */
export interface KillSubject {
  readonly principal: string;
  readonly package?: string | undefined;
  readonly tool?: string | undefined;
}

const principalPrefix = 'principal:';
const maxLength = 300;

/** Parses `all`, `PACKAGE`, `PACKAGE/TOOL` or `principal:NAME`; undefined for anything else. */
export function parseKillTarget(text: string): KillTarget | undefined {
  if (text.length > maxLength || text !== text.trim() || /\p{Cc}/u.test(text)) return undefined;
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

/** The text that `parseKillTarget` accepts. */
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
 * Whether a target stops a subject. The name of a user includes all programs of that user (`ada/cli`), and the name of
 * a token includes all tokens that had this name (`http/laptop#tok_2`).
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
