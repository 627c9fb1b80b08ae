import type { LockPlan } from '../../host/host.js';
import { printPlan } from './plan.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';

/** What restoring a lock file would do, as one page. */
export function printLockPlan(
  { file, digest, unchanged, plans }: LockPlan,
  style: Style,
  columns: number,
): string {
  const count = plans.length + unchanged.length;
  const head = `${style.bold(visibleLine(file))}  ${count} ${count === 1 ? 'package' : 'packages'}`;
  const installed = unchanged.map(({ package: id, version, generation }) =>
    visibleLine(`  ✓ ${id} ${version} is installed already (generation ${generation})`),
  );
  const pages = plans.map((it) => `\n${printPlan(it, style, columns)}`);
  return `${[head, ...installed].join('\n')}\n${pages.join('')}\n${style.dim(`lock file ${digest}`)}\n`;
}
