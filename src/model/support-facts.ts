import type { Fact } from './package.js';

/** Labels of the facts that say where people get help. */
const supportLabels: ReadonlySet<string> = new Set(['issues', 'security contact', 'manual']);

/** Whether a fact says where people get help. */
export function isSupportFact({ label }: Fact): boolean {
  return supportLabels.has(label);
}
