import type { PackageChange } from '../../host/host.js';
import { visibleLine } from './visible.js';

const marks = { done: '✓', unchanged: '✓', skipped: '-', failed: '✗' } as const;

/** What happened to a package, step by step, and what is left to do. */
export function printChange(change: PackageChange): string {
  const { package: id, operation, from, to, steps, left } = change;
  const name = visibleLine(id);
  const at = (it: typeof to) =>
    it === undefined ? '' : ` ${visibleLine(it.version)} (generation ${it.generation})`;
  const lines = steps.map(({ name: step, status, detail }) => {
    const more = detail === undefined ? '' : `  ${visibleLine(detail)}`;
    const note = status === 'done' ? '' : `  ${status}`;
    return `  ${marks[status]} ${step.padEnd(12)}${note}${more}`.trimEnd();
  });
  const done = {
    install: `installed ${name}${at(to)}`,
    update: `updated ${name} from${at(from)} to${at(to)}`,
    unchanged: `${name}${at(to)} is unchanged`,
    rollback: `rolled back ${name} from${at(from)} to${at(to)}`,
    revoke: left.length === 0 ? `revoked ${name}` : `${name} is stopped, but not completely revoked`,
    remove: `removed ${name}`,
    verify: `verified ${name}`,
  }[operation];
  return [...lines, done, ...left.map((it) => `  left to do: ${visibleLine(it)}`), ''].join('\n');
}
