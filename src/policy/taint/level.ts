import { statedAmount } from './amounts.js';
import type { CallLeaf } from './call-leaf.js';
import { readPlace } from './named-place.js';
import type { TaintLevel, ToolLabels } from './tool-labels.js';

/**
 * How severe a call is. Without a label: opening or fetching a page is a visit; a send with an amount pays; a send is a
 * message; all other acts count as the most severe.
 */
export function levelOf({ level, effects, inputs }: ToolLabels, leaves: readonly CallLeaf[]): TaintLevel {
  if (level !== undefined) return level;
  if (effects.has('destructive')) return 'pay';
  if (!effects.has('write')) return 'visit';
  if (!effects.has('send')) return leaves.some(namesHost) ? 'visit' : 'pay';
  if (![...inputs.values()].some((it) => it === 'destination' || it === 'handle')) return 'pay';
  return leaves.some((it) => it.role === 'control' && statedAmount(it.text) !== undefined)
    ? 'pay'
    : 'message';
}

function namesHost({ role, text }: CallLeaf): boolean {
  return role === 'destination' && readPlace(text).kind === 'host';
}
