import type { PackageReport, PackageState } from '../../host/host.js';
import type { Style } from './style.js';
import { visibleLine } from './visible.js';
import { clip, pad, width, wrap } from './width.js';

const paints: Record<PackageState['state'], keyof Style> = {
  ready: 'good',
  'needs-setup': 'warning',
  unavailable: 'warning',
  'needs-review': 'warning',
  disabled: 'dim',
  broken: 'error',
  killed: 'error',
};

/** Below this, version and format make room for what matters more. */
const narrow = 80;

/** A table that fits the terminal: one line a package, its reasons below it in full, for they say what to do. */
export function printPackages(report: PackageReport, style: Style, columns: number): string {
  const { packages, summary } = report;
  if (packages.length === 0)
    return `no packages (${summary.scanned} files looked at)\n  make one: toolwharf init patch; or name a folder that has some: toolwharf list DIR\n`;
  const name = (it: PackageState) => visibleLine(it.id ?? it.path);
  const isNarrow = columns < narrow;
  const widest = Math.min(
    isNarrow ? 24 : columns < 100 ? 32 : 40,
    Math.max(...packages.map((it) => width(name(it)))),
  );
  // What can be used comes first; the rest keeps the order of the folders.
  const ordered = [
    ...packages.filter((it) => it.state === 'ready'),
    ...packages.filter((it) => it.state !== 'ready'),
  ];
  const lines = ordered.flatMap((it) => {
    const facts = isNarrow ? '' : `${pad(it.version, 8)} ${pad(it.format, 10)} `;
    const head = `${pad(clip(name(it), widest), widest)}  ${visibleLine(facts)}`;
    const state = style[paints[it.state]](pad(it.state, 12));
    const tools = it.tools.map((tool) => tool.name).join(', ');
    const room = Math.max(10, columns - width(head) - 13);
    return [
      `${head}${state} ${clip(visibleLine(tools), room)}`.trimEnd(),
      ...it.reasons.flatMap((reason) =>
        wrap(visibleLine(reason), Math.max(20, columns - 4)).map((line, index) =>
          style.dim(`${index === 0 ? '  ' : '    '}${line}`),
        ),
      ),
    ];
  });
  const ready = packages.filter((it) => it.state === 'ready').length;
  lines.push(
    '',
    `${packages.length} ${packages.length === 1 ? 'package' : 'packages'}: ${ready} ready, ${packages.length - ready} not`,
  );
  return `${lines.join('\n')}\n`;
}
