import type { Tool } from '../../../model/tool.js';

/** What a tool does to the world, in a few words. */
export function effectText({ effect, effectDeclared }: Pick<Tool, 'effect' | 'effectDeclared'>): string {
  if (!effectDeclared) return 'effect not declared';
  return {
    none: 'only computes',
    read: 'reads',
    write: 'changes something',
    destructive: 'cannot be undone',
  }[effect];
}
