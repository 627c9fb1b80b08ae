import type { LockPlan, PackageChange, Plan } from '../../host/host.js';
import type { Option } from './command/command.js';

/** For commands that take a source. */
export const sourceOptions: readonly Option[] = [
  { name: 'sha256', value: 'HASH', text: 'the SHA-256 that a download or archive must have' },
  { name: 'package', value: 'ID', text: 'which package, if the source has several' },
  { name: 'estimate', text: "read the author's page about the cost" },
];

export function planDocument(plan: Plan): string {
  return `${JSON.stringify({ schema: 'toolwharf/plan@1', ...plan })}\n`;
}

export function lockPlanDocument(plan: LockPlan): string {
  return `${JSON.stringify({ schema: 'toolwharf/lock-plan@1', ...plan })}\n`;
}

export function changeDocument(change: PackageChange): string {
  return `${JSON.stringify({ schema: 'toolwharf/change@1', ...change })}\n`;
}
