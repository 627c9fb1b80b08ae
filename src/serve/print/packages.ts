import type { PackageReport, PackageState } from '../../host/host.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { clip, pad } from './width.js';

const paints: Record<PackageState['state'], keyof Style> = {
  ready: 'good',
  'needs-setup': 'warning',
  gated: 'warning',
  held: 'warning',
  disabled: 'dim',
  broken: 'error',
  killed: 'error',
};

/** A table that fits the terminal: one line a package, its reasons below it. */
export function printPackages(report: PackageReport, style: Style, columns: number): string {
  const { packages, summary } = report;
  if (packages.length === 0) return `no packages (${summary.scanned} files looked at)\n`;
  const name = (it: PackageState) => visibleLine(it.id ?? it.path);
  const widest = Math.min(40, Math.max(...packages.map((it) => name(it).length)));
  // What can be used comes first; the rest keeps the order of the folders.
  const ordered = [
    ...packages.filter((it) => it.state === 'ready'),
    ...packages.filter((it) => it.state !== 'ready'),
  ];
  const lines = ordered.flatMap((it) => {
    const head = `${pad(clip(name(it), widest), widest)}  ${pad(it.version, 8)} ${pad(it.format, 10)} `;
    const state = style[paints[it.state]](pad(it.state, 12));
    const tools = it.tools.map((tool) => tool.name).join(', ');
    const room = Math.max(10, columns - widest - 36);
    return [
      `${head}${state} ${clip(visibleLine(tools), room)}`.trimEnd(),
      ...it.reasons.map((reason) => style.dim(`  ${clip(visibleLine(reason), columns - 2)}`)),
    ];
  });
  const ready = packages.filter((it) => it.state === 'ready').length;
  lines.push('', `${packages.length} packages: ${ready} ready, ${packages.length - ready} not`);
  return `${lines.join('\n')}\n`;
}
